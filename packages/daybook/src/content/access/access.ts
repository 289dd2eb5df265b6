import { ANONYMOUS, type Caller, isAuthenticated } from '../../auth/adapter.ts'
import { isInScope, reaches, type ScopedDocument } from '../../auth/scopes.ts'
import { DaybookError } from '../../errors.ts'
import { PUBLISHED } from '../../fields/status.ts'
import type { CollectionModel, Comparable, DocumentModel, Model } from '../../model/model.ts'
import type { LocaleChoice } from '../../query/locale.ts'
import {
  type AccessFilter,
  type Condition,
  collectionsIn as collectionsBehind,
  type QueryScope,
} from '../../query/where.ts'
import type { Reader } from '../../store/read.ts'
import type { Values } from '../document.ts'
import { type Action, askRule, mayField, type Ruled, type Ruling, ruleOf } from './rules.ts'

/** Refuses: 401 where a session is missing, 403 with the reason where there is one. */
export function refuse(caller: Caller, reason: string): never {
  if (!isAuthenticated(caller)) throw new DaybookError('UNAUTHORIZED')
  throw new DaybookError('FORBIDDEN', `You are signed in, but ${reason}.`)
}

const VERBS: Readonly<Record<Action, string>> = { read: 'read', create: 'create', update: 'change', delete: 'delete' }

/** Why a caller may not do something, in words of what they asked for: nothing of a rule but that it said no. */
function reasonOf(document: Ruled, action: Action, caller: Caller): string {
  const { kind, key } = document
  const what = kind === 'global' ? `the global ${key}` : `entries of ${key}`
  const isBeyondScope = action === 'read' ? !reaches(caller, document) : !isInScope(caller, document, action)
  const who = isBeyondScope ? 'the scopes of your token do' : 'the access rules do'
  return `${who} not let you ${VERBS[action]} ${what}`
}

/** Whom a collection or a global sees: whose credential is for others is nobody here. */
export function seenBy(document: ScopedDocument, caller: Caller): Caller {
  return caller.scopes === undefined || reaches(caller, document) ? caller : ANONYMOUS
}

/** Names what a caller may see where no rule is in the way: the same for all that have no scopes. */
export function accessKey(caller: Caller): string {
  if (!isAuthenticated(caller)) return 'public'
  return caller.scopes === undefined ? 'session' : `session for ${caller.scopes.join(' ')}`
}

/**
 * Lets a read through, or refuses it.
 *
 * @returns what entries must hold to be there for the caller; `undefined`: nothing
 * @throws UNAUTHORIZED, FORBIDDEN
 */
export async function requireRead(model: Model, document: Ruled, caller: Caller): Promise<AccessFilter | undefined> {
  return requireRuling(await rulingOnReads(model, document, caller), caller, document, 'read')
}

/** What the config says of a caller's reads. Without a rule, everyone reads. */
export async function rulingOnReads(model: Model, document: Ruled, caller: Caller): Promise<Ruling> {
  const rule = ruleOf(document, 'read')
  return rule ? askRule(model, document, 'read', rule, { ...seenBy(document, caller) }) : true
}

/**
 * Lets a write through, or refuses it. Without a rule, any session may write.
 *
 * @param entry what is changed or deleted, or what a change would make of it
 * @returns what the entry must hold besides, see {@link requireMatch}
 * @throws UNAUTHORIZED, FORBIDDEN
 */
export async function requireWrite(
  model: Model,
  document: Ruled,
  action: Exclude<Action, 'read'>,
  caller: Caller,
  entry?: Values,
): Promise<AccessFilter | undefined> {
  const rule = ruleOf(document, action)
  const asked = isInScope(caller, document, action) ? caller : ANONYMOUS
  const ruling = rule
    ? await askRule(model, document, action, rule, { ...asked, ...(entry ? { entry } : {}) })
    : isAuthenticated(asked)
  return requireRuling(ruling, caller, document, action)
}

function requireRuling(ruling: Ruling, caller: Caller, document: Ruled, action: Action): AccessFilter | undefined {
  if (ruling === false) refuse(caller, reasonOf(document, action, caller))
  return ruling === true ? undefined : ruling
}

/**
 * Checks an entry against what a write demands of it.
 *
 * @throws UNAUTHORIZED, FORBIDDEN
 */
export async function requireMatch(
  read: Reader,
  collection: CollectionModel,
  id: string,
  limit: AccessFilter | undefined,
  caller: Caller,
): Promise<void> {
  if (!limit || (await read.entries.statuses(collection, [id], limit.where)).length > 0) return
  refuse(caller, `the access rules do not let you do this to that entry of ${collection.key}`)
}

const NOTHING: ReadonlySet<string> = new Set()

/** Top-level fields that do not exist for this caller. */
export function hiddenFields(document: DocumentModel, caller: Caller): ReadonlySet<string> {
  if (document.guarded.length === 0) return NOTHING
  const seen = seenBy(document, caller)
  const hidden = document.guarded.filter((field) => !mayField(document, field, 'read', seen))
  return new Set(hidden.map(({ key }) => key))
}

/** Whether a caller sees what is published, and nothing else. */
export function seesPublicOnly(collection: CollectionModel, caller: Caller): boolean {
  return collection.status !== undefined && !isAuthenticated(seenBy(collection, caller))
}

/** Statuses that this caller may see, narrowed to those asked for; `undefined`: all of them. */
export function visibleStatuses(
  collection: CollectionModel,
  caller: Caller,
  asked?: readonly string[],
): readonly string[] | undefined {
  if (!seesPublicOnly(collection, caller)) return asked
  return asked ? asked.filter((one) => one === PUBLISHED) : [PUBLISHED]
}

/** What the read rule of a collection said already. */
export interface KnownFilter {
  readonly key: string
  readonly limit: AccessFilter | undefined
}

/**
 * What a caller may ask about, in every collection that relations lead to, as the locale shows it.
 *
 * @param model all collections; one that the caller may not read does not exist for filters and expansion
 * @param known what needs not be asked again
 */
export async function queryScope(
  model: Model,
  caller: Caller,
  choice: LocaleChoice,
  known?: KnownFilter,
): Promise<QueryScope> {
  const collections = collectionsIn(model, choice)
  const rulings = await readRulings(model, caller, known)
  const rulingOf = (key: string): Ruling => {
    const ruling = rulings.get(key) ?? true
    // A rule that failed is in the way of those alone who ask about its collection.
    if (ruling instanceof Error) throw ruling
    return ruling
  }
  return {
    choice,
    collections,
    collection: (key) => (rulingOf(key) === false ? undefined : collections.get(key)),
    hidden: (document) => hiddenFields(document, caller),
    statuses: (collection) => visibleStatuses(collection, caller),
    filter: (collection) => {
      const ruling = rulingOf(collection.key)
      return typeof ruling === 'boolean' ? undefined : filterFor(model, collection, ruling)
    },
  }
}

async function readRulings(
  model: Model,
  caller: Caller,
  known: KnownFilter | undefined,
): Promise<ReadonlyMap<string, Ruling | Error>> {
  const rulings = new Map<string, Ruling | Error>()
  for (const collection of model.restricted) {
    const isKnown = collection.key === known?.key
    rulings.set(collection.key, isKnown ? (known.limit ?? true) : await readRuling(model, collection, caller))
  }
  return rulings
}

async function readRuling(model: Model, collection: CollectionModel, caller: Caller): Promise<Ruling | Error> {
  try {
    return await rulingOnReads(model, collection, caller)
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

/**
 * A rule speaks of what the default locale says: otherwise an entry could be in reach in one language and not in the next.
 * Where another locale is read, its localized fields are looked up in the collection's own table.
 */
export function filterFor(model: Model, collection: CollectionModel, limit: AccessFilter): AccessFilter {
  const own = model.collections.get(collection.key)
  if (!own || collection.table === own.table || !asksLocalized(limit.where, own)) return limit
  const through = own.comparables.get('id') as Comparable
  const { where } = limit
  return {
    ...limit,
    where: { kind: 'related', through, isMany: false, to: own, statuses: undefined, where, negated: false },
  }
}

function asksLocalized(condition: Condition, collection: CollectionModel): boolean {
  if (condition.kind === 'compare') return collection.localized.has(condition.by.owner)
  if (condition.kind === 'member') return collection.localized.has(condition.of.owner)
  if (condition.kind === 'related') return collection.localized.has(condition.through.owner)
  return condition.of.some((one) => asksLocalized(one, collection))
}

/** Names how a reader sees collections, for tags: not the same for readers who see different things. */
export function readerVariant(scope: QueryScope, caller: Caller, collections: readonly CollectionModel[]): unknown {
  const seen = [...new Set(collections)].map((one) => [one.key, [...scope.hidden(one)], scope.filter(one)?.name])
  return [accessKey(caller), seen]
}

/** Collections that rules look into to tell what of these a reader may see. */
export function filterDependencies(
  scope: QueryScope,
  collections: readonly CollectionModel[],
): readonly CollectionModel[] {
  return [...new Set(collections)].flatMap((one) => collectionsBehind(scope.filter(one)?.where))
}

/** Every collection as a locale shows it. */
export function collectionsIn({ collections, byLocale }: Model, { locale }: LocaleChoice): Model['collections'] {
  return byLocale.get(locale ?? '') ?? collections
}

/** What entries must hold to be there for a reader who may see what is published alone; `undefined`: nothing. */
export function publicOnly(collection: CollectionModel, caller: Caller): Condition | undefined {
  const by = collection.status && collection.comparables.get(collection.status.key)
  if (!by || !seesPublicOnly(collection, caller)) return undefined
  return { kind: 'compare', by, operator: 'eq', values: [PUBLISHED], negated: false }
}

/** Whether an entry of this status exists for the caller. */
export function isVisible(collection: CollectionModel, status: string | null, caller: Caller): boolean {
  return status === PUBLISHED || !seesPublicOnly(collection, caller)
}
