import type { FastifyInstance } from 'fastify';
import type { Log } from '../kernel/log.js';

/** A thing that must answer before this process can do its work. */
export type ReadinessProbe = () => Promise<void>;

/** A probe that hangs is as bad as one that fails; orchestrators give up after a second or two themselves. */
const PROBE_WITHIN_MS = 2_000;

/**
 * /healthz: the process runs. /readyz: all it depends on answers, or 503 with the names of what does
 * not.
 */
export function registerHealthRoutes(
  server: FastifyInstance,
  { probes, log }: { probes: Readonly<Record<string, ReadinessProbe>>; log: Log },
): void {
  server.get('/healthz', async () => ({ status: 'ok' }));

  server.get('/readyz', async (_, reply) => {
    const checks = await Promise.all(
      Object.entries(probes).map(async ([name, probe]) => [name, await answers(name, probe)] as const),
    );
    const failing = checks.filter(([, answered]) => !answered).map(([name]) => name);
    if (failing.length === 0) return { status: 'ready' };
    return reply.code(503).send({ status: 'not ready', failing });
  });

  async function answers(name: string, probe: ReadinessProbe): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const timeUp = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('no answer in time')), PROBE_WITHIN_MS);
    });
    try {
      await Promise.race([probe(), timeUp]);
      return true;
    } catch (error) {
      log.warn({ err: error, probe: name }, 'not ready');
      return false;
    } finally {
      clearTimeout(timer);
    }
  }
}
