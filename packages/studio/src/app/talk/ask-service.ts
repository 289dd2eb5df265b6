import { DaybookError, NetworkError } from '@daybook/client'
import type { Studio } from './studio.ts'

/** A request of a plugin or of the auth adapter, which the client has no method for. */
export interface ServiceRequest {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  /** With its query, below the origin of the service. */
  readonly path: string
  /** Sent as JSON. */
  readonly body?: object
  readonly signal?: AbortSignal
}

const CODES: Readonly<Record<number, string>> = {
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  429: 'RATE_LIMITED',
  503: 'SERVICE_UNAVAILABLE',
}

/** The parts that a request needs. */
export type Asking = Pick<Studio, 'token' | 'renewal'>

/**
 * Asks the service of the page; `undefined` when it answers nothing. Where the session has ended, it waits until somebody has signed in
 * again, and asks once more.
 *
 * @throws {DaybookError}, also for answers in the form of another library; {NetworkError}
 */
export async function askService<Answer>(parts: Asking, request: ServiceRequest): Promise<Answer> {
  try {
    return await askOnce<Answer>(parts, request)
  } catch (error) {
    const hasEnded = error instanceof DaybookError && error.status === 401
    if (!hasEnded || !(await parts.renewal.ask())) throw error
    request.signal?.throwIfAborted()
    return askOnce<Answer>(parts, request)
  }
}

async function askOnce<Answer>({ token }: Asking, request: ServiceRequest): Promise<Answer> {
  const { method = 'GET', path, body, signal } = request
  const credential = token.get()
  const name = `${method} ${path.split('?')[0]}`
  const answer = await fetch(path, {
    method,
    credentials: 'same-origin',
    headers: {
      ...(credential === undefined ? {} : { Authorization: `Bearer ${credential}` }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  }).catch((cause: unknown) => {
    throw signal?.aborted ? cause : new NetworkError(name, 'was not answered', cause)
  })
  const text = await answer.text()
  if (answer.ok) return (text === '' ? undefined : JSON.parse(text)) as Answer
  throw toError(name, answer, text)
}

function toError(name: string, { status, headers }: Response, text: string): DaybookError {
  const said = readObject(text)
  const wait = Number(headers.get('retry-after'))
  return new DaybookError(name, {
    code: CODES[status] ?? (typeof said.code === 'string' ? said.code : 'UNEXPECTED_ANSWER'),
    status,
    message: typeof said.message === 'string' ? said.message : '',
    details: {},
    requestId: headers.get('x-request-id') ?? '',
    retryAfter: wait > 0 ? wait : undefined,
  })
}

function readObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}
