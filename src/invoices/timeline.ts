import { type Actor, canOperate, unauthorized } from '../auth/actor.js';
import type { Db, Tx } from '../db/client.js';

export interface TimelineEntry {
  at: Date;
  event: string;
  /** "role:sub" of the token that asked for it; null for what the workers did. */
  actor: string | null;
  attempt: number | null;
  code: string | null;
}

/** Writes down what the caller's transaction does to an invoice. */
export async function recordOnTimeline(
  tx: Tx,
  invoiceId: string,
  event: string,
  { actor, attempt, code }: { actor?: Actor; attempt?: number; code?: string } = {},
): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO invoice_timeline (invoice_id, at, event, actor, attempt, code)
    VALUES (${invoiceId}::uuid, clock_timestamp(), ${event}, ${actor ? nameOf(actor) : null},
            ${attempt ?? null}::integer, ${code ?? null})`;
}

export type ReadTimeline = (actor: Actor, invoiceId: string) => Promise<TimelineEntry[]>;

/** All that happened to an invoice, oldest first. Its issue is told by the invoice itself. */
export function makeReadTimeline({ db }: { db: Db }): ReadTimeline {
  return async (actor, invoiceId) => {
    if (!canOperate(actor)) throw unauthorized();
    const [issue, entries] = await Promise.all([
      db.invoice.findUniqueOrThrow({
        where: { id: invoiceId },
        select: { createdAt: true, createdByRole: true, createdById: true },
      }),
      db.timelineEntry.findMany({
        where: { invoiceId },
        orderBy: { id: 'asc' },
        select: { at: true, event: true, actor: true, attempt: true, code: true },
      }),
    ]);
    const issued: TimelineEntry = {
      at: issue.createdAt,
      event: 'InvoiceCreated',
      actor: `${issue.createdByRole}:${issue.createdById}`,
      attempt: null,
      code: null,
    };
    return [issued, ...entries];
  };
}

const nameOf = (actor: Actor): string => `${actor.role}:${actor.id}`;
