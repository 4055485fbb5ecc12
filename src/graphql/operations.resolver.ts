import { Arg, Args, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from 'type-graphql';
import type { Invoice as InvoiceModel, ReadInvoice } from '../invoices/index.js';
import { publicId, uuidOf } from '../kernel/ids.js';
import type {
  DeadLetter as DeadLetterModel,
  ListDeadLetters,
  ReplayDeadLetters,
} from '../queue/dead-letters.js';
import type { Pipeline as PipelineModel, ReadPipeline } from '../queue/read-pipeline.js';
import { type Connection, toConnection } from './connection.js';
import { type RequestContext, requireActor } from './context.js';
import { Invoice } from './invoice.types.js';
import { PageArgs } from './invoice-queries.types.js';
import {
  DeadLetter,
  DeadLetterConnection,
  Pipeline,
  ReplayDeadLetterInput,
  ReplayDeadLetterPayload,
  ReplayDeadLettersInput,
  ReplayDeadLettersPayload,
} from './operations.types.js';

export interface Operations {
  listDeadLetters: ListDeadLetters;
  replayDeadLetters: ReplayDeadLetters;
  readPipeline: ReadPipeline;
  readInvoice: ReadInvoice;
}

@Resolver(() => DeadLetter)
export class OperationsResolver {
  constructor(private readonly operations: Operations) {}

  @Query(() => DeadLetterConnection, { description: 'For admins. Open ones, newest first.' })
  async deadLetters(
    @Args(() => PageArgs) page: PageArgs,
    @Ctx() context: RequestContext,
  ): Promise<Connection<DeadLetterModel>> {
    return toConnection(await this.operations.listDeadLetters(requireActor(context), page));
  }

  @Query(() => Pipeline, { description: 'For admins.' })
  pipeline(@Ctx() context: RequestContext): Promise<PipelineModel> {
    return this.operations.readPipeline(requireActor(context));
  }

  @Mutation(() => ReplayDeadLetterPayload, { description: 'For admins. Failing again, it comes back.' })
  async replayDeadLetter(
    @Arg('input', () => ReplayDeadLetterInput) { id }: ReplayDeadLetterInput,
    @Ctx() context: RequestContext,
  ): Promise<{ invoice: InvoiceModel }> {
    const actor = requireActor(context);
    const invoiceId = await this.operations.replayDeadLetters.one(actor, uuidOf('dl', id));
    return { invoice: await this.operations.readInvoice(actor, { id: invoiceId }) };
  }

  @Mutation(() => ReplayDeadLettersPayload, { description: 'For admins.' })
  async replayDeadLetters(
    @Arg('input', () => ReplayDeadLettersInput) { queue, code, limit }: ReplayDeadLettersInput,
    @Ctx() context: RequestContext,
  ): Promise<ReplayDeadLettersPayload> {
    const actor = requireActor(context);
    return {
      replayed: await this.operations.replayDeadLetters.many(actor, { queue, code, limit: limit ?? 100 }),
    };
  }

  @FieldResolver(() => ID)
  id(@Root() letter: DeadLetterModel): string {
    return publicId('dl', letter.id);
  }

  @FieldResolver(() => Invoice)
  async invoice(@Root() letter: DeadLetterModel, @Ctx() { loaders }: RequestContext): Promise<InvoiceModel> {
    const invoice = await loaders.invoice.load(letter.invoiceId);
    if (!invoice) throw new Error(`Dead letter ${letter.id} names no invoice`);
    return invoice;
  }
}
