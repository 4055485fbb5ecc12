import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';

export interface PlaygroundOptions {
  /** Where Apollo answers POST; the page is served for a browser's GET of the same path. */
  readonly graphqlPath: string;
}

const GREETING = `# Folio playground. Every operation needs a token.
# Print one in a terminal (or role service, or admin):
#
#   npm run token -- --sub u_alice --role customer
#
# and put it in the "Headers" tab below this editor:
#
#   { "authorization": "Bearer <token>" }
#
# Ctrl-Enter (Cmd-Enter) runs what the cursor is in.

# ORD-123 is a sample order of u_alice. Run this twice:
# the second answer is the same invoice, replayed: true.
mutation IssueInvoice {
  createInvoice(
    input: {
      orderId: "ORD-123"
      idempotencyKey: "playground-1"
    }
  ) {
    replayed
    invoice { id invoiceNumber total currency pdfStatus }
  }
}

query MyInvoices {
  customerInvoices(customerId: "u_alice", first: 10) {
    edges {
      node { id invoiceNumber orderId total pdfStatus }
    }
    pageInfo { hasNextPage endCursor }
  }
}

# Paste an id from above into the "Variables" tab:
# { "id": "inv_..." }
query DownloadLink($id: ID!) {
  invoiceDownload(id: $id) { downloadUrl expiresAt }
}
`;

// Ruru keeps queries, history and (history included) request headers in localStorage. A bearer token has
// no place there: the page gets the tab's own storage instead, gone when the tab is closed.
const TAB_STORAGE = `<script>
Object.defineProperty(window, 'localStorage', { value: window.sessionStorage });
</script>`;

// Ruru puts editor and answer side by side at any width; a phone gets them one above the other.
const NARROW = `<style>
@media (max-width: 640px) {
  #graphiql-session { flex-direction: column; }
  #graphiql-session > .graphiql-horizontal-drag-bar { display: none; }
}
</style>`;

/**
 * Serves Ruru (a GraphiQL distribution) out of its npm package, so that the playground works with no
 * internet. Register it only when PLAYGROUND is on, and Apollo for POST alone: GET belongs to this page.
 */
export async function registerPlayground(
  fastify: FastifyInstance,
  options: PlaygroundOptions,
): Promise<void> {
  // Loaded here, not at the top: a process without the playground does not pay for it.
  const [{ ruruHTML }, { getStaticFile }] = await Promise.all([import('ruru/server'), import('ruru/static')]);
  const staticPath = `${options.graphqlPath}/static/`;
  const page = ruruHTML({
    endpoint: options.graphqlPath,
    staticPath,
    clientConfig: {
      initialQuery: GREETING,
    },
    htmlParts: {
      configScript: (original) => `${TAB_STORAGE}\n${original}`,
      styleTags: (original) => `${original}\n${NARROW}`,
      titleTag: '<title>Folio playground</title>',
      metaTags: (original) =>
        `${original}\n<meta name="viewport" content="width=device-width, initial-scale=1" />`,
    },
  });
  const contentSecurityPolicy = policyFor(page);

  fastify.get(options.graphqlPath, (request, reply) => {
    reply.header('vary', 'accept');
    if (!request.headers.accept?.includes('text/html')) {
      // A program that asks by GET: this service runs operations by POST alone.
      return reply.code(405).header('allow', 'POST').send();
    }
    return protect(reply)
      .headers({
        'content-security-policy': contentSecurityPolicy,
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-cache',
      })
      .type('text/html; charset=utf-8')
      .send(page);
  });

  fastify.get(`${staticPath}*`, async (request, reply) => {
    // The raw URL is looked up as a key in the package's list of files. Nothing is decoded and no path
    // is built, so `..`, %2e%2e, %2f or %00 name nothing. Source maps would take another 10 MB.
    const file = await getStaticFile({
      staticPath,
      urlPath: request.raw.url ?? '',
      acceptEncoding: request.headers['accept-encoding'],
      disallowDevAssets: true,
    });
    if (file === null) return reply.callNotFound();
    // no-cache means "ask again": names do not change with Ruru's version, its ETags do.
    const { etag } = file.headers;
    protect(reply).headers({
      etag,
      vary: 'accept-encoding',
      // A worker obeys the policy of its own script, not that of the page.
      'content-security-policy': "default-src 'self'",
      'cache-control': 'public, no-cache',
    });
    if (request.headers['if-none-match'] === etag) return reply.code(304).send();
    return reply.headers(file.headers).send(file.content);
  });
}

function protect(reply: FastifyReply): FastifyReply {
  return reply.headers({ 'x-content-type-options': 'nosniff' });
}

/** Inline scripts are allowed by their hash: the page is the same for everyone, so it needs no nonce. */
function policyFor(page: string): string {
  const hashes = [...page.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)].map(
    ([, script = '']) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  );
  return [
    "default-src 'self'",
    `script-src 'self' ${hashes.join(' ')}`,
    "worker-src 'self'",
    "connect-src 'self'",
    "object-src 'none'",
    // Monaco and Radix write style elements and attributes at run time, with no nonce to give them.
    // Whatever a style could load is still held by the lines around this one.
    "style-src 'self' 'unsafe-inline'",
    "font-src 'self' data:",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
