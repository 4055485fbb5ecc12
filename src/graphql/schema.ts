import 'reflect-metadata';
import { defaultFieldResolver, type GraphQLFieldResolver, type GraphQLSchema } from 'graphql';
import { buildSchema, type ContainerType } from 'type-graphql';
import type { RequestContext } from './context.js';
import { type InvoiceReads, InvoiceResolver } from './invoice.resolver.js';
import { InvoiceMutationsResolver, type InvoiceWrites } from './invoice-mutations.resolver.js';
import { type Operations, OperationsResolver } from './operations.resolver.js';

export interface SchemaDeps {
  reads: InvoiceReads;
  writes: InvoiceWrites;
  operations: Operations;
}

/** The schema with its resolvers; each is one object made from the use cases it calls. */
export async function makeSchema({ reads, writes, operations }: SchemaDeps): Promise<GraphQLSchema> {
  const instances = new Map<unknown, object>([
    [InvoiceResolver, new InvoiceResolver(reads)],
    [InvoiceMutationsResolver, new InvoiceMutationsResolver(writes)],
    [OperationsResolver, new OperationsResolver(operations)],
  ]);
  const container: ContainerType = { get: (resolver) => instances.get(resolver) };
  const schema = await buildSchema({
    resolvers: [InvoiceResolver, InvoiceMutationsResolver, OperationsResolver],
    container,
    // Rules of values belong to the use cases, which name the field; GraphQL has checked the shapes.
    validate: false,
  });
  for (const root of [schema.getQueryType(), schema.getMutationType()]) {
    for (const field of Object.values(root?.getFields() ?? {})) field.resolve = withinPatience(field.resolve);
  }
  return schema;
}

type Resolve = GraphQLFieldResolver<unknown, RequestContext>;

/**
 * An operation is answered in time, however many a request holds; what it started may still come true.
 * Around the root fields alone, and not as a middleware, which would pass for each field of each row.
 */
const withinPatience =
  (resolve: Resolve = defaultFieldResolver): Resolve =>
  async (source, args, context, info) => {
    const { patience } = context;
    patience.throwIfAborted();
    const { promise: ended, reject } = Promise.withResolvers<never>();
    const giveUp = () => reject(patience.reason);
    patience.addEventListener('abort', giveUp, { once: true });
    try {
      return await Promise.race([resolve(source, args, context, info), ended]);
    } finally {
      patience.removeEventListener('abort', giveUp);
    }
  };
