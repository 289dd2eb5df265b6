import type { CallOptions, Send } from './request.ts'

/** What `AuthClient` promises, without its types. */
export class Auth {
  readonly #send: Send

  constructor(send: Send) {
    this.#send = send
  }

  session(options: CallOptions = {}): Promise<unknown> {
    return this.#send({ ...options, method: 'GET', path: ['cms', 'auth', 'session'] })
  }

  async actions(options: CallOptions = {}): Promise<unknown> {
    const call = { method: 'GET', path: ['cms', 'auth', 'actions'] } as const
    return ((await this.#send({ ...options, ...call })) as { readonly actions: unknown }).actions
  }

  permissions(options: CallOptions = {}): Promise<unknown> {
    return this.#send({ ...options, method: 'GET', path: ['cms', 'auth', 'permissions'] })
  }

  async people(subjects: readonly string[], options: CallOptions = {}): Promise<unknown> {
    const call = { method: 'GET', path: ['cms', 'auth', 'people'], query: { subjects } } as const
    return ((await this.#send({ ...options, ...call })) as { readonly people: unknown }).people
  }

  login(credentials: object, options?: CallOptions): Promise<unknown> {
    return this.action('login', credentials, options)
  }

  register(account: object, options?: CallOptions): Promise<unknown> {
    return this.action('register', account, options)
  }

  async logout(options?: CallOptions): Promise<void> {
    await this.action('logout', {}, options)
  }

  action(name: string, input: object = {}, options: CallOptions = {}): Promise<unknown> {
    const path = ['cms', 'auth', 'actions', name]
    return this.#send({ ...options, method: 'POST', path, body: input, holds: 'anything' })
  }
}
