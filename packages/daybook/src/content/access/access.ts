import { ANONYMOUS, type Caller, isAuthenticated } from '../../auth/adapter.ts'
import { canReach, isInScope, type ScopedDocument } from '../../auth/scopes.ts'
import { PUBLISHED } from '../../fields/status.ts'
import type { Issue } from '../../issues.ts'
import type { CollectionModel, DocumentModel, FieldModel, Model } from '../../model/model.ts'
import { type AccessFilter, type Condition, equals } from '../../query/where.ts'
import type { Reader } from '../../store/reads/reader.ts'
import type { Values } from '../documents/document.ts'
import {
  type AccessResult,
  type Action,
  adaptFilterToLocale,
  authorizeAction,
  type CollectionOrGlobal,
  canAccessField,
  canSeeAuthors,
  evaluateRule,
  getRule,
  probeRule,
  refuseCaller,
} from './rules.ts'

const NO_HIDDEN_FIELDS: ReadonlySet<string> = new Set()
/** What nearly every read is told: no rule is in the way. */
const NO_FILTER: Promise<undefined> = Promise.resolve(undefined)

/** Which entries of a collection exist for a caller in lists, searches, counts and relations. */
export interface Visibility {
  /** What an entry must hold; `undefined`: nothing. */
  readonly filter: AccessFilter | undefined
  /** True if only published entries exist. */
  readonly isPublishedOnly: boolean
  /** Names the caller where a rule decides about the drafts of each entry by itself: another caller may see other ones. */
  readonly draftCallerKey?: string
}

/**
 * What a caller may see and do. It is made once for a request and handed down; a rule of the config that decides about reads is
 * asked when the first question depends on it, and once.
 */
export class Access {
  readonly model: Model
  readonly caller: Caller
  readonly isAuthenticated: boolean
  /** Made when the first rule is asked: most requests ask none. */
  #rulings: Map<string, Promise<AccessResult>> | undefined
  #draftRulings: Map<string, Promise<AccessResult | 'entry'>> | undefined
  #visibilities: Map<string, Promise<Visibility | false>> | undefined
  #hidden: Map<string, ReadonlySet<string>> | undefined
  #people: Map<string, boolean> | undefined
  #authorized: Set<string> | undefined

  constructor(model: Model, caller: Caller) {
    this.model = model
    this.caller = caller
    this.isAuthenticated = isAuthenticated(caller)
  }

  /** Names what the caller may see where no rule is in the way: the same for all that have no scopes. */
  get callerKind(): string {
    if (!this.isAuthenticated) return 'public'
    return this.caller.scopes === undefined ? 'session' : `session for ${this.caller.scopes.join(' ')}`
  }

  /** The caller to store with work that is done later on their behalf; `null`: no rule decides about it. */
  get storedCaller(): Caller | null {
    const { principal, identity, scopes } = this.caller
    return { principal, identity, ...(scopes ? { scopes } : {}) }
  }

  /** The caller as a collection or a global knows them: anonymous when the token's scopes do not cover it. */
  callerFor(document: ScopedDocument): Caller {
    return this.caller.scopes === undefined || canReach(this.caller, document) ? this.caller : ANONYMOUS
  }

  /** The answer of the config's read rule for the caller. Without a rule, everyone can read. */
  async evaluateRead(document: CollectionOrGlobal): Promise<AccessResult> {
    const rule = getRule(document, 'read')
    if (!rule) return true
    this.#rulings ??= new Map()
    const name = documentName(document)
    const known = this.#rulings.get(name)
    if (known) return known
    const ruling = evaluateRule(this.model, document, 'read', rule, { ...this.callerFor(document) })
    this.#rulings.set(name, ruling)
    return ruling
  }

  /**
   * Lets a read through, or refuses it.
   *
   * @returns what entries must hold to be there for the caller; `undefined`: nothing
   * @throws UNAUTHORIZED, FORBIDDEN
   */
  authorizeRead(document: CollectionOrGlobal): Promise<AccessFilter | undefined> {
    return document.access.read ? this.#requireRuledRead(document) : NO_FILTER
  }

  async #requireRuledRead(document: CollectionOrGlobal): Promise<AccessFilter | undefined> {
    const filter = authorizeAction(await this.evaluateRead(document), this.caller, document, 'read')
    return filter && document.kind === 'collection' ? adaptFilterToLocale(this.model, document, filter) : filter
  }

  /**
   * Lets a write through, or refuses it. Without a rule, any session may write.
   *
   * @param entry what is changed or deleted, or what a change would make of it
   * @returns what the entry must hold besides, see {@link Access.authorizeEntry}
   * @throws UNAUTHORIZED, FORBIDDEN
   */
  async authorizeWrite(
    document: CollectionOrGlobal,
    action: Exclude<Action, 'read'>,
    entry?: Values,
  ): Promise<AccessFilter | undefined> {
    return authorizeAction(await this.evaluateWrite(document, action, entry), this.caller, document, action)
  }

  /**
   * Refuses a caller who may write no entry whatever it holds.
   *
   * @throws UNAUTHORIZED, FORBIDDEN
   */
  async authorizeSomeWrite(document: CollectionModel, action: Exclude<Action, 'read'>): Promise<void> {
    this.#noteAuthorized(document)
    const rule = getRule(document, action)
    const caller = isInScope(this.caller, document, action) ? this.caller : ANONYMOUS
    const ruling = rule ? await probeRule(this.model, document, action, rule, caller) : isAuthenticated(caller)
    authorizeAction(ruling !== false, this.caller, document, action)
  }

  /**
   * The answer of the config's rule for a write. Without a rule, any session may write.
   *
   * @param entry see {@link Access.authorizeWrite}
   * @throws INTERNAL_ERROR when the rule fails
   */
  async evaluateWrite(
    document: CollectionOrGlobal,
    action: Exclude<Action, 'read'>,
    entry?: Values,
  ): Promise<AccessResult> {
    this.#noteAuthorized(document)
    const rule = getRule(document, action)
    const caller = isInScope(this.caller, document, action) ? this.caller : ANONYMOUS
    if (!rule) return isAuthenticated(caller)
    return evaluateRule(this.model, document, action, rule, { ...caller, ...(entry ? { entry } : {}) })
  }

  #noteAuthorized(document: ScopedDocument): void {
    this.#authorized ??= new Set()
    this.#authorized.add(documentName(document))
  }

  /** True if a rule for writes of a document was asked about the caller. */
  hasAuthorized(document: ScopedDocument): boolean {
    return this.#authorized?.has(documentName(document)) ?? false
  }

  /**
   * Checks an entry against what a write demands of it.
   *
   * @param demands what the refusal may say about it
   * @throws UNAUTHORIZED, FORBIDDEN
   */
  async authorizeEntry(
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
    if (!canAccessField(document, field, 'read', this.callerFor(document))) return false
    const reverse = document.reverseFields.get(field.key)
    const referring = reverse && this.model.collections.get(reverse.to)
    const through = referring?.guarded.find(({ key }) => key === reverse?.throughOwner)
    return !referring || !through || canAccessField(referring, through, 'read', this.callerFor(referring))
  }

  /**
   * Whether the caller may know who made and last changed a document. Sessions may, unless the config says who may.
   *
   * @throws INTERNAL_ERROR when the rule throws
   */
  canSeeAuthors(document: DocumentModel): boolean {
    const { authorRule: peopleRule } = document
    if (typeof peopleRule !== 'function') return peopleRule ?? isAuthenticated(this.callerFor(document))
    this.#people ??= new Map()
    const name = documentName(document)
    const known = this.#people.get(name) ?? canSeeAuthors(document, peopleRule, this.callerFor(document))
    this.#people.set(name, known)
    return known
  }

  /**
   * Whether the rule of a field lets the caller write it.
   *
   * @throws INTERNAL_ERROR when the rule throws
   */
  canWriteField(document: DocumentModel, field: FieldModel): boolean {
    return canAccessField(document, field, 'write', this.callerFor(document))
  }

  /**
   * What the config decides about drafts in general. Without a session there are none; without a rule, every session sees them.
   *
   * @returns `entry` when the rule for `update` decides by what it receives as `entry`, see `content/drafts/draft-access.ts`
   * @throws INTERNAL_ERROR when a rule fails
   */
  async evaluateDraftAccess(collection: CollectionModel): Promise<AccessResult | 'entry'> {
    if (!collection.status) return true
    const { draft, update } = collection.access
    const isInReach = draft ? canReach(this.caller, collection) : isInScope(this.caller, collection, 'update')
    const rule = draft ?? update
    if (!this.isAuthenticated || !isInReach || !rule) return this.isAuthenticated && isInReach
    this.#draftRulings ??= new Map()
    const ruling =
      this.#draftRulings.get(collection.key) ??
      probeRule(this.model, collection, draft ? 'draft' : 'update', rule, this.caller)
    this.#draftRulings.set(collection.key, ruling)
    return ruling
  }

  /**
   * Which entries exist for the caller, in sets of entries: the rule for reads and the rule about drafts together. A rule that decides by
   * the `entry` cannot narrow a set; for such a rule, only published entries exist.
   *
   * @returns `false` when the caller may not read the collection
   * @throws INTERNAL_ERROR when a rule fails
   */
  async resolveVisibility(collection: CollectionModel): Promise<Visibility | false> {
    this.#visibilities ??= new Map()
    const visibility = this.#visibilities.get(collection.key) ?? this.#combine(collection)
    this.#visibilities.set(collection.key, visibility)
    return visibility
  }

  async #combine(collection: CollectionModel): Promise<Visibility | false> {
    const reads = await this.evaluateRead(collection)
    if (reads === false) return false
    const filter = reads === true ? undefined : reads
    const drafts = await this.evaluateDraftAccess(collection)
    if (typeof drafts === 'object') return { filter: publishedOr(collection, drafts, filter), isPublishedOnly: false }
    if (drafts !== 'entry') return { filter, isPublishedOnly: !drafts }
    const { identity } = this.caller
    return {
      filter,
      isPublishedOnly: true,
      draftCallerKey: JSON.stringify([identity?.provider, identity?.subject, identity?.sessionId]),
    }
  }

  /** True if only published entries exist for the caller in a collection without rules: without a session that may update them. */
  seesPublishedOnly(collection: CollectionModel): boolean {
    return collection.status !== undefined && !(this.isAuthenticated && isInScope(this.caller, collection, 'update'))
  }

  /**
   * Names what the caller may see in all collections: equal for callers with the same access. `undefined` where rules of fields
   * decide about it, or a rule failed.
   */
  cacheKey(): Promise<string | undefined> | string | undefined {
    if (this.model.hasFieldRules) return undefined
    return this.#restricted.length === 0 ? this.callerKind : this.#ruledReadKey()
  }

  async #ruledReadKey(): Promise<string | undefined> {
    const visibilities = [...(await this.resolveVisibilities()).values()]
    if (visibilities.some((one) => one instanceof Error)) return undefined
    const names = visibilities.map((one) => one && !(one instanceof Error) && { ...one, filter: one.filter?.cacheKey })
    return JSON.stringify([this.callerKind, ...names])
  }

  /** The visibility in each collection of which a rule decides it; an error where a rule failed. */
  async resolveVisibilities(): Promise<ReadonlyMap<string, Visibility | false | Error>> {
    const visibilities = new Map<string, Visibility | false | Error>()
    for (const one of this.#restricted) visibilities.set(one.key, await this.resolveVisibility(one).catch(asError))
    return visibilities
  }

  /** True if a rule of the config decides what the caller sees: it is asked for each request. */
  get hasReadRules(): boolean {
    return this.model.hasReadRules || this.#restricted.length > 0
  }

  get #restricted(): readonly CollectionModel[] {
    return this.isAuthenticated ? this.model.restrictedForSessions : this.model.restricted
  }
}

/** The entries that match a rule about reads, if there is one, and are published or match a rule about drafts. */
function publishedOr(collection: CollectionModel, drafts: AccessFilter, reads: AccessFilter | undefined): AccessFilter {
  const published = wherePublished(collection)
  if (!published) return drafts
  const either: Condition = { kind: 'any', of: [published, drafts.where] }
  const name = `{"or":[{${JSON.stringify(collection.status?.key)}:{"eq":"${PUBLISHED}"}},${drafts.cacheKey}]}`
  return reads
    ? { where: { kind: 'all', of: [reads.where, either] }, cacheKey: `{"and":[${reads.cacheKey},${name}]}` }
    : { where: either, cacheKey: name }
}

/** The condition that an entry is published; `undefined` in a collection without a status. */
export function wherePublished({ status, filterableFields: comparables }: CollectionModel): Condition | undefined {
  const by = status && comparables.get(status.key)
  return by && equals(by, PUBLISHED)
}

const documentName = ({ kind, key }: ScopedDocument): string => `${kind} ${key}`

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))
