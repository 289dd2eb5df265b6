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
/** The result of reads without an access rule, shared because nearly all reads have none. */
const NO_FILTER: Promise<undefined> = Promise.resolve(undefined)

/** The entries of a collection that exist for a caller in lists, searches, counts and relations. */
export interface Visibility {
  /** The filter that visible entries match; `undefined`: all entries do. */
  readonly filter: AccessFilter | undefined
  /** True if only published entries exist. */
  readonly isPublishedOnly: boolean
  /** Identifies the caller if a rule decides about each draft separately, so that callers may see different drafts. */
  readonly draftCallerKey?: string
}

/** The rights of a caller, created for each request. A read rule is evaluated at most once, when a result first depends on it. */
export class Access {
  readonly model: Model
  readonly caller: Caller
  readonly isAuthenticated: boolean
  /** Created when the first rule is evaluated, since most requests evaluate none. */
  #readResults: Map<string, Promise<AccessResult>> | undefined
  #draftResults: Map<string, Promise<AccessResult | 'entry'>> | undefined
  #visibilities: Map<string, Promise<Visibility | false>> | undefined
  #hiddenFields: Map<string, ReadonlySet<string>> | undefined
  #authorsVisible: Map<string, boolean> | undefined
  #evaluatedWrites: Set<string> | undefined

  constructor(model: Model, caller: Caller) {
    this.model = model
    this.caller = caller
    this.isAuthenticated = isAuthenticated(caller)
  }

  /** The key of the caller's rights without rules; equal for all callers with a session and without scopes. */
  get callerKind(): string {
    if (!this.isAuthenticated) return 'public'
    return this.caller.scopes === undefined ? 'session' : `session for ${this.caller.scopes.join(' ')}`
  }

  /** The caller to store with work that runs later on their behalf; `null`: no rule applies to it. */
  get storedCaller(): Caller | null {
    const { principal, identity, scopes } = this.caller
    return { principal, identity, ...(scopes ? { scopes } : {}) }
  }

  /** Returns the caller for a collection or a global: anonymous if the token's scopes do not cover it. */
  callerFor(document: ScopedDocument): Caller {
    return this.caller.scopes === undefined || canReach(this.caller, document) ? this.caller : ANONYMOUS
  }

  /** Evaluates the read rule for the caller. Without a rule, everyone can read. */
  async evaluateRead(document: CollectionOrGlobal): Promise<AccessResult> {
    const rule = getRule(document, 'read')
    if (!rule) return true
    this.#readResults ??= new Map()
    const name = getDocumentName(document)
    const cached = this.#readResults.get(name)
    if (cached) return cached
    const result = evaluateRule(this.model, document, 'read', rule, { ...this.callerFor(document) })
    this.#readResults.set(name, result)
    return result
  }

  /**
   * Authorizes a read.
   *
   * @returns the filter that visible entries match; `undefined`: all entries do
   * @throws UNAUTHORIZED, FORBIDDEN
   */
  authorizeRead(document: CollectionOrGlobal): Promise<AccessFilter | undefined> {
    return document.access.read ? this.#authorizeRuledRead(document) : NO_FILTER
  }

  async #authorizeRuledRead(document: CollectionOrGlobal): Promise<AccessFilter | undefined> {
    const filter = authorizeAction(await this.evaluateRead(document), this.caller, document, 'read')
    return filter && document.kind === 'collection' ? adaptFilterToLocale(this.model, document, filter) : filter
  }

  /**
   * Authorizes a write. Without a rule, any session may write.
   *
   * @param entry the entry before the change or deletion, or as it would be after the change
   * @returns the filter that the entry must also match, see {@link Access.authorizeEntry}
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
   * Rejects a caller who cannot write any entry, whatever its values.
   *
   * @throws UNAUTHORIZED, FORBIDDEN
   */
  async authorizeSomeWrite(document: CollectionModel, action: Exclude<Action, 'read'>): Promise<void> {
    this.#recordEvaluated(document)
    const rule = getRule(document, action)
    const caller = isInScope(this.caller, document, action) ? this.caller : ANONYMOUS
    const result = rule ? await probeRule(this.model, document, action, rule, caller) : isAuthenticated(caller)
    authorizeAction(result !== false, this.caller, document, action)
  }

  /**
   * Evaluates the rule for a write. Without a rule, any session may write.
   *
   * @param entry see {@link Access.authorizeWrite}
   * @throws INTERNAL_ERROR if the rule fails
   */
  async evaluateWrite(
    document: CollectionOrGlobal,
    action: Exclude<Action, 'read'>,
    entry?: Values,
  ): Promise<AccessResult> {
    this.#recordEvaluated(document)
    const rule = getRule(document, action)
    const caller = isInScope(this.caller, document, action) ? this.caller : ANONYMOUS
    if (!rule) return isAuthenticated(caller)
    return evaluateRule(this.model, document, action, rule, { ...caller, ...(entry ? { entry } : {}) })
  }

  #recordEvaluated(document: ScopedDocument): void {
    this.#evaluatedWrites ??= new Set()
    this.#evaluatedWrites.add(getDocumentName(document))
  }

  hasAuthorized(document: ScopedDocument): boolean {
    return this.#evaluatedWrites?.has(getDocumentName(document)) ?? false
  }

  /**
   * Authorizes a write of an entry by the filter of its rule.
   *
   * @param listIssues returns the issues to report if the entry does not match
   * @throws UNAUTHORIZED, FORBIDDEN
   */
  async authorizeEntry(
    read: Reader,
    collection: CollectionModel,
    id: string,
    filter: AccessFilter | undefined,
    listIssues: () => readonly Issue[] = () => [],
  ): Promise<void> {
    if (!filter || (await read.entries.statuses(collection, [id], filter.where)).length > 0) return
    refuseCaller(this.caller, `the access rules do not allow this for that entry of ${collection.key}`, listIssues())
  }

  /** Returns the keys of the top-level fields that do not exist for the caller. */
  hidden(document: DocumentModel): ReadonlySet<string> {
    if (document.guarded.length === 0) return NO_HIDDEN_FIELDS
    this.#hiddenFields ??= new Map()
    const name = getDocumentName(document)
    const hidden = this.#hiddenFields.get(name) ?? this.#findHiddenFields(document)
    this.#hiddenFields.set(name, hidden)
    return hidden
  }

  #findHiddenFields(document: DocumentModel): ReadonlySet<string> {
    const hidden = document.guarded.filter((field) => !this.#canReadField(document, field))
    return new Set(hidden.map(({ key }) => key))
  }

  #canReadField(document: DocumentModel, field: FieldModel): boolean {
    if (!canAccessField(document, field, 'read', this.callerFor(document))) return false
    const reverse = document.reverseFields.get(field.key)
    const referring = reverse && this.model.collections.get(reverse.to)
    const through = referring?.guarded.find(({ key }) => key === reverse?.throughOwner)
    return !referring || !through || canAccessField(referring, through, 'read', this.callerFor(referring))
  }

  /**
   * Returns true if the caller may see the authors of a document. Callers with a session may, unless the config has a rule.
   *
   * @throws INTERNAL_ERROR if the rule throws
   */
  canSeeAuthors(document: DocumentModel): boolean {
    const { authorRule } = document
    if (typeof authorRule !== 'function') return authorRule ?? isAuthenticated(this.callerFor(document))
    this.#authorsVisible ??= new Map()
    const name = getDocumentName(document)
    const canSee = this.#authorsVisible.get(name) ?? canSeeAuthors(document, authorRule, this.callerFor(document))
    this.#authorsVisible.set(name, canSee)
    return canSee
  }

  /**
   * Returns true if the rule of a field lets the caller write it.
   *
   * @throws INTERNAL_ERROR if the rule throws
   */
  canWriteField(document: DocumentModel, field: FieldModel): boolean {
    return canAccessField(document, field, 'write', this.callerFor(document))
  }

  /**
   * Evaluates the rule for drafts in general. Without a session no drafts exist; without a rule, every session sees them.
   *
   * @returns `entry` if the rule for `update` depends on its `entry`, see `findVisibleDrafts`
   * @throws INTERNAL_ERROR if a rule fails
   */
  async evaluateDraftAccess(collection: CollectionModel): Promise<AccessResult | 'entry'> {
    if (!collection.status) return true
    const { draft, update } = collection.access
    const isInReach = draft ? canReach(this.caller, collection) : isInScope(this.caller, collection, 'update')
    const rule = draft ?? update
    if (!this.isAuthenticated || !isInReach || !rule) return this.isAuthenticated && isInReach
    this.#draftResults ??= new Map()
    const result =
      this.#draftResults.get(collection.key) ??
      probeRule(this.model, collection, draft ? 'draft' : 'update', rule, this.caller)
    this.#draftResults.set(collection.key, result)
    return result
  }

  /**
   * Combines the rules for reads and for drafts into the visibility of entries in lists. A rule that depends on the `entry` cannot
   * filter a list, so only published entries exist for it.
   *
   * @returns `false` if the caller may not read the collection
   * @throws INTERNAL_ERROR if a rule fails
   */
  async resolveVisibility(collection: CollectionModel): Promise<Visibility | false> {
    this.#visibilities ??= new Map()
    const visibility = this.#visibilities.get(collection.key) ?? this.#combineRules(collection)
    this.#visibilities.set(collection.key, visibility)
    return visibility
  }

  async #combineRules(collection: CollectionModel): Promise<Visibility | false> {
    const readResult = await this.evaluateRead(collection)
    if (readResult === false) return false
    const filter = readResult === true ? undefined : readResult
    const draftResult = await this.evaluateDraftAccess(collection)
    if (typeof draftResult === 'object')
      return { filter: combineDraftFilter(collection, draftResult, filter), isPublishedOnly: false }
    if (draftResult !== 'entry') return { filter, isPublishedOnly: !draftResult }
    const { identity } = this.caller
    return {
      filter,
      isPublishedOnly: true,
      draftCallerKey: JSON.stringify([identity?.provider, identity?.subject, identity?.sessionId]),
    }
  }

  /** Returns true if, without rules, only published entries exist for the caller, who has no session that may update them. */
  seesPublishedOnly(collection: CollectionModel): boolean {
    return collection.status !== undefined && !(this.isAuthenticated && isInScope(this.caller, collection, 'update'))
  }

  /**
   * Returns a cache key of the caller's read access to all collections, equal for callers with equal access; `undefined` if there are
   * field rules, or a rule failed.
   */
  cacheKey(): Promise<string | undefined> | string | undefined {
    if (this.model.hasFieldRules) return undefined
    return this.#restricted.length === 0 ? this.callerKind : this.#createRuledCacheKey()
  }

  async #createRuledCacheKey(): Promise<string | undefined> {
    const visibilities = [...(await this.resolveVisibilities()).values()]
    if (visibilities.some((visibility) => visibility instanceof Error)) return undefined
    const names = visibilities.map(
      (visibility) =>
        visibility && !(visibility instanceof Error) && { ...visibility, filter: visibility.filter?.cacheKey },
    )
    return JSON.stringify([this.callerKind, ...names])
  }

  /** Returns the visibility in each collection with rules, or the error of a failed rule. */
  async resolveVisibilities(): Promise<ReadonlyMap<string, Visibility | false | Error>> {
    const visibilities = new Map<string, Visibility | false | Error>()
    for (const collection of this.#restricted)
      visibilities.set(collection.key, await this.resolveVisibility(collection).catch(toError))
    return visibilities
  }

  /** True if rules decide what the caller can see; they are evaluated for each request. */
  get hasReadRules(): boolean {
    return this.model.hasReadRules || this.#restricted.length > 0
  }

  get #restricted(): readonly CollectionModel[] {
    return this.isAuthenticated ? this.model.restrictedForSessions : this.model.restricted
  }
}

/** Builds the filter of entries that match the read rule, if any, and are published or match the draft rule. */
function combineDraftFilter(
  collection: CollectionModel,
  drafts: AccessFilter,
  reads: AccessFilter | undefined,
): AccessFilter {
  const published = wherePublished(collection)
  if (!published) return drafts
  const either: Condition = { kind: 'any', of: [published, drafts.where] }
  const cacheKey = `{"or":[{${JSON.stringify(collection.status?.key)}:{"eq":"${PUBLISHED}"}},${drafts.cacheKey}]}`
  return reads
    ? { where: { kind: 'all', of: [reads.where, either] }, cacheKey: `{"and":[${reads.cacheKey},${cacheKey}]}` }
    : { where: either, cacheKey }
}

/** Returns the filter of published entries; `undefined` in a collection without a status. */
export function wherePublished({ status, filterableFields }: CollectionModel): Condition | undefined {
  const by = status && filterableFields.get(status.key)
  return by && equals(by, PUBLISHED)
}

const getDocumentName = ({ kind, key }: ScopedDocument): string => `${kind} ${key}`

const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))
