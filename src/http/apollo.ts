import { ApolloServer, type ApolloServerPlugin } from '@apollo/server';
import { unwrapResolverError } from '@apollo/server/errors';
import type { GraphQLFormattedError, GraphQLSchema } from 'graphql';
import { CALLER_GONE, type RequestContext } from '../graphql/context.js';
import { refusalOf, type TranslateError } from '../graphql/error-format.js';
import type { Log } from '../kernel/log.js';

export interface ApolloDeps {
  schema: GraphQLSchema;
  translateError: TranslateError;
  log: Log;
  /** Where it is off, the schema is not told to strangers, not even by way of suggestions in errors. */
  introspection: boolean;
}

/** Far above any operation of a real client; parsing stops there. */
const MOST_TOKENS = 4_000;

/** Apollo hides the suggestions of its validation, but not those for the values of variables. */
const SUGGESTION = / Did you mean .*\?$/;

export function makeApollo({
  schema,
  translateError,
  log,
  introspection,
}: ApolloDeps): ApolloServer<RequestContext> {
  return new ApolloServer<RequestContext>({
    schema,
    csrfPrevention: true,
    introspection,
    hideSchemaDetailsFromClientErrors: !introspection,
    includeStacktraceInErrorResponses: false,
    maxRecursiveSelections: true,
    parseOptions: { maxTokens: MOST_TOKENS },
    stopOnTerminationSignals: false,
    formatError: (formatted, error) => {
      const answer = formatError(formatted, error, translateError);
      return introspection ? answer : { ...answer, message: answer.message.replace(SUGGESTION, '') };
    },
    plugins: [logUnforeseen(translateError, log), addRequestId],
  });
}

/** Ours by code and status; the transport's own errors (parsing, validation) stay as Apollo has them. */
function formatError(
  formatted: GraphQLFormattedError,
  error: unknown,
  translateError: TranslateError,
): GraphQLFormattedError {
  const cause = unwrapResolverError(error);
  if (cause === error && formatted.extensions?.code !== 'INTERNAL_SERVER_ERROR') return formatted;
  const refusal = refusalOf(cause, translateError);
  return {
    message: refusal.message,
    ...(formatted.locations ? { locations: formatted.locations } : {}),
    ...(formatted.path ? { path: formatted.path } : {}),
    extensions: { ...refusal.details, code: refusal.code, status: refusal.status },
  };
}

/** Logs, once, what a caller is told only as INTERNAL or "unavailable", with the request's id. */
function logUnforeseen(translateError: TranslateError, log: Log): ApolloServerPlugin<RequestContext> {
  return {
    async requestDidStart() {
      return {
        async didEncounterErrors({ errors, contextValue, operationName }) {
          for (const error of errors) {
            const cause = unwrapResolverError(error);
            if (cause === error || cause === CALLER_GONE) continue;
            const refusal = refusalOf(cause, translateError);
            if (refusal.status < 500) continue;
            const at = { request_id: contextValue.requestId, operation: operationName, code: refusal.code };
            log.error({ ...at, err: cause }, 'an operation failed');
          }
        },
      };
    },
  };
}

const addRequestId: ApolloServerPlugin<RequestContext> = {
  async requestDidStart() {
    return {
      async willSendResponse({ response, contextValue }) {
        if (response.body.kind !== 'single') return;
        const { errors } = response.body.singleResult;
        if (!errors) return;
        response.body.singleResult.errors = errors.map((error) => ({
          ...error,
          extensions: { ...error.extensions, requestId: contextValue.requestId },
        }));
      },
    };
  },
};
