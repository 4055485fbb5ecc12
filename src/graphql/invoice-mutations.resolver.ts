import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, Info, Mutation, Resolver } from 'type-graphql';
import type {
  CancelInvoice,
  CreatedInvoice,
  CreateInvoice,
  Invoice as InvoiceModel,
} from '../invoices/index.js';
import type { RegeneratePdf } from '../pdf/regenerate-pdf.js';
import { type RequestContext, requireActor } from './context.js';
import { idempotencyKeyOf } from './idempotency-key.js';
import { invoiceUuid } from './ids.js';
import {
  CancelInvoiceInput,
  CancelInvoicePayload,
  CreateInvoiceInput,
  CreateInvoicePayload,
  RegenerateInvoicePdfInput,
  RegenerateInvoicePdfPayload,
} from './invoice-mutations.types.js';

export interface InvoiceWrites {
  createInvoice: CreateInvoice;
  cancelInvoice: CancelInvoice;
  regeneratePdf: RegeneratePdf;
}

@Resolver()
export class InvoiceMutationsResolver {
  constructor(private readonly writes: InvoiceWrites) {}

  @Mutation(() => CreateInvoicePayload, {
    description:
      'Issues the invoice of a paid order, exactly once. Repeat with the same key as often as needed.',
  })
  async createInvoice(
    @Arg('input', () => CreateInvoiceInput) input: CreateInvoiceInput,
    @Ctx() context: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<CreatedInvoice> {
    const actor = requireActor(context);
    const idempotencyKey = idempotencyKeyOf(input.idempotencyKey, context.idempotencyKey, info);
    return this.writes.createInvoice(actor, { orderId: input.orderId, idempotencyKey }, context.patience);
  }

  @Mutation(() => RegenerateInvoicePdfPayload, {
    description: 'For admins. Renders the same snapshot again.',
  })
  async regenerateInvoicePdf(
    @Arg('input', () => RegenerateInvoicePdfInput) input: RegenerateInvoicePdfInput,
    @Ctx() context: RequestContext,
  ): Promise<{ invoice: InvoiceModel }> {
    const actor = requireActor(context);
    const invoiceId = invoiceUuid(input.invoiceId);
    return {
      invoice: await this.writes.regeneratePdf(actor, {
        invoiceId,
        notifyCustomer: input.notifyCustomer ?? false,
      }),
    };
  }

  @Mutation(() => CancelInvoicePayload, { description: 'For admins. Number, money and file stay.' })
  async cancelInvoice(
    @Arg('input', () => CancelInvoiceInput) input: CancelInvoiceInput,
    @Ctx() context: RequestContext,
  ): Promise<{ invoice: InvoiceModel }> {
    const actor = requireActor(context);
    const invoiceId = invoiceUuid(input.invoiceId);
    return { invoice: await this.writes.cancelInvoice(actor, { ...input, invoiceId }) };
  }
}
