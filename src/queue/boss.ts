import { randomUUID } from 'node:crypto';
import { fromPrisma, type Job, PgBoss } from 'pg-boss';
import type { Tx } from '../db/client.js';
import type { Log } from '../kernel/log.js';
import type { EventRef } from '../outbox/events.js';
import { jobKeyOf } from './live-jobs.js';
import {
  type JobPayload,
  jobPayload,
  QUEUE_OF_EVENT,
  QUEUE_POLICY,
  QUEUES,
  type QueueName,
} from './queues.js';

/**
 * Does the work of one event. Failures are its own to settle; what it throws is unforeseen, and delivered
 * again. When `stopping` is aborted the process has no more time: the handler hands its work back and returns.
 */
export type Handler = (event: EventRef, stopping: AbortSignal) => Promise<void>;

export interface Queue {
  start(): Promise<void>;
  /** Makes the queues where they are not there, or no longer. */
  ensureQueues(): Promise<void>;
  /** Lets the handlers under way end for up to `withinMs`, and then has them hand back their work. */
  stop(withinMs: number): Promise<void>;
  /** Jobs for new events, with the event's id as the job's: a second forwarding adds nothing. */
  enqueue(tx: Tx, events: readonly EventRef[]): Promise<void>;
  /** Further jobs for events that had one; their ids are fresh, since the old jobs may still be there. */
  enqueueAgain(tx: Tx, events: readonly EventRef[]): Promise<void>;
  /** The same for one event, to be worked on after a delay. */
  enqueueLater(tx: Tx, event: EventRef, delaySeconds: number): Promise<void>;
  work(queue: QueueName, handler: Handler, concurrency: number): Promise<void>;
}

/** Retries and deferred jobs are not notified; they wait for the poll. */
const POLL_SECONDS = 0.5;

/** A finished job says nothing that our own tables do not say; an hour is for looking at it. */
const KEEP_FINISHED_SECONDS = 3_600;

/** To write down that work is handed back takes one commit. */
const HAND_BACK_WITHIN_MS = 4_000;

export function makeQueue({ url, log, maintain }: { url: string; log: Log; maintain: boolean }): Queue {
  const boss = new PgBoss({
    connectionString: url,
    schema: 'pgboss',
    application_name: 'folio queue',
    // Fetching, completing and heartbeats of all workers of this process, and one session that listens.
    max: 6,
    connectionTimeoutMillis: 5_000,
    useListenNotify: true,
    schedule: false,
    supervise: maintain,
    // How soon a job lost with its worker is noticed, beyond its heartbeat.
    superviseIntervalSeconds: 5,
    monitorIntervalSeconds: 5,
  });
  boss.on('error', (error) => log.error({ err: error }, 'the queue reported an error'));
  boss.on('warning', (warning) => log.warn({ warning: warning.message }, 'the queue warns'));

  const stopping = new AbortController();

  async function insert(
    tx: Tx,
    events: readonly EventRef[],
    job: (event: EventRef) => { id: string; startAfter?: number },
  ): Promise<void> {
    for (const [queue, forQueue] of Map.groupBy(events, (event) => QUEUE_OF_EVENT[event.type])) {
      if (!queue) continue;
      await boss.insert(
        queue,
        forQueue.map((event) => ({
          ...job(event),
          data: payloadOf(event),
          singletonKey: jobKeyOf(queue, event),
        })),
        { db: fromPrisma(tx) },
      );
    }
  }

  /** One job at a time, so that a slow one holds up no other. */
  async function startWorker(queue: QueueName, handler: Handler): Promise<void> {
    let workerId: string | undefined;
    const options = {
      batchSize: 1,
      pollingIntervalSeconds: POLL_SECONDS,
      notifyPollingIntervalSeconds: POLL_SECONDS,
    };
    // pg-boss settles the very job that it fetched, attempt and all: one that was given to another worker
    // meanwhile is not settled by this one.
    workerId = await boss.work(queue, options, async (jobs: Job<unknown>[]) => {
      // Where there was one job there may be more: look again right after it, and not at the next poll.
      if (workerId) boss.notifyWorker(workerId);
      for (const job of jobs) await handle(queue, handler, job);
    });
  }

  async function handle(queue: QueueName, handler: Handler, job: Job<unknown>): Promise<void> {
    try {
      await handler(eventOf(job), stopping.signal);
    } catch (error) {
      log.error({ err: error, queue, job_id: job.id }, 'a handler failed; the queue will deliver again');
      // What pg-boss keeps of an error stays in its tables: no message, which may quote anything.
      throw new Error('The handler failed; the log has the reason');
    }
  }

  async function ensureQueues(): Promise<void> {
    for (const name of QUEUES) await createQueue(boss, name);
  }

  return {
    async start() {
      await boss.start();
      await ensureQueues();
    },

    ensureQueues,

    async stop(withinMs) {
      const timeUp = setTimeout(() => stopping.abort(new Error('The process stops')), withinMs);
      await boss.stop({ graceful: true, timeout: withinMs + HAND_BACK_WITHIN_MS });
      clearTimeout(timeUp);
    },

    enqueue: (tx, events) => insert(tx, events, ({ id }) => ({ id })),

    enqueueAgain: (tx, events) => insert(tx, events, () => ({ id: randomUUID() })),

    enqueueLater: (tx, event, delaySeconds) =>
      insert(tx, [event], () => ({ id: randomUUID(), startAfter: delaySeconds })),

    async work(queue, handler, concurrency) {
      for (let worker = 1; worker <= concurrency; worker += 1) await startWorker(queue, handler);
    },
  };
}

async function createQueue(boss: PgBoss, name: QueueName): Promise<void> {
  const policy = QUEUE_POLICY[name];
  const options = {
    notify: true,
    retryLimit: policy.lostWorkers,
    retryDelay: 1,
    expireInSeconds: policy.expireSeconds,
    heartbeatSeconds: policy.heartbeatSeconds,
    deleteAfterSeconds: KEEP_FINISHED_SECONDS,
  };
  await boss.createQueue(name, options);
  // createQueue leaves an existing queue as it was made; this brings it up to this release's policy.
  await boss.updateQueue(name, options);
}

function payloadOf(event: EventRef): JobPayload {
  return { event_id: event.id, event_type: event.type, invoice_id: event.invoiceId };
}

function eventOf(job: Job<unknown>): EventRef {
  const payload = jobPayload.parse(job.data);
  return { id: payload.event_id, type: payload.event_type, invoiceId: payload.invoice_id };
}
