import { randomUUID } from 'node:crypto';
import { fromPrisma, type Job, PgBoss } from 'pg-boss';
import type { Tx } from '../db/client.js';
import type { Log } from '../kernel/log.js';
import type { EventRef } from '../outbox/events.js';
import {
  type JobPayload,
  jobPayload,
  QUEUE_OF_EVENT,
  QUEUE_POLICY,
  QUEUES,
  type QueueName,
  queueOf,
} from './queues.js';

/** Does the work of one event. Failures are its own to settle; what it throws is unforeseen. */
export type Handler = (event: EventRef) => Promise<void>;

export interface Queue {
  start(): Promise<void>;
  /** Waits for the handlers under way, up to `withinMs`. */
  stop(withinMs: number): Promise<void>;
  /** Jobs for new events, with the event's id as the job's: a second forwarding adds nothing. */
  enqueue(tx: Tx, events: readonly EventRef[]): Promise<void>;
  /** A further job for an event that had one; its id is fresh, since the old job may still be there. */
  enqueueLater(tx: Tx, event: EventRef, delaySeconds: number): Promise<void>;
  work(queue: QueueName, handler: Handler, concurrency: number): Promise<void>;
}

/** Retries and deferred jobs are not notified; they wait for the poll. */
const POLL_SECONDS = 0.5;

/** A finished job says nothing that our own tables do not say; an hour is for looking at it. */
const KEEP_FINISHED_SECONDS = 3_600;

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

  async function insert(
    tx: Tx,
    name: QueueName,
    jobs: { id: string; event: EventRef; startAfter?: number }[],
  ) {
    await boss.insert(
      name,
      jobs.map(({ event, ...job }) => ({ ...job, data: payloadOf(event) })),
      { db: fromPrisma(tx) },
    );
  }

  /** One job at a time, so that a slow one holds up no other. */
  async function startWorker(queue: QueueName, handler: Handler): Promise<void> {
    let workerId: string | undefined;
    const options = {
      batchSize: 1,
      pollingIntervalSeconds: POLL_SECONDS,
      notifyPollingIntervalSeconds: POLL_SECONDS,
    };
    workerId = await boss.work(queue, options, async (jobs: Job<unknown>[]) => {
      // Where there was one job there may be more: look again right after it, and not at the next poll.
      if (workerId) boss.notifyWorker(workerId);
      for (const job of jobs) await handle(queue, handler, job);
    });
  }

  async function handle(queue: QueueName, handler: Handler, job: Job<unknown>): Promise<void> {
    try {
      await handler(eventOf(job));
    } catch (error) {
      log.error({ err: error, queue, job_id: job.id }, 'a handler failed; the queue will deliver again');
      // What pg-boss keeps of an error stays in its tables: no message, which may quote anything.
      throw new Error('The handler failed; the log has the reason');
    }
  }

  return {
    async start() {
      await boss.start();
      for (const name of QUEUES) await createQueue(boss, name);
    },

    async stop(withinMs) {
      await boss.stop({ graceful: true, timeout: withinMs });
    },

    async enqueue(tx, events) {
      for (const [queue, forQueue] of Map.groupBy(events, (event) => QUEUE_OF_EVENT[event.type])) {
        if (queue)
          await insert(
            tx,
            queue,
            forQueue.map((event) => ({ id: event.id, event })),
          );
      }
    },

    async enqueueLater(tx, event, delaySeconds) {
      await insert(tx, queueOf(event), [{ id: randomUUID(), event, startAfter: delaySeconds }]);
    },

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
