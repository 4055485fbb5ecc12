import 'reflect-metadata';
import type { GraphQLSchema } from 'graphql';
import { buildSchema, type ContainerType } from 'type-graphql';
import { unavailable } from '../kernel/errors.js';
import { type InvoiceReads, InvoiceResolver } from './invoice.resolver.js';
import { InvoiceMutationsResolver, type InvoiceWrites } from './invoice-mutations.resolver.js';
import { type Operations, OperationsResolver } from './operations.resolver.js';

export interface SchemaDeps {
  reads: InvoiceReads;
  writes: InvoiceWrites;
  operations: Operations;
  /** A caller waits no longer than this for one operation; what it started may still come true. */
  requestTimeoutMs: number;
}

/** The schema with its resolvers; each is one object made from the use cases it calls. */
export function makeSchema({
  reads,
  writes,
  operations,
  requestTimeoutMs,
}: SchemaDeps): Promise<GraphQLSchema> {
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
    globalMiddlewares: [({ info }, next) => (info.path.prev ? next() : withinTime(next, requestTimeoutMs))],
  });
}

async function withinTime<T>(run: () => Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unavailable('Folio')), timeoutMs);
  });
  try {
    return await Promise.race([run(), timeUp]);
  } finally {
    clearTimeout(timer);
  }
}
