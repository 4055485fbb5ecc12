import { z } from 'zod';
import type { EventRef, EventType } from '../outbox/events.js';

export const QUEUES = ['pdf', 'notification'] as const;
export type QueueName = (typeof QUEUES)[number];

/** Which queue works on an event. Events that nobody works on are told for the record alone. */
export const QUEUE_OF_EVENT: Readonly<Record<EventType, QueueName | null>> = {
  InvoiceCreated: 'pdf',
  InvoicePDFRegenerateRequested: 'pdf',
  InvoicePDFGenerated: 'notification',
  InvoicePDFGenerationFailed: null,
  InvoiceNotificationRequested: null,
  InvoiceNotificationSent: null,
  InvoiceCancelled: null,
};

/** What every job carries. */
export const jobPayload = z.object({
  event_id: z.uuid(),
  event_type: z.enum(Object.keys(QUEUE_OF_EVENT) as [EventType, ...EventType[]]),
  invoice_id: z.uuid(),
});

export type JobPayload = z.infer<typeof jobPayload>;

export interface QueuePolicy {
  /**
   * A handler that has not come back by then is given up by the queue. Longer than any handler's own
   * limits: this is for handlers whose process is gone or lost.
   */
  expireSeconds: number;
  /** A worker that has not been heard of for so long is gone: its job goes to another. */
  heartbeatSeconds: number;
  /** How often a job may be lost with its worker before the queue lets go of it. Rescue still finds its invoice. */
  lostWorkers: number;
}

/**
 * Retries after a failure that a handler reports are ours (RETRY_DELAYS_SECONDS, in the transaction that
 * records the failure); pg-boss retries only what was lost with its worker.
 */
export const QUEUE_POLICY: Readonly<Record<QueueName, QueuePolicy>> = {
  pdf: { expireSeconds: 15 * 60, heartbeatSeconds: 10, lostWorkers: 20 },
  notification: { expireSeconds: 5 * 60, heartbeatSeconds: 10, lostWorkers: 20 },
};

export function queueOf(event: EventRef): QueueName {
  const queue = QUEUE_OF_EVENT[event.type];
  if (!queue) throw new Error(`No queue works on ${event.type}`);
  return queue;
}
