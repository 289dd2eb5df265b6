import { ANONYMOUS, type Caller, isAuthenticated } from '../../auth/adapter.ts'
import { isInScope, reaches, type ScopedDocument } from '../../auth/scopes.ts'
import type { Issue } from '../../errors.ts'
import { PUBLISHED } from '../../fields/status.ts'
import type { CollectionModel, DocumentModel, FieldModel, Model } from '../../model/model.ts'
import type { AccessFilter } from '../../query/where.ts'
import type { Reader } from '../../store/reads/read.ts'
import type { Values } from '../document.ts'
import {
  type Action,
  askRule,
  filterFor,
  mayField,
  mayKnowPeople,
  type Ruled,
  type Ruling,
  refuseCaller,
  requireRuling,
  ruleOf,
} from './rules.ts'

const NO_HIDDEN_FIELDS: ReadonlySet<string> = new Set()
/** What nearly every read is told: no rule is in the way. */
const NO_FILTER: Promise<undefined> = Promise.resolve(undefined)
const ONLY_PUBLISHED: readonly string[] = [PUBLISHED]

/**
 * What a caller may see and do. It is made once for a request and handed down; a rule of the config that decides about reads is
 * asked when the first question depends on it, and once.
 */
export class Access {
  readonly model: Model
  readonly caller: Caller
  readonly isAuthenticated: boolean
  /** Made when the first rule is asked: most requests ask none. */
  #rulings: Map<string, Promise<Ruling>> | undefined
  #hidden: Map<string, ReadonlySet<string>> | undefined
  #people: Map<string, boolean> | undefined

  constructor(model: Model, caller: Caller) {
    this.model = model
    this.caller = caller
    this.isAuthenticated = isAuthenticated(caller)
  }

  /** Names what the caller may see where no rule is in the way: the same for all that have no scopes. */
  get key(): string {
    if (!this.isAuthenticated) return 'public'
    return this.caller.scopes === undefined ? 'session' : `session for ${this.caller.scopes.join(' ')}`
  }

  /** The caller as a collection or a global knows them: anonymous when the token's scopes do not cover it. */
  callerFor(document: ScopedDocument): Caller {
    return this.caller.scopes === undefined || reaches(this.caller, document) ? this.caller : ANONYMOUS
  }

  /** The answer of the config's read rule for the caller. Without a rule, everyone can read. */
  async rulingOnReads(document: Ruled): Promise<Ruling> {
    const rule = ruleOf(document, 'read')
    if (!rule) return true
    this.#rulings ??= new Map()
    const name = documentName(document)
    const known = this.#rulings.get(name)
    if (known) return known
    const ruling = askRule(this.model, document, 'read', rule, { ...this.callerFor(document) })
    this.#rulings.set(name, ruling)
    return ruling
  }

  /**
   * Lets a read through, or refuses it.
   *
   * @returns what entries must hold to be there for the caller; `undefined`: nothing
   * @throws UNAUTHORIZED, FORBIDDEN
   */
  requireRead(document: Ruled): Promise<AccessFilter | undefined> {
    return document.access.read ? this.#requireRuledRead(document) : NO_FILTER
  }

  async #requireRuledRead(document: Ruled): Promise<AccessFilter | undefined> {
    const filter = requireRuling(await this.rulingOnReads(document), this.caller, document, 'read')
    return filter && document.kind === 'collection' ? filterFor(this.model, document, filter) : filter
  }

  /**
   * Lets a write through, or refuses it. Without a rule, any session may write.
   *
   * @param entry what is changed or deleted, or what a change would make of it
   * @returns what the entry must hold besides, see {@link Access.requireMatch}
   * @throws UNAUTHORIZED, FORBIDDEN
   */
  async requireWrite(
    document: Ruled,
    action: Exclude<Action, 'read'>,
    entry?: Values,
  ): Promise<AccessFilter | undefined> {
    const rule = ruleOf(document, action)
    const asked = isInScope(this.caller, document, action) ? this.caller : ANONYMOUS
    const ruling = rule
      ? await askRule(this.model, document, action, rule, { ...asked, ...(entry ? { entry } : {}) })
      : isAuthenticated(asked)
    return requireRuling(ruling, this.caller, document, action)
  }

  /**
   * Checks an entry against what a write demands of it.
   *
   * @param demands what the refusal may say about it
   * @throws UNAUTHORIZED, FORBIDDEN
   */
  async requireMatch(
    read: Reader,
    collection: CollectionModel,
    id: string,
    filter: AccessFilter | undefined,
    demands: () => readonly Issue[] = () => [],
  ): Promise<void> {
    if (!filter || (await read.entries.statuses(collection, [id], filter.where)).length > 0) return
    refuseCaller(this.caller, `the access rules do not let you do this to that entry of ${collection.key}`, demands())
  }

  /** Top-level fields that do not exist for the caller. */
  hidden(document: DocumentModel): ReadonlySet<string> {
    if (document.guarded.length === 0) return NO_HIDDEN_FIELDS
    this.#hidden ??= new Map()
    const name = documentName(document)
    const known = this.#hidden.get(name) ?? this.#hiddenFields(document)
    this.#hidden.set(name, known)
    return known
  }

  #hiddenFields(document: DocumentModel): ReadonlySet<string> {
    const hidden = document.guarded.filter((field) => !this.#mayReadField(document, field))
    return new Set(hidden.map(({ key }) => key))
  }

  #mayReadField(document: DocumentModel, field: FieldModel): boolean {
    if (!mayField(document, field, 'read', this.callerFor(document))) return false
    const reverse = document.reverses.get(field.key)
    const referring = reverse && this.model.collections.get(reverse.to)
    const through = referring?.guarded.find(({ key }) => key === reverse?.throughOwner)
    return !referring || !through || mayField(referring, through, 'read', this.callerFor(referring))
  }

  /**
   * Whether the caller may know who made and last changed a document. Sessions may, unless the config says who may.
   *
   * @throws INTERNAL_ERROR when the rule throws
   */
  seesPeople(document: DocumentModel): boolean {
    const { peopleRule } = document
    if (typeof peopleRule !== 'function') return peopleRule ?? isAuthenticated(this.callerFor(document))
    this.#people ??= new Map()
    const name = documentName(document)
    const known = this.#people.get(name) ?? mayKnowPeople(document, peopleRule, this.callerFor(document))
    this.#people.set(name, known)
    return known
  }

  /**
   * Whether the rule of a field lets the caller write it.
   *
   * @throws INTERNAL_ERROR when the rule throws
   */
  mayWriteField(document: DocumentModel, field: FieldModel): boolean {
    return mayField(document, field, 'write', this.callerFor(document))
  }

  /** Whether the caller sees what is published, and nothing else. */
  seesPublicOnly(collection: CollectionModel): boolean {
    return collection.status !== undefined && !isAuthenticated(this.callerFor(collection))
  }

  /** Statuses that the caller may see; `undefined`: all of them. */
  statuses(collection: CollectionModel): readonly string[] | undefined {
    return this.seesPublicOnly(collection) ? ONLY_PUBLISHED : undefined
  }

  /** Whether an entry of this status exists for the caller. */
  isVisible(collection: CollectionModel, status: string | null): boolean {
    return status === PUBLISHED || !this.seesPublicOnly(collection)
  }

  /**
   * Names what the caller may see in all collections: equal for callers with the same access. `undefined` where rules of fields
   * decide about it, or a rule failed.
   */
  readKey(): Promise<string | undefined> | string | undefined {
    if (this.model.hasFieldRules) return undefined
    return this.model.restricted.length === 0 ? this.key : this.#ruledReadKey()
  }

  async #ruledReadKey(): Promise<string | undefined> {
    const rulings = [...(await this.rulingsOnReads()).values()]
    if (rulings.some((one) => one instanceof Error)) return undefined
    return JSON.stringify([
      this.key,
      ...rulings.map((one) => (typeof one === 'object' && 'name' in one ? one.name : one)),
    ])
  }

  /** The answers of the read rules of all collections; an error where one failed. */
  async rulingsOnReads(): Promise<ReadonlyMap<string, Ruling | Error>> {
    const rulings = new Map<string, Ruling | Error>()
    for (const one of this.model.restricted) {
      rulings.set(one.key, await this.rulingOnReads(one).catch(asError))
    }
    return rulings
  }
}

const documentName = ({ kind, key }: ScopedDocument): string => `${kind} ${key}`

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))
