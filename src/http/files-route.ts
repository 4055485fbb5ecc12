import { create as contentDisposition } from 'content-disposition';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Clock } from '../kernel/clock.js';
import type { DownloadSigner } from '../storage/download-signature.js';
import { isPdfObjectKey } from '../storage/object-key.js';
import { OBJECT_CONTENT_TYPE, type ObjectStorage } from '../storage/object-storage.js';

export interface FilesRouteDeps {
  storage: Pick<ObjectStorage, 'get'>;
  signer: DownloadSigner;
  clock: Clock;
}

/** Nothing but what we signed, spelt as we spelt it. */
const grantQuery = z.strictObject({
  name: z.string().max(100),
  expires: z
    .string()
    .regex(/^[1-9]\d{0,10}$/)
    .transform(Number),
  signature: z.string().max(100),
});

/**
 * Opens files of the filesystem adapter to whoever has a URL that we signed. Anything about the URL that
 * is not as we signed it is 403, and nothing is read for it.
 */
export function registerFilesRoute(
  server: FastifyInstance,
  { storage, signer, clock }: FilesRouteDeps,
): void {
  server.route({
    method: ['GET', 'HEAD'],
    url: '/files/*',
    handler: async (request: FastifyRequest, reply: FastifyReply) => {
      reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
      const { '*': key = '' } = request.params as { '*'?: string };
      const query = grantQuery.safeParse(request.query);
      if (!query.success || !isPdfObjectKey(key)) return refuse(reply);
      const { name: fileName, expires, signature } = query.data;
      if (!signer.verify({ key, fileName, expires }, signature)) return refuse(reply);
      if (expires * 1000 <= clock.now().getTime()) return refuse(reply);
      const bytes = await storage.get(key);
      if (!bytes) return reply.code(404).send({ error: 'There is no such file' });
      return reply
        .headers({
          'content-type': OBJECT_CONTENT_TYPE,
          'content-disposition': contentDisposition(fileName, { type: 'attachment' }),
        })
        .send(Buffer.from(bytes));
    },
  });
  server.route({
    method: ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    url: '/files/*',
    handler: async (_, reply) =>
      reply.code(405).header('allow', 'GET, HEAD').send({ error: 'Only GET and HEAD' }),
  });
}

function refuse(reply: FastifyReply): FastifyReply {
  return reply.code(403).send({ error: 'This link has expired or is not valid; ask for a new one' });
}
