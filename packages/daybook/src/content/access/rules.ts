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

/** Returns the rule of the config for an action. */
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
  const answer: unknown = await callRule(path, () => rule(request))
  if (typeof answer === 'boolean') return answer
  const own = document.kind === 'collection' ? collections.get(document.key) : undefined
  if (!own) throw createRuleError(path, 'must answer true or false')
  if (!isRecord(answer)) throw createRuleError(path, 'must answer true, false or a where')
  try {
    return { where: readRuleWhere(answer, own, collections), cacheKey: JSON.stringify(answer) }
  } catch (error) {
    throw createRuleError(path, `gave a where that cannot be asked: ${formatFaults(error)}`, error)
  }
}

async function callRule(path: string, ask: () => unknown): Promise<unknown> {
  try {
    return await ask()
  } catch (error) {
    throw createRuleError(path, 'failed', error)
  }
}

function formatFaults(error: unknown): string {
  const issues = error instanceof DaybookError ? error.details.issues : undefined
  return issues?.map(({ path, message }) => `${path} ${message}`).join('; ') ?? String(error)
}

/**
 * Authorizes an action by the result of its rule.
 *
 * @returns the filter that entries must match; `undefined`: all entries are allowed
 * @throws UNAUTHORIZED, FORBIDDEN if the rule allows no entry
 */
export function authorizeAction(
  ruling: AccessResult,
  caller: Caller,
  document: CollectionOrGlobal,
  action: Action,
): AccessFilter | undefined {
  if (ruling === false) refuseCaller(caller, describeRefusal(document, action, caller))
  return ruling === true ? undefined : ruling
}

/**
 * Rejects a request: with 401 without a session, with 403 and the reason otherwise.
 *
 * @param demands the issues that the entry would have to resolve
 */
export function refuseCaller(caller: Caller, reason: string, demands: readonly Issue[] = []): never {
  if (!isAuthenticated(caller)) throw new DaybookError('UNAUTHORIZED')
  if (demands.length === 0) throw new DaybookError('FORBIDDEN', `You are signed in, but ${reason}.`)
  const said = demands.map(({ path, message }) => `${path.slice(1).replaceAll('/', '.')} ${message}`.trimStart())
  throw new DaybookError('FORBIDDEN', `You are signed in, but ${reason}: ${said.join('; ')}.`, { issues: demands })
}

const VERBS: Readonly<Record<Action, string>> = { read: 'read', create: 'create', update: 'change', delete: 'delete' }

/** Describes a refused action in terms of the request. The rule is not revealed. */
function describeRefusal(document: CollectionOrGlobal, action: Action, caller: Caller): string {
  const { kind, key } = document
  const what = kind === 'global' ? `the global ${key}` : `entries of ${key}`
  const isBeyondScope = action === 'read' ? !canReach(caller, document) : !isInScope(caller, document, action)
  const who = isBeyondScope ? 'the scopes of your token do' : 'the access rules do'
  return `${who} not let you ${VERBS[action]} ${what}`
}

/**
 * Evaluates a rule about entries in general; returns `entry` if the result depends on the entry.
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
  const probe = isAboutEntry && document.kind === 'collection' ? createProbeEntry() : undefined
  const request = { principal, identity, ...(probe ? { entry: probe.entry } : {}) }
  try {
    const ruling = await evaluateRule(model, document, action, rule, request)
    return probe?.isLookedAt() ? 'entry' : ruling
  } catch (error) {
    // With a real entry, the rule might not fail.
    if (probe?.isLookedAt()) return 'entry'
    throw error
  }
}

/** An empty entry that records whether a rule reads it. */
function createProbeEntry() {
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
  const own = model.collections.get(collection.key)
  if (!own || collection.table === own.table) return filter
  return { ...filter, where: toDefaultLocaleFilter(filter.where, own) }
}

/** Wraps filters on localized fields in a relation to the default locale. A filter on `status` keeps the locale of the request. */
function toDefaultLocaleFilter(condition: Condition, collection: CollectionModel): Condition {
  const field = getField(condition)
  if (!field) {
    const { kind, of } = condition as Extract<Condition, { of: readonly Condition[] }>
    return { kind, of: of.map((one) => toDefaultLocaleFilter(one, collection)) }
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
  new DaybookError('NOT_FOUND', 'This address takes the id of an entry, not its slug. GET by slug answers the id.')
