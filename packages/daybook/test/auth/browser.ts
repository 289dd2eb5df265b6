import type { TestService } from 'daybook/testing'
import type { TestResponse } from '../support/scenarios/transports.ts'

export interface Sent {
  readonly method?: string
  readonly json?: unknown
  readonly form?: Readonly<Record<string, string>> | FormData
  readonly headers?: Readonly<Record<string, string>>
  readonly address?: string
}

export const ORIGIN = 'https://cms.example'
export const PASSWORD = 'correct horse battery'

export class Browser {
  readonly #service: Pick<TestService, 'fetch'>
  readonly cookies = new Map<string, string>()
  /** The `Set-Cookie` headers of the last response. */
  lastSet: readonly string[] = []

  constructor(service: Pick<TestService, 'fetch'>) {
    this.#service = service
  }

  async send(path: string, { json, form, address, ...options }: Sent = {}): Promise<TestResponse> {
    const headers = new Headers(options.headers)
    if (this.cookies.size > 0 && !headers.has('cookie'))
      headers.set('Cookie', [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '))
    const body = json === undefined ? createBody(form) : JSON.stringify(json)
    if (json !== undefined && !headers.has('content-type')) headers.set('Content-Type', 'application/json')
    const method = options.method ?? (body === undefined ? 'GET' : 'POST')
    const request = new Request(ORIGIN + path, { method, headers, ...(body === undefined ? {} : { body }) })
    const response = await this.#service.fetch(request, address === undefined ? {} : { address })
    this.#keep(response.headers.getSetCookie())
    return { status: response.status, headers: response.headers, text: await response.text() }
  }

  action(name: string, json: unknown = {}, sent: Sent = {}): Promise<TestResponse> {
    return this.send(`/api/cms/auth/actions/${name}`, { method: 'POST', json, ...sent })
  }

  async session(sent: Sent = {}): Promise<{ readonly authenticated: boolean } & Readonly<Record<string, never>>> {
    return JSON.parse((await this.send('/api/cms/auth/session', sent)).text)
  }

  register(email = 'ines@example.org', sent: Sent = {}): Promise<TestResponse> {
    return this.action('register', { name: 'Inés', email, password: PASSWORD }, sent)
  }

  login(email = 'ines@example.org', password = PASSWORD, sent: Sent = {}): Promise<TestResponse> {
    return this.action('login', { email, password }, sent)
  }

  #keep(set: readonly string[]): void {
    this.lastSet = set
    for (const cookie of set) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (/max-age=0/i.test(cookie)) this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
  }
}

function createBody(form: Sent['form']): string | FormData | URLSearchParams | undefined {
  return form === undefined || form instanceof FormData ? form : new URLSearchParams(form)
}
