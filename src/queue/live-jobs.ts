import { Prisma } from '../db/client.js';
import type { EventRef } from '../outbox/events.js';
import type { QueueName } from './queues.js';

/** By what the jobs of one piece of work are known: a PDF by its invoice, a mail by its event. */
export function jobKeyOf(queue: QueueName, { id, invoiceId }: Pick<EventRef, 'id' | 'invoiceId'>): string {
  return queue === 'pdf' ? invoiceId : id;
}

/**
 * SQL: whether a job waits, or runs, for a piece of work. pg-boss has an index for the waiting ones by key;
 * those that run are as few as the workers.
 */
export function hasLiveJob(work: { queue: string; id: Prisma.Sql; invoiceId: Prisma.Sql }): Prisma.Sql {
  const key = work.queue === 'pdf' ? work.invoiceId : work.id;
  return Prisma.sql`(
    EXISTS (SELECT FROM pgboss.job
            WHERE name = ${work.queue} AND singleton_key = ${key}::text AND state < 'active')
    OR EXISTS (SELECT FROM pgboss.job
               WHERE name = ${work.queue} AND singleton_key = ${key}::text AND state = 'active'))`;
}
