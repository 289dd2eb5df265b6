/** The routes of better-auth that take the token of a session, with the field of the body that has it. */
const TOKEN_FIELDS: Readonly<Record<string, string>> = {
  '/revoke-session': 'token',
  '/admin/revoke-user-session': 'sessionToken',
  '/multi-session/revoke': 'sessionToken',
  '/multi-session/set-active': 'sessionToken',
}

/** A request that names a session by its id, at a route of better-auth that takes its token. */
export interface NamedSession {
  readonly sessionId: string
  /** The field of the body that takes the token. */
  readonly field: string
}

/** The session that a request to better-auth names by its id, if it does. */
export function findNamedSession(path: string, body: unknown): NamedSession | undefined {
  const field = TOKEN_FIELDS[path]
  const { sessionId } = (body ?? {}) as { readonly sessionId?: unknown }
  return field !== undefined && typeof sessionId === 'string' ? { sessionId, field } : undefined
}

/**
 * Removes tokens of sessions from an answer of better-auth, where a script in a page could read them: those of listed sessions, and that of
 * the session that the request came with. The token of a session that the request began stays: programs send it as a bearer token.
 *
 * @param credential the session's token that the request came with, with or without its signature
 */
export async function withoutSessionTokens(response: Response, credential: string | undefined): Promise<Response> {
  const { status } = response
  const headers = new Headers(response.headers)
  if (credential !== undefined) headers.delete('set-auth-token')
  const isJson = headers.get('content-type')?.startsWith('application/json') === true
  const text = isJson ? await response.text() : ''
  if (text === '') return new Response(isJson ? null : response.body, { status, headers })
  headers.delete('content-length')
  const [token] = credential?.split('.') ?? []
  const answer: unknown = JSON.parse(text, (key, value) =>
    key === 'token' && value === token ? undefined : isSession(value) ? { ...value, token: undefined } : value,
  )
  return new Response(JSON.stringify(answer), { status, headers })
}

function isSession(value: unknown): value is object {
  return typeof value === 'object' && value !== null && 'token' in value && 'userId' in value && 'expiresAt' in value
}
