import type { TestService } from 'daybook/testing'
import { expect } from 'vitest'
import { expectDocumented } from './documented.ts'
import { expectSane } from './sane.ts'
import type { TestResponse } from './transports.ts'

/** What a request may say. */
export interface RequestOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  /** Sent as it stands, as JSON unless `headers` say otherwise. */
  readonly raw?: string | Uint8Array
  /** Sends the service token. @default true for everything but GET and HEAD */
  readonly auth?: boolean
}

/** Asks a service in the process; every answer is checked as {@link expectSane} does, and none is a 5xx. */
export async function ask(service: TestService, path: string, asked: RequestOptions = {}): Promise<TestResponse> {
  const { fetch, token } = service
  const { method = 'GET', json, raw = json === undefined ? undefined : JSON.stringify(json) } = asked
  const isRead = method === 'GET' || method === 'HEAD'
  const headers = {
    ...((asked.auth ?? !isRead) ? { Authorization: `Bearer ${token}` } : {}),
    ...(raw === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...asked.headers,
  }
  const request = new Request(`http://daybook.test${path}`, {
    method,
    headers,
    ...(raw === undefined ? {} : { body: raw }),
  })
  const response = await fetch(request)
  const answer = { status: response.status, headers: response.headers, text: await response.text() }
  if (answer.status >= 500) expect.fail(`${method} ${path}: ${answer.status} ${answer.text.slice(0, 300)}`)
  expectSane(answer, method)
  await expectDocumented(service, { method, path, headers, body: raw }, answer)
  return answer
}

/** The body of an answer. */
export const bodyOf = (answer: TestResponse): Readonly<Record<string, unknown>> => JSON.parse(answer.text)

/** The text of an answer; of live events, which have no end, none. */
export async function textOf(response: Response): Promise<string> {
  if (response.headers.get('content-type') !== 'text/event-stream') return response.text()
  await response.body?.cancel()
  return ''
}
