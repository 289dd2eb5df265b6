import type { TestService } from 'daybook/testing'
import { expectDocumented } from '../../support/scenarios/documented.ts'

export interface EditorResponse {
  readonly status: number
  readonly headers: Headers
  readonly tag: string
  readonly body: Readonly<Record<string, unknown>> & {
    readonly id: string
    readonly code?: string
    readonly details?: { readonly issues?: readonly { readonly path: string; readonly code: string }[] } & Record<
      string,
      unknown
    >
    readonly items: readonly Readonly<Record<string, unknown>>[]
  }
}

export interface EditorRequest {
  /** The bearer token; `null` for none. @default 'ann' */
  readonly as?: string | null
  readonly ifMatch?: string
  readonly type?: string
}

/** Sends requests of editors, whose bearer token is their name, and checks every response against the OpenAPI document. */
export class Editor {
  readonly #service: TestService

  constructor(service: TestService) {
    this.#service = service
  }

  async send(
    method: string,
    path: string,
    json?: unknown,
    { as = 'ann', ifMatch, type }: EditorRequest = {},
  ): Promise<EditorResponse> {
    const headers = {
      ...(as === null ? {} : { Authorization: `Bearer ${as}` }),
      ...(ifMatch === undefined ? {} : { 'If-Match': ifMatch }),
      ...(json === undefined ? {} : { 'Content-Type': type ?? 'application/json' }),
    }
    const body = json === undefined ? undefined : JSON.stringify(json)
    const response = await this.#service.request(path, { method, headers, ...(body === undefined ? {} : { body }) })
    const received = { status: response.status, headers: response.headers, text: await response.text() }
    await expectDocumented(this.#service, { method, path, headers, body }, received)
    return {
      status: received.status,
      headers: received.headers,
      tag: received.headers.get('ETag') ?? '',
      body: received.text === '' ? {} : JSON.parse(received.text),
    }
  }

  get(path: string, as: string | null = 'ann'): Promise<EditorResponse> {
    return this.send('GET', path, undefined, { as })
  }

  put(path: string, json: unknown, said?: EditorRequest): Promise<EditorResponse> {
    return this.send('PUT', path, json, said)
  }

  post(path: string, json?: unknown, said?: EditorRequest): Promise<EditorResponse> {
    return this.send('POST', path, json, said)
  }

  delete(path: string, said?: EditorRequest): Promise<EditorResponse> {
    return this.send('DELETE', path, undefined, said)
  }
}
