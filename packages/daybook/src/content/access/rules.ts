import { type Caller, isAuthenticated } from '../../auth/adapter.ts'
import { canReach, isInScope } from '../../auth/scopes.ts'
import type { AccessRequest, AccessRule } from '../../config/access.ts'
import { DaybookError } from '../../errors.ts'
import { type FieldRule, isRecord } from '../../fields/field.ts'
import type { Issue } from '../../issues.ts'
import type {
  CollectionModel,
  DocumentModel,
  FieldModel,
  FilterableField,
  GlobalModel,
  Model,
} from '../../model/model.ts'
import { readRuleWhere } from '../../query/rule-where.ts'
import { type AccessFilter, type Condition, getField } from '../../query/where.ts'

/** The answer of a rule: every entry, none, or those that match a condition. */
export type AccessResult = boolean | AccessFilter

/** The actions that rules decide about. */
export type Action = 'read' | 'create' | 'update' | 'delete'

/** A collection or a global, whose rules can be asked. */
export type CollectionOrGlobal = CollectionModel | GlobalModel

/** The rule that the config has for an action. */
export function getRule({ access }: Pick<CollectionOrGlobal, 'access'>, action: Action): AccessRule | undefined {
  return (access as Readonly<Record<string, AccessRule | undefined>>)[action]
}

/** A rule without a usable answer allows nothing; only the log names the rule. */
function broken(path: string, reason: string, cause?: unknown): DaybookError {
  return new DaybookError('INTERNAL_ERROR', undefined, {}, new Error(`The access rule ${path} ${reason}`, { cause }))
}

/**
 * Asks a rule of the config.
 *
 * @throws INTERNAL_ERROR when it throws, or answers what no rule may answer
 */
export async function evaluateRule(
  { collections }: Model,
  document: CollectionOrGlobal,
  action: Action | 'draft',
  rule: AccessRule,
  request: AccessRequest,
): Promise<AccessResult> {
  const path = `${document.kind}s.${document.key}.access.${action}`
  const answer: unknown = await answerOf(path, () => rule(request))
  if (typeof answer === 'boolean') return answer
  const own = document.kind === 'collection' ? collections.get(document.key) : undefined
  if (!own) throw broken(path, 'must answer true or false')
  if (!isRecord(answer)) throw broken(path, 'must answer true, false or a where')
  try {
    return { where: readRuleWhere(answer, own, collections), cacheKey: JSON.stringify(answer) }
  } catch (error) {
    throw broken(path, `gave a where that cannot be asked: ${faultsIn(error)}`, error)
  }
}

async function answerOf(path: string, ask: () => unknown): Promise<unknown> {
  try {
    return await ask()
  } catch (error) {
    throw broken(path, 'failed', error)
  }
}

function faultsIn(error: unknown): string {
  const issues = error instanceof DaybookError ? error.details.issues : undefined
  return issues?.map(({ path, message }) => `${path} ${message}`).join('; ') ?? String(error)
}

/**
 * The filter of the entries that a rule allows.
 *
 * @returns `undefined` when it allows every entry
 * @throws UNAUTHORIZED, FORBIDDEN when it allows none
 */
export function authorizeAction(
  ruling: AccessResult,
  caller: Caller,
  document: CollectionOrGlobal,
  action: Action,
): AccessFilter | undefined {
  if (ruling === false) refuseCaller(caller, refusalReason(document, action, caller))
  return ruling === true ? undefined : ruling
}

/**
 * Refuses: 401 where a session is missing, 403 with the reason where there is one.
 *
 * @param demands what would be allowed
 */
export function refuseCaller(caller: Caller, reason: string, demands: readonly Issue[] = []): never {
  if (!isAuthenticated(caller)) throw new DaybookError('UNAUTHORIZED')
  if (demands.length === 0) throw new DaybookError('FORBIDDEN', `You are signed in, but ${reason}.`)
  const said = demands.map(({ path, message }) => `${path.slice(1).replaceAll('/', '.')} ${message}`.trimStart())
  throw new DaybookError('FORBIDDEN', `You are signed in, but ${reason}: ${said.join('; ')}.`, { issues: demands })
}

const VERBS: Readonly<Record<Action, string>> = { read: 'read', create: 'create', update: 'change', delete: 'delete' }

/** Why a caller may not do something, in words of what they asked for: nothing of a rule but that it said no. */
function refusalReason(document: CollectionOrGlobal, action: Action, caller: Caller): string {
  const { kind, key } = document
  const what = kind === 'global' ? `the global ${key}` : `entries of ${key}`
  const isBeyondScope = action === 'read' ? !canReach(caller, document) : !isInScope(caller, document, action)
  const who = isBeyondScope ? 'the scopes of your token do' : 'the access rules do'
  return `${who} not let you ${VERBS[action]} ${what}`
}

/**
 * The answer of a rule about entries in general: `entry` when it depends on what the entry holds.
 *
 * @throws INTERNAL_ERROR
 */
export async function probeRule(
  model: Model,
  document: CollectionOrGlobal,
  action: Action | 'draft',
  rule: AccessRule,
  { principal, identity }: Caller,
): Promise<AccessResult | 'entry'> {
  const isAboutEntry = action === 'update' || action === 'delete'
  const probe = isAboutEntry && document.kind === 'collection' ? probeEntry() : undefined
  const request = { principal, identity, ...(probe ? { entry: probe.entry } : {}) }
  try {
    const ruling = await evaluateRule(model, document, action, rule, request)
    return probe?.isLookedAt() ? 'entry' : ruling
  } catch (error) {
    // It would not have failed with an entry.
    if (probe?.isLookedAt()) return 'entry'
    throw error
  }
}

/** An empty entry that records whether a rule reads it. */
function probeEntry() {
  let isLookedAt = false
  const look = <T>(answer: T): T => {
    isLookedAt = true
    return answer
  }
  const entry: Readonly<Record<string, unknown>> = new Proxy(
    {},
    {
      get: () => look(undefined),
      has: () => look(false),
      ownKeys: () => look([]),
      getOwnPropertyDescriptor: () => look(undefined),
    },
  )
  return { entry, isLookedAt: () => isLookedAt }
}

/**
 * Whether a caller may read or write a field, as far as the field has a say.
 *
 * @throws INTERNAL_ERROR when its rule throws
 */
export function canAccessField(
  { key: document }: DocumentModel,
  { key, access }: FieldModel,
  action: 'read' | 'write',
  caller: Caller,
): boolean {
  const rule = access[action]
  if (!rule) return true
  try {
    return rule(caller) === true
  } catch (error) {
    throw broken(`${document}.fields.${key}.access.${action}`, 'failed', error)
  }
}

/**
 * Whether a rule lets a caller know who made and last changed a document.
 *
 * @throws INTERNAL_ERROR when the rule throws
 */
export function canSeeAuthors({ kind, key }: DocumentModel, rule: FieldRule, caller: Caller): boolean {
  try {
    return rule(caller) === true
  } catch (error) {
    throw broken(`${kind}s.${key}.people.read`, 'failed', error)
  }
}

/**
 * A rule speaks of what the default locale says: otherwise an entry could be in reach in one language and not in the next.
 * Where another locale is read, its localized fields are looked up in the collection's own table.
 */
export function adaptFilterToLocale(model: Model, collection: CollectionModel, filter: AccessFilter): AccessFilter {
  const own = model.collections.get(collection.key)
  if (!own || collection.table === own.table) return filter
  return { ...filter, where: underDefaultLocale(filter.where, own) }
}

/** Filters on localized fields use the values of the default locale; a filter on `status` uses the locale of the request. */
function underDefaultLocale(condition: Condition, collection: CollectionModel): Condition {
  const field = getField(condition)
  if (!field) {
    const { kind, of } = condition as Extract<Condition, { of: readonly Condition[] }>
    return { kind, of: of.map((one) => underDefaultLocale(one, collection)) }
  }
  if (!collection.localized.has(field.owner)) return condition
  const through = collection.filterableFields.get('id') as FilterableField
  return {
    kind: 'related',
    through,
    isMany: false,
    to: collection,
    statuses: undefined,
    where: condition,
    negated: false,
  }
}

/** What is said where an entry is named by something else than its id; the same whether such an entry is there or not. */
export const notAnIdError = (): DaybookError =>
  new DaybookError('NOT_FOUND', 'This address takes the id of an entry, not its slug. GET by slug answers the id.')
