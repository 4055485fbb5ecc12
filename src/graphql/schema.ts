import 'reflect-metadata';
import type { GraphQLSchema } from 'graphql';
import { buildSchema, type ContainerType, type MiddlewareFn } from 'type-graphql';
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
export function makeSchema({ reads, writes, operations }: SchemaDeps): Promise<GraphQLSchema> {
  const instances = new Map<unknown, object>([
    [InvoiceResolver, new InvoiceResolver(reads)],
    [InvoiceMutationsResolver, new InvoiceMutationsResolver(writes)],
    [OperationsResolver, new OperationsResolver(operations)],
  ]);
  const container: ContainerType = { get: (resolver) => instances.get(resolver) };
  return buildSchema({
    resolvers: [InvoiceResolver, InvoiceMutationsResolver, OperationsResolver],
    container,
    // Rules of values belong to the use cases, which name the field; GraphQL has checked the shapes.
    validate: false,
    globalMiddlewares: [withinPatience],
  });
}

/** A request is answered in time, however many operations it holds; what they started may still come true. */
const withinPatience: MiddlewareFn<RequestContext> = async ({ info, context }, next) => {
  if (info.path.prev) return next();
  const { patience } = context;
  patience.throwIfAborted();
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const giveUp = () => reject(patience.reason);
  patience.addEventListener('abort', giveUp, { once: true });
  try {
    return await Promise.race([next(), ended]);
  } finally {
    patience.removeEventListener('abort', giveUp);
  }
};
