import fc, { type Arbitrary } from 'fast-check'
import type { StoredService } from '../stores/stores.ts'
import { DOT, upload } from '../uploads.ts'
import type { World } from './fuzz-requests.ts'

const ACCOUNT = { name: 'Ada', email: 'ada@example.org', password: 'a long one of mine' }
/** How many entries each collection has at least while it is asked. */
const FEWEST = 5

/**
 * A service under fuzzing. Decides what the document leaves open: ids are mostly those of entries, those in a relation of
 * entries of the collection that its description names, `Idempotency-Key` is always a new one, `If-Match` is `*`, a sign-in is
 * half the time that of an account, and a sign-out that of a session.
 */
export class FuzzWorld implements World {
  readonly #service: StoredService
  readonly #ids = new Map<string, readonly string[]>()
  #keys = 0
  #session = ''

  constructor(service: StoredService) {
    this.#service = service
  }

  async open(): Promise<void> {
    await this.#send('/api/cms/auth/actions/register', ACCOUNT)
    await this.#send('/api/globals/site', { name: 'A site' }, 'PUT')
    await this.refillAll()
  }

  async refillAll(): Promise<void> {
    for (const collection of this.#service.model.collections.keys()) await this.refill(collection)
  }

  /** Makes entries where few are left, and looks which there are. */
  async refill(collection: string): Promise<void> {
    const known = await this.#list(collection)
    const entry = { [collection === 'people' ? 'name' : 'title']: 'An entry' }
    for (let n = known.length; n < FEWEST; n++) {
      if (collection === 'assets') await upload(this.#service, { content: DOT, name: 'dot.png' })
      else await this.#send(`/api/${collection}`, entry)
    }
    this.#ids.set(collection, known.length < FEWEST ? await this.#list(collection) : known)
  }

  async #list(collection: string): Promise<readonly string[]> {
    // Of the files that uploads made, those that are pictures: images are made of them.
    const filter = collection === 'assets' ? '&where[mimeType][eq]=image/png' : ''
    const response = await this.#service.request(`/api/${collection}?select=id&limit=100${filter}`, {
      headers: { Authorization: `Bearer ${this.#service.token}` },
    })
    const { items } = (await response.json()) as { readonly items: readonly { readonly id: string }[] }
    return items.map(({ id }) => id)
  }

  /** Signs in, for an operation that ends sessions. */
  async signIn(): Promise<void> {
    const { token } = (await (await this.#send('/api/cms/auth/actions/login', ACCOUNT)).json()) as {
      readonly token: string
    }
    this.#session = token
  }

  #send(path: string, json: object, method = 'POST'): Promise<Response> {
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${this.#service.token}` }
    return this.#service.request(path, { method, headers, body: JSON.stringify(json) })
  }

  id(description: string): Arbitrary<string> {
    return this.#known(/entry of (\w+)/.exec(description)?.[1])
  }

  #known(collection: string | undefined): Arbitrary<string> {
    const ids = (): readonly string[] =>
      collection === undefined ? [...this.#ids.values()].flat() : (this.#ids.get(collection) ?? [])
    return fc.nat().map((n) => ids()[n % ids().length] ?? '')
  }

  segment(_operationId: string, path: string): Arbitrary<string> {
    const collection = /^\/api\/(\w+)\/\{/.exec(path)?.[1] ?? ''
    if (!this.#service.model.collections.has(collection)) return fc.stringMatching(/^[a-z]{1,8}$/)
    return fc.oneof({ weight: 9, arbitrary: this.#known(collection) }, { weight: 1, arbitrary: fc.uuid() })
  }

  headers(operationId: string): Arbitrary<Readonly<Record<string, string>>> {
    const token = (): string => (operationId === 'authLogout' ? this.#session : this.#service.token)
    // A generated key would come again among a thousand.
    const nextKey = (): string => {
      this.#keys += 1
      return `request-${this.#keys}`
    }
    return fc.tuple(fc.boolean(), fc.boolean()).map(([hasKey, isAny]) => ({
      Authorization: `Bearer ${token()}`,
      ...(hasKey ? { 'Idempotency-Key': nextKey() } : {}),
      ...(isAny ? { 'If-Match': '*' } : {}),
    }))
  }

  bodies(operationId: string, made: Arbitrary<unknown>): Arbitrary<unknown> {
    if (operationId !== 'authLogin') return made
    return fc.oneof(made, fc.constant({ email: ACCOUNT.email, password: ACCOUNT.password }))
  }
}

/** Reasons for which a request is refused that its document takes: what it cannot say, by the code of the issue. */
export const UNSAID: Readonly<Record<string, string>> = {
  reference: 'A relation names an entry that is there.',
  not_included: 'select and reverse reach into what include names.',
  unknown_field: 'A path in select or include goes on to a field of the related collection.',
  repeated: 'sort names a field once, whether it descends or not.',
  exclusive:
    'Of cursor and offset, of locale=all and fallbackLocale, one is given; deleted=true goes with limit and cursor alone.',
  maximum: 'An export and an undo begin at a number that the journal has come to.',
  too_long: 'A query string has at most 8 KiB.',
  maxItems: 'A filter has at most 50 conditions in all, and an undo looks at 10,000 changes at most.',
  depth: 'and, or and not are nested at most three levels.',
  size: 'Without a signature, h is equal to w.',
  image: 'A picture is made of assets that are pictures.',
  unknown: 'collections names what the reader may read.',
  required: 'A merge patch leaves a value whole, and a restore of an entry that is there names a revision.',
  merge: 'A merge patch leaves a value whole.',
  deleted: 'A restore gives another slug to a deleted entry alone.',
  order: 'An entry is published before it is unpublished.',
  draft: 'A working copy keeps the status of its entry.',
  requires: 'nulls stands with sort, and autosave goes with draft=true.',
}
