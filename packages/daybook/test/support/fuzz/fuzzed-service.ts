import fc, { type Arbitrary } from 'fast-check'
import type { StoredService } from '../stores/stores.ts'
import { DOT, upload } from '../uploads.ts'
import type { FuzzValues } from './fuzz-requests.ts'

const ACCOUNT = { name: 'Ada', email: 'ada@example.org', password: 'a long one of mine' }
const MIN_ENTRIES = 5

/**
 * A service under fuzzing. It chooses values that the document leaves open: ids are mostly those of entries, and in a relation those
 * of the collection that the description names; `Idempotency-Key` is always new; `If-Match` is `*`; half of the sign-ins are those
 * of an account; a sign-out has a session.
 */
export class FuzzedService implements FuzzValues {
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

  /** Creates entries if few are left, and reads their ids. */
  async refill(collection: string): Promise<void> {
    const ids = await this.#list(collection)
    const entry = { [collection === 'people' ? 'name' : 'title']: 'An entry' }
    for (let n = ids.length; n < MIN_ENTRIES; n++) {
      if (collection === 'assets') await upload(this.#service, { content: DOT, name: 'dot.png' })
      else await this.#send(`/api/${collection}`, entry)
    }
    this.#ids.set(collection, ids.length < MIN_ENTRIES ? await this.#list(collection) : ids)
  }

  async #list(collection: string): Promise<readonly string[]> {
    // Only pictures, since image variants are requested of them.
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
    return this.#existingId(/entry of (\w+)/.exec(description)?.[1])
  }

  #existingId(collection: string | undefined): Arbitrary<string> {
    const ids = (): readonly string[] =>
      collection === undefined ? [...this.#ids.values()].flat() : (this.#ids.get(collection) ?? [])
    return fc.nat().map((n) => ids()[n % ids().length] ?? '')
  }

  segment(_operationId: string, path: string): Arbitrary<string> {
    const collection = /^\/api\/(\w+)\/\{/.exec(path)?.[1] ?? ''
    if (!this.#service.model.collections.has(collection)) return fc.stringMatching(/^[a-z]{1,8}$/)
    return fc.oneof({ weight: 9, arbitrary: this.#existingId(collection) }, { weight: 1, arbitrary: fc.uuid() })
  }

  headers(operationId: string): Arbitrary<Readonly<Record<string, string>>> {
    const token = (): string => (operationId === 'authLogout' ? this.#session : this.#service.token)
    // A generated key would repeat among a thousand.
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

  bodies(operationId: string, generated: Arbitrary<unknown>): Arbitrary<unknown> {
    if (operationId !== 'authLogin') return generated
    return fc.oneof(generated, fc.constant({ email: ACCOUNT.email, password: ACCOUNT.password }))
  }
}

/** Rules that the document cannot express, by the code of the issue that they raise. */
export const UNDOCUMENTED_RULES: Readonly<Record<string, string>> = {
  reference: 'A relation refers to an existing entry.',
  not_included: 'select and reverse may only reach into relations that include names.',
  unknown_field: 'A path in select or include continues with a field of the related collection.',
  repeated: 'sort names a field at most once, ascending or descending.',
  exclusive:
    'cursor excludes offset, locale=all excludes fallbackLocale, and deleted=true allows only limit and cursor.',
  maximum: 'An export and an undo begin at an existing number of the journal.',
  too_long: 'A query string has at most 8 KiB.',
  maxItems: 'A where has at most 50 filters, and an undo covers at most 10,000 changes.',
  depth: 'and, or and not are nested at most three levels.',
  size: 'Without a signature, h equals w.',
  image: 'An image variant needs an asset that is a picture.',
  unknown: 'collections names collections that the caller may read.',
  required: 'A merge patch leaves a valid value, and a restore of an existing entry names a revision.',
  merge: 'A merge patch leaves a valid value.',
  deleted: 'Only the restore of a deleted entry may change its slug.',
  order: 'An entry is published before it is unpublished.',
  draft: 'A draft keeps the status of its entry.',
  requires: 'nulls requires sort, and autosave requires draft=true.',
}
