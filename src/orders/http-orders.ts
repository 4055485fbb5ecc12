import { AppError, unavailable } from '../kernel/errors.js';
import type { OrderSource } from './order-source.js';
import { parseOrder } from './parse-order.js';

/** A caller waits for this answer inside its own request: two seconds for all of it, body included. */
const ANSWER_WITHIN_MS = 2_000;

/** 5,000 lines with descriptions of 1,000 characters fit; an endless answer does not. */
const LARGEST_BODY_BYTES = 8 * 1024 * 1024;

/**
 * The Order Service over HTTP: GET {baseUrl}/orders/{orderId}. Redirects are refused rather than
 * followed, so that an answer never names the next address to ask.
 */
export function makeHttpOrders({ baseUrl }: { baseUrl: string }): OrderSource {
  const root = baseUrl.replace(/\/+$/, '');
  return {
    async fetchOrder(orderId, patience) {
      const body = await fetchBody(`${root}/orders/${encodeURIComponent(orderId)}`, patience);
      if (body === 'not found') throw new AppError('ORDER_NOT_FOUND', `Order ${orderId} does not exist`);
      return parseOrder(parseJson(body), orderId);
    },
  };
}

async function fetchBody(url: string, patience?: AbortSignal): Promise<Uint8Array | 'not found'> {
  const timeUp = AbortSignal.timeout(ANSWER_WITHIN_MS);
  try {
    const response = await fetch(url, {
      headers: { accept: 'application/json' },
      redirect: 'manual',
      signal: patience ? AbortSignal.any([timeUp, patience]) : timeUp,
    });
    if (response.status === 200) return await readBounded(response);
    await response.body?.cancel();
    if (response.status === 404) return 'not found';
    throw new Error(`It answered with status ${response.status}`);
  } catch (cause) {
    throw unavailable('The Order Service', cause);
  }
}

async function readBounded(response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop by an error cancels the stream, and with it the connection.
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > LARGEST_BODY_BYTES) throw new Error(`Its answer is larger than ${LARGEST_BODY_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    // The parser's own message quotes the body, and a body has names and addresses in it.
    throw unavailable(
      'The Order Service',
      new Error(`It answered ${body.byteLength} bytes that are not JSON`),
    );
  }
}
