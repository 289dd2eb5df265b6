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

/** The result of an access rule: all entries, none, or those that match a filter. */
export type AccessResult = boolean | AccessFilter

export type Action = 'read' | 'create' | 'update' | 'delete'

export type CollectionOrGlobal = CollectionModel | GlobalModel

export function getRule({ access }: Pick<CollectionOrGlobal, 'access'>, action: Action): AccessRule | undefined {
  return (access as Readonly<Record<string, AccessRule | undefined>>)[action]
}

/** Creates the error of a rule without a valid result. Only the log names the rule. */
function createRuleError(path: string, reason: string, cause?: unknown): DaybookError {
  return new DaybookError('INTERNAL_ERROR', undefined, {}, new Error(`The access rule ${path} ${reason}`, { cause }))
}

/**
 * Evaluates a rule of the config.
 *
 * @throws INTERNAL_ERROR if it throws or returns an invalid result
 */
export async function evaluateRule(
  { collections }: Model,
  document: CollectionOrGlobal,
  action: Action | 'draft',
  rule: AccessRule,
  request: AccessRequest,
): Promise<AccessResult> {
  const path = `${document.kind}s.${document.key}.access.${action}`
  const result: unknown = await callRule(path, () => rule(request))
  if (typeof result === 'boolean') return result
  const collection = document.kind === 'collection' ? collections.get(document.key) : undefined
  if (!collection) throw createRuleError(path, 'must return true or false')
  if (!isRecord(result)) throw createRuleError(path, 'must return true, false or a where')
  try {
    return { where: readRuleWhere(result, collection, collections), cacheKey: JSON.stringify(result) }
  } catch (error) {
    throw createRuleError(path, `returned an invalid where. ${formatFaults(error)}`, error)
  }
}

async function callRule(path: string, call: () => unknown): Promise<unknown> {
  try {
    return await call()
  } catch (error) {
    throw createRuleError(path, 'failed', error)
  }
}

function formatFaults(error: unknown): string {
  const issues = error instanceof DaybookError ? error.details.issues : undefined
  return issues?.map(({ message }) => message).join(' ') ?? String(error)
}

/**
 * Authorizes an action by the result of its rule.
 *
 * @returns the filter that entries must match; `undefined`: all entries are allowed
 * @throws UNAUTHORIZED, FORBIDDEN if the rule allows no entry
 */
export function authorizeAction(
  result: AccessResult,
  caller: Caller,
  document: CollectionOrGlobal,
  action: Action,
): AccessFilter | undefined {
  if (result === false) refuseCaller(caller, describeRefusal(document, action, caller))
  return result === true ? undefined : result
}

/**
 * Rejects a request: with 401 without a session, with 403 and the reason otherwise.
 *
 * @param issues the issues that the entry would have to resolve
 */
export function refuseCaller(caller: Caller, reason: string, issues: readonly Issue[] = []): never {
  if (!isAuthenticated(caller)) throw new DaybookError('UNAUTHORIZED')
  if (issues.length === 0) throw new DaybookError('FORBIDDEN', `You are signed in, but ${reason}.`)
  const sentences = issues.map(({ message }) => message).join(' ')
  throw new DaybookError('FORBIDDEN', `You are signed in, but ${reason}. ${sentences}`, { issues })
}

const VERBS: Readonly<Record<Action, string>> = { read: 'read', create: 'create', update: 'change', delete: 'delete' }

/** Describes a refused action in terms of the request. The rule is not revealed. */
function describeRefusal(document: CollectionOrGlobal, action: Action, caller: Caller): string {
  const { kind, key } = document
  const target = kind === 'global' ? `the global ${key}` : `entries of ${key}`
  const isBeyondScope = action === 'read' ? !canReach(caller, document) : !isInScope(caller, document, action)
  const source = isBeyondScope ? 'the scopes of your token do' : 'the access rules do'
  return `${source} not allow you to ${VERBS[action]} ${target}`
}

/**
 * Evaluates a rule for entries in general.
 *
 * @returns `entry` if the result depends on the entry
 * @throws INTERNAL_ERROR if the rule fails
 */
export async function probeRule(
  model: Model,
  document: CollectionOrGlobal,
  action: Action | 'draft',
  rule: AccessRule,
  { principal, identity }: Caller,
): Promise<AccessResult | 'entry'> {
  const isAboutEntry = action === 'update' || action === 'delete'
  const probe = isAboutEntry && document.kind === 'collection' ? createProbeEntry() : undefined
  const request = { principal, identity, ...(probe ? { entry: probe.entry } : {}) }
  try {
    const result = await evaluateRule(model, document, action, rule, request)
    return probe?.isLookedAt() ? 'entry' : result
  } catch (error) {
    // With a real entry, the rule might not fail.
    if (probe?.isLookedAt()) return 'entry'
    throw error
  }
}

/** Creates an empty entry that records if a rule reads it. */
function createProbeEntry() {
  let isRead = false
  const recordRead = <T>(value: T): T => {
    isRead = true
    return value
  }
  const entry: Readonly<Record<string, unknown>> = new Proxy(
    {},
    {
      get: () => recordRead(undefined),
      has: () => recordRead(false),
      ownKeys: () => recordRead([]),
      getOwnPropertyDescriptor: () => recordRead(undefined),
    },
  )
  return { entry, isLookedAt: () => isRead }
}

/**
 * Returns true if the rule of a field lets the caller read or write it.
 *
 * @throws INTERNAL_ERROR if the rule throws
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
    throw createRuleError(`${document}.fields.${key}.access.${action}`, 'failed', error)
  }
}

/**
 * Returns true if a rule lets the caller see the authors of a document.
 *
 * @throws INTERNAL_ERROR if the rule throws
 */
export function canSeeAuthors({ kind, key }: DocumentModel, rule: FieldRule, caller: Caller): boolean {
  try {
    return rule(caller) === true
  } catch (error) {
    throw createRuleError(`${kind}s.${key}.people.read`, 'failed', error)
  }
}

/**
 * Adapts the filter of a rule to the locale of a collection. Rules always compare the values of the default locale, so that access to an
 * entry is the same in all locales; in other locales, filters on localized fields use the table of the default locale.
 */
export function adaptFilterToLocale(model: Model, collection: CollectionModel, filter: AccessFilter): AccessFilter {
  const defaultCollection = model.collections.get(collection.key)
  if (!defaultCollection || collection.table === defaultCollection.table) return filter
  return { ...filter, where: toDefaultLocaleFilter(filter.where, defaultCollection) }
}

/** Wraps filters on localized fields in a relation to the default locale. A filter on `status` keeps the locale of the request. */
function toDefaultLocaleFilter(condition: Condition, collection: CollectionModel): Condition {
  const field = getField(condition)
  if (!field) {
    const { kind, of } = condition as Extract<Condition, { of: readonly Condition[] }>
    return { kind, of: of.map((part) => toDefaultLocaleFilter(part, collection)) }
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

/** Creates the error of an address with a slug in place of an id, whether such an entry exists or not. */
export const notAnIdError = (): DaybookError =>
  new DaybookError('NOT_FOUND', 'This address takes the id of an entry, not its slug. GET by slug returns the id.')
