/** The routes of better-auth that take a session token, with its field in the body. */
const TOKEN_FIELDS: Readonly<Record<string, string>> = {
  '/revoke-session': 'token',
  '/admin/revoke-user-session': 'sessionToken',
  '/multi-session/revoke': 'sessionToken',
  '/multi-session/set-active': 'sessionToken',
}

/** A request with a session id, for a route of better-auth that takes a session token. */
export interface NamedSession {
  readonly sessionId: string
  readonly field: string
}

/** Returns the session of a request to better-auth that has a session id instead of a token. */
export function findNamedSession(path: string, body: unknown): NamedSession | undefined {
  const field = TOKEN_FIELDS[path]
  const { sessionId } = (body ?? {}) as { readonly sessionId?: unknown }
  return field !== undefined && typeof sessionId === 'string' ? { sessionId, field } : undefined
}

/**
 * Removes session tokens from a response of better-auth, because scripts in a page could read them: those of listed sessions, and that of
 * the request. The token of a new session stays, because programs send it as a bearer token.
 *
 * @param credential the session token of the request, with or without its signature
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
  const body: unknown = JSON.parse(text, (key, value) =>
    key === 'token' && value === token ? undefined : isSession(value) ? { ...value, token: undefined } : value,
  )
  return new Response(JSON.stringify(body), { status, headers })
}

function isSession(value: unknown): value is object {
  return typeof value === 'object' && value !== null && 'token' in value && 'userId' in value && 'expiresAt' in value
}
