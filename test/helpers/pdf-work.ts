import pino from 'pino';
import type { Db, Tx } from '../../src/db/client.js';
import { requestNotification } from '../../src/notifications/request-notification.js';
import type { EventRef } from '../../src/outbox/events.js';
import { makeSettleFailure } from '../../src/outbox/settle-failure.js';
import { makeAttemptEnds } from '../../src/pdf/attempt-ends.js';
import { makeGeneratePdf } from '../../src/pdf/generate-pdf.js';
import { queueOf } from '../../src/queue/queues.js';
import { RUNNING } from './leases.js';

/** What the fakes at the ports do; a file as short as its sign does for the rest. */
export interface PdfPorts {
  render?: () => Promise<Uint8Array>;
  put?: (key: string, bytes: Uint8Array) => Promise<void>;
  size?: (key: string) => Promise<number | undefined>;
  retryDelaysSeconds?: readonly number[];
  leaseSeconds?: number;
}

export const A_PDF = new TextEncoder().encode('%PDF-');

/** The real work on a PDF with fakes at its ports. */
export function makePdfWork(db: () => Db, ports: PdfPorts = {}) {
  const enqueued: { event: EventRef; delaySeconds: number }[] = [];
  const objects = new Map<string, Uint8Array>();
  const enqueueLater = async (_: Tx, event: EventRef, delaySeconds: number) => {
    enqueued.push({ event, delaySeconds });
  };

  const generatePdf = (event: EventRef, stopping = RUNNING): Promise<void> => {
    const log = pino({ level: 'silent' });
    const { retryDelaysSeconds = [1, 5, 30, 300], leaseSeconds = 60 } = ports;
    const settleFailure = makeSettleFailure({ retryDelaysSeconds, queueOf, enqueueLater });
    return makeGeneratePdf({
      db: db(),
      renderer: { render: () => ports.render?.() ?? Promise.resolve(A_PDF) },
      storage: {
        async put(key, bytes) {
          await ports.put?.(key, bytes);
          objects.set(key, bytes);
        },
        size: async (key) => (ports.size ? ports.size(key) : objects.get(key)?.byteLength),
      },
      attempt: makeAttemptEnds({ db: db(), settleFailure, requestNotification, enqueueLater, log }),
      enqueueLater,
      leaseSeconds,
      renderTimeoutSeconds: 30,
      pageSize: 'A4',
      log,
    })(event, stopping);
  };
  return { generatePdf, ports, objects, enqueued };
}
