import type { QueryParams } from './query.ts'
import type { CallOptions, Send } from './request.ts'

/** Implements `AuthClient` without its types. */
export class Auth {
  readonly #send: Send

  constructor(send: Send) {
    this.#send = send
  }

  session(options?: CallOptions): Promise<unknown> {
    return this.#get('session', options)
  }

  async actions(options?: CallOptions): Promise<unknown> {
    return ((await this.#get('actions', options)) as { readonly actions: unknown }).actions
  }

  permissions(options?: CallOptions): Promise<unknown> {
    return this.#get('permissions', options)
  }

  permissionsOn(document: QueryParams, options?: CallOptions): Promise<unknown> {
    return this.#get('permissions', options, document)
  }

  async people(subjects: readonly string[], options?: CallOptions): Promise<unknown> {
    return ((await this.#get('people', options, { subjects })) as { readonly people: unknown }).people
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
    const path = ['api', 'cms', 'auth', 'actions', name]
    return this.#send({ ...options, method: 'POST', path, body: input, expects: 'anything' })
  }

  #get(name: string, options: CallOptions | undefined, query: QueryParams = {}): Promise<unknown> {
    return this.#send({ ...options, method: 'GET', path: ['api', 'cms', 'auth', name], query })
  }
}
