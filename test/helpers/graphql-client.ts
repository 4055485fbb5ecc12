import type { Role } from '../../src/auth/actor.js';
import { signToken } from '../../src/auth/token.js';

export const JWT_SECRET = 'a-secret-for-tests-that-is-long-enough';

export interface GraphQLAnswer {
  status: number;
  // The tests read answers of many shapes; each asserts the one that it expects.
  data: Record<string, ReturnType<typeof JSON.parse>> | null | undefined;
  errors: { message: string; path?: unknown[]; extensions: Record<string, unknown> }[] | undefined;
}

export interface RequestOptions {
  variables?: Record<string, unknown>;
  headers?: Record<string, string>;
}

export type Send = (query: string, options?: RequestOptions) => Promise<GraphQLAnswer>;

export function tokenOf(role: Role, id: string): Promise<string> {
  return signToken({ role, id }, { secret: JWT_SECRET, issuer: 'folio', audience: 'folio', ttlSeconds: 600 });
}

/** Sends operations to `url` with this Authorization header, or with none. */
export function sender(url: string, authorization?: string): Send {
  return async (query, { variables = {}, headers = {} } = {}) => {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(authorization ? { authorization } : {}),
        ...headers,
      },
      body: JSON.stringify({ query, variables }),
    });
    const body = (await response.json()) as Omit<GraphQLAnswer, 'status'>;
    return { status: response.status, data: body.data, errors: body.errors };
  };
}

/** Of the first error. */
export function codeOf(answer: GraphQLAnswer): unknown {
  return answer.errors?.[0]?.extensions.code;
}
