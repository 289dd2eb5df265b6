import type { TestService } from 'daybook/testing'
import { expect } from 'vitest'
import { expectDocumented } from './documented.ts'
import { expectSane } from './sane.ts'
import type { TestResponse } from './transports.ts'

export interface RequestOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  /** The raw body, with the type JSON unless `headers` has another one. */
  readonly raw?: string | Uint8Array
  /** Sends the service token. @default true for everything but GET and HEAD */
  readonly auth?: boolean
}

/** Sends a request to a service in the process, and checks the response with {@link expectSane}. A 5xx fails the test. */
export async function sendRequest(
  service: TestService,
  path: string,
  options: RequestOptions = {},
): Promise<TestResponse> {
  const { fetch, token } = service
  const { method = 'GET', json, raw = json === undefined ? undefined : JSON.stringify(json) } = options
  const isRead = method === 'GET' || method === 'HEAD'
  const headers = {
    ...((options.auth ?? !isRead) ? { Authorization: `Bearer ${token}` } : {}),
    ...(raw === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...options.headers,
  }
  const request = new Request(`http://daybook.test${path}`, {
    method,
    headers,
    ...(raw === undefined ? {} : { body: raw }),
  })
  const fetched = await fetch(request)
  const response = { status: fetched.status, headers: fetched.headers, text: await fetched.text() }
  if (response.status >= 500) expect.fail(`${method} ${path}: ${response.status} ${response.text.slice(0, 300)}`)
  expectSane(response, method)
  await expectDocumented(service, { method, path, headers, body: raw }, response)
  return response
}

export const parseBody = (response: TestResponse): Readonly<Record<string, unknown>> => JSON.parse(response.text)

/** Reads the text of a response; empty for live events, which have no end. */
export async function textOf(response: Response): Promise<string> {
  if (response.headers.get('content-type') !== 'text/event-stream') return response.text()
  await response.body?.cancel()
  return ''
}
