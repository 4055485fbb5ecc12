import { createHistogram } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Figures {
  count: number;
  perSecond: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  failed: number;
}

/** Callers who each call again as soon as they are answered, for some seconds. */
export async function runCallers(
  callers: number,
  seconds: number,
  call: (caller: number) => Promise<unknown>,
): Promise<Figures> {
  const meter = startMeter();
  const end = performance.now() + seconds * 1_000;
  await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      while (performance.now() < end) await meter.time(performance.now(), call(caller));
    }),
  );
  return meter.read();
}

/**
 * Calls at a fixed rate, evenly spaced, whether or not the ones before were answered. A call's time counts
 * from the moment when it was due, so that a client that comes late hides nothing.
 */
export async function runAtRate(
  rate: number,
  seconds: number,
  call: () => Promise<unknown>,
): Promise<Figures> {
  const meter = startMeter();
  const begin = performance.now();
  const underWay = new Set<Promise<void>>();
  for (let sent = 0; sent < rate * seconds; ) {
    const due = begin + (sent * 1_000) / rate;
    if (due > performance.now()) {
      await sleep(1);
      continue;
    }
    const timed = meter.time(due, call()).finally(() => underWay.delete(timed));
    underWay.add(timed);
    sent += 1;
  }
  await Promise.all(underWay);
  return meter.read();
}

function startMeter() {
  const latency = createHistogram();
  const begin = performance.now();
  let failed = 0;
  return {
    async time(since: number, called: Promise<unknown>): Promise<void> {
      await called.catch(() => {
        failed += 1;
      });
      latency.record(Math.max(1, Math.round((performance.now() - since) * 1_000)));
    },
    read(): Figures {
      return {
        count: latency.count,
        perSecond: latency.count / ((performance.now() - begin) / 1_000),
        p50: latency.percentile(50) / 1_000,
        p99: latency.percentile(99) / 1_000,
        failed,
      };
    },
  };
}
