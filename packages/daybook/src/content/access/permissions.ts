import { ANONYMOUS, isAuthenticated } from '../../auth/adapter.ts'
import { isInScope } from '../../auth/scopes.ts'
import type { CollectionModel, Model } from '../../model/model.ts'
import type { Access } from './access.ts'
import { canSeeDeleted } from './draft-access.ts'
import { type Action, type CollectionOrGlobal, canAccessField, getRule, probeRule } from './rules.ts'

/** A permission of a caller; `some`: it depends on the entry. */
export type Permission = boolean | 'some'

/** The permissions of a caller on a field with a restricting rule. */
export interface FieldPermissions {
  readonly read: true
  readonly write: false
}

export type DocumentPermissions = { readonly [action in Action | 'restore']?: Permission } & {
  /** Fields that the caller may read and not write, by key. */
  readonly fields: Readonly<Record<string, FieldPermissions>>
}

/** The permissions of a caller. Collections and globals that the caller may not read are left out, names included. */
export interface Permissions {
  readonly collections: Readonly<Record<string, DocumentPermissions>>
  readonly globals: Readonly<Record<string, DocumentPermissions>>
}

/**
 * Resolves the permissions of a caller, for editors' interfaces.
 *
 * @throws INTERNAL_ERROR if a rule fails
 */
export async function resolvePermissions(model: Model, access: Access): Promise<Permissions> {
  return {
    collections: await resolveForDocuments(model, model.collections, ['create', 'update', 'delete'], access),
    globals: await resolveForDocuments(model, model.globals, ['update'], access),
  }
}

async function resolveForDocuments(
  model: Model,
  documents: ReadonlyMap<string, CollectionOrGlobal>,
  actions: readonly Action[],
  access: Access,
): Promise<Permissions['collections']> {
  const permissions: Record<string, DocumentPermissions> = {}
  for (const [key, document] of documents) {
    const read = await resolvePermission(model, document, 'read', access)
    if (read === false) continue
    const documentPermissions: Partial<Record<Action, Permission>> = { read }
    for (const action of actions) documentPermissions[action] = await resolvePermission(model, document, action, access)
    const restore =
      document.kind === 'collection'
        ? { restore: await resolveRestorePermission(document, documentPermissions, access) }
        : {}
    permissions[key] = { ...documentPermissions, ...restore, fields: describeReadOnlyFields(document, access) }
  }
  return permissions
}

/** Resolves the permission to restore deleted entries, which the collection must keep. */
async function resolveRestorePermission(
  collection: CollectionModel,
  { create, update }: Partial<Record<Action, Permission>>,
  access: Access,
): Promise<Permission> {
  const isRefused = collection.restorableMs === 0 || create === false || update === false
  if (isRefused || !(await canSeeDeleted(access, collection))) return false
  return create === true && update === true ? true : 'some'
}

/**
 * Resolves the permission of a caller for one action on a collection or a global.
 *
 * @throws INTERNAL_ERROR if a rule fails
 */
export async function resolvePermission(
  model: Model,
  document: CollectionOrGlobal,
  action: Action,
  access: Access,
): Promise<Permission> {
  const { caller } = access
  const rule = getRule(document, action)
  const isInReach = action !== 'read' && isInScope(caller, document, action)
  const effectiveCaller = action === 'read' ? access.callerFor(document) : isInReach ? caller : ANONYMOUS
  if (rule) {
    const result = await probeRule(model, document, action, rule, effectiveCaller)
    return typeof result === 'boolean' ? result : 'some'
  }
  return action === 'read' || isAuthenticated(effectiveCaller)
}

/**
 * Describes the permissions on the fields that a caller may read and not write.
 *
 * @throws INTERNAL_ERROR if a rule fails
 */
export function describeReadOnlyFields(document: CollectionOrGlobal, access: Access): DocumentPermissions['fields'] {
  return Object.fromEntries(findReadOnlyKeys(document, access).map((key) => [key, { read: true, write: false }]))
}

/**
 * Finds the keys of the fields that a caller may read and not write.
 *
 * @throws INTERNAL_ERROR if a rule fails
 */
export function findReadOnlyKeys(document: CollectionOrGlobal, access: Access): readonly string[] {
  const hidden = access.hidden(document)
  const caller = access.callerFor(document)
  const readOnly = document.fields.filter(
    (field) => !hidden.has(field.key) && !canAccessField(document, field, 'write', caller),
  )
  return readOnly.map(({ key }) => key)
}
