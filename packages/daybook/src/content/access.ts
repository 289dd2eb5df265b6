import { type Caller, isAuthenticated } from '../auth/adapter.ts'
import type { AccessRule } from '../config/config.ts'
import { DaybookError, type Issue } from '../errors.ts'
import { PUBLISHED } from '../fields/status.ts'
import type { CollectionModel, DocumentModel, Model } from '../model/model.ts'
import type { LocaleChoice } from '../query/locale.ts'
import type { QueryScope } from '../query/where.ts'
import type { Values } from './document.ts'

/** Refuses: with 401 whoever may only need to sign in, with 403 whoever has. */
function refuse(caller: Caller): never {
  throw new DaybookError(isAuthenticated(caller) ? 'FORBIDDEN' : 'UNAUTHORIZED')
}

/**
 * Lets a read through, or refuses it.
 *
 * @throws UNAUTHORIZED, FORBIDDEN
 */
export async function demandRead(
  document: CollectionModel | { readonly access: { readonly read: AccessRule | undefined } },
  caller: Caller,
): Promise<void> {
  const { read } = document.access
  if (read && !(await read(caller))) refuse(caller)
}

/**
 * Lets a write through, or refuses it. Without a rule, any session may write.
 *
 * @throws UNAUTHORIZED, FORBIDDEN
 */
export async function demandWrite(rule: AccessRule | undefined, caller: Caller): Promise<void> {
  const isAllowed = rule ? await rule(caller) : isAuthenticated(caller)
  if (!isAllowed) refuse(caller)
}

const NOTHING: ReadonlySet<string> = new Set()

/** Top-level fields that do not exist for this caller. */
export function hiddenFields({ guarded }: DocumentModel, caller: Caller): ReadonlySet<string> {
  if (guarded.length === 0) return NOTHING
  return new Set(guarded.filter(({ access }) => access.read?.(caller) === false).map(({ key }) => key))
}

/** Statuses that this caller may see, narrowed to those asked for; `undefined`: all of them. */
export function visibleStatuses(
  { status }: CollectionModel,
  caller: Caller,
  asked?: readonly string[],
): readonly string[] | undefined {
  if (!status || isAuthenticated(caller)) return asked
  return asked ? asked.filter((one) => one === PUBLISHED) : [PUBLISHED]
}

/**
 * What a caller may ask about, in every collection that relations lead to, as the locale shows it.
 *
 * @param model all collections; one that the caller may not read does not exist for filters and expansion
 */
export async function queryScope(model: Model, caller: Caller, choice: LocaleChoice): Promise<QueryScope> {
  const collections = collectionsIn(model, choice)
  const closed = new Set<string>()
  for (const { key, access } of model.restricted) {
    if (access.read && !(await access.read(caller))) closed.add(key)
  }
  return {
    choice,
    collections,
    collection: (key) => (closed.has(key) ? undefined : collections.get(key)),
    hidden: (collection) => hiddenFields(collection, caller),
    statuses: (collection) => visibleStatuses(collection, caller),
  }
}

/** Every collection as a locale shows it. */
export function collectionsIn({ collections, views }: Model, { locale }: LocaleChoice): Model['collections'] {
  return views.get(locale ?? '') ?? collections
}

/** Whether an entry of this status exists for the caller. */
export function isVisible({ status: field }: CollectionModel, status: string | null, caller: Caller): boolean {
  return !field || status === PUBLISHED || isAuthenticated(caller)
}

/** Fields of a body that the caller may neither read nor write: they answer as unknown ones do. */
export function unknownFields(
  { fields }: DocumentModel,
  caller: Caller,
  hidden: ReadonlySet<string>,
  body: Values,
): readonly Issue[] {
  return fields
    .filter(({ key, access }) => Object.hasOwn(body, key) && hidden.has(key) && access.write?.(caller) === false)
    .map(({ key }) => ({ path: `/${key}`, code: 'unknown_field', message: 'there is no such field' }))
}

/**
 * Takes fields that the caller may not write out of a body when they come back as they were read.
 *
 * @throws FORBIDDEN when one of them would change
 */
export function withoutUnwritable(
  { fields }: DocumentModel,
  caller: Caller,
  body: Values,
  stored: Values | undefined,
): Values {
  const closed = fields.filter(({ key, access }) => Object.hasOwn(body, key) && access.write?.(caller) === false)
  if (closed.length === 0) return body
  const changed = closed.filter(({ key }) => JSON.stringify(body[key]) !== JSON.stringify(stored?.[key] ?? null))
  if (changed.length > 0) {
    const issues = changed.map(({ key }) => ({
      path: `/${key}`,
      code: 'forbidden',
      message: 'you may not write this field',
    }))
    throw new DaybookError('FORBIDDEN', undefined, { issues })
  }
  const kept = new Set(closed.map(({ key }) => key))
  return Object.fromEntries(Object.entries(body).filter(([key]) => !kept.has(key)))
}
