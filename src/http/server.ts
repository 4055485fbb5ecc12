import { randomUUID } from 'node:crypto';
import type { ApolloServer } from '@apollo/server';
import { fastifyApolloHandler } from '@as-integrations/fastify';
import { type FastifyBaseLogger, type FastifyInstance, fastify, LogController } from 'fastify';
import type { RequestContext } from '../graphql/context.js';
import { answerError } from './answer-error.js';
import { type FilesRouteDeps, registerFilesRoute } from './files-route.js';
import { type ReadinessProbe, registerHealthRoutes } from './health-routes.js';
import { registerPlayground } from './playground.js';
import { makeRequestContext, type RequestContextDeps } from './request-context.js';

export interface ServerDeps {
  log: FastifyBaseLogger;
  probes: Readonly<Record<string, ReadinessProbe>>;
  /** Absent in processes that serve no API: health is all they answer then. */
  api?: ApiDeps | undefined;
}

export interface ApiDeps {
  apollo: ApolloServer<RequestContext>;
  context: RequestContextDeps;
  playground: boolean;
  /** Absent where the object store serves its own URLs. */
  files?: FilesRouteDeps | undefined;
}

/** The largest operation of a client of ours is a few kilobytes. */
const LARGEST_BODY_BYTES = 256 * 1024;

/** For the whole request to arrive; a client that sends a byte a minute holds no connection. */
const REQUEST_ARRIVES_WITHIN_MS = 10_000;

export async function makeServer({ log, probes, api }: ServerDeps): Promise<FastifyInstance> {
  const server = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    // Our own id, never the client's: it stands in logs and in errors.
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    frameworkErrors: answerError(log),
    bodyLimit: LARGEST_BODY_BYTES,
    requestTimeout: REQUEST_ARRIVES_WITHIN_MS,
    // Node looks for requests that take too long only every 30 s unless told.
    http: { connectionsCheckingInterval: 1_000 },
    routerOptions: { maxParamLength: 200 },
  });
  server.addHook('onSend', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });
  server.setErrorHandler(answerError(log));
  registerHealthRoutes(server, { probes, log });
  if (api) await registerApi(server, api);
  return server;
}

/** Operations under way may take their time limit; whoever only holds a connection open loses it. */
const CONNECTIONS_END_WITHIN_MS = 5_500;

export async function stopServer(server: FastifyInstance): Promise<void> {
  const timeUp = setTimeout(() => server.server.closeAllConnections(), CONNECTIONS_END_WITHIN_MS);
  await server.close();
  clearTimeout(timeUp);
}

async function registerApi(server: FastifyInstance, api: ApiDeps): Promise<void> {
  const { apollo, context } = api;
  await apollo.start();
  server.post(
    '/graphql',
    fastifyApolloHandler(apollo, {
      context: (request, reply) => makeRequestContext(request, reply, context),
    }),
  );
  server.addHook('onClose', () => apollo.stop());
  if (api.playground) await registerPlayground(server, { graphqlPath: '/graphql' });
  if (api.files) registerFilesRoute(server, api.files);
}
