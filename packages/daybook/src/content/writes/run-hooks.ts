import { DaybookError } from '../../errors.ts'
import { isRecord } from '../../fields/field.ts'
import type { Issue } from '../../issues.ts'
import { AUTHOR_KEYS } from '../../model/authors.ts'
import type { CollectionModel, GlobalModel } from '../../model/model.ts'
import type { Reader } from '../../store/reads/reader.ts'
import { dropUnwritable, type FieldRights } from '../access/field-access.ts'
import { mergeFields, prepareFields, type Values } from '../documents/document.ts'
import { toPlainJson } from '../documents/plain-json.ts'
import { type StoredRevision, withSystemKeys } from '../documents/row.ts'
import type { CanonicalDocument } from '../locales/localized.ts'
import { localizeWithStatus } from '../locales/published-locales.ts'
import { project } from '../reads/present.ts'
import { checkBody } from './body.ts'
import { type ComposedDocument, type Composition, compose, getValuesInLocale } from './compose.ts'
import { createFieldTools, type HookedDocument, type WriteContext } from './context.ts'
import {
  type ChangeEvent,
  createHookError,
  HookRefusal,
  type TransactionHook,
  type ValidateEvent,
  type ValidatorResult,
  type WriteAction,
  type WriteEvent,
  type WriteHook,
} from './hooks.ts'
import type { WriteTransaction } from './pipeline.ts'
import { concealValues, findConcealedFields, requireNoIssues, toIssues } from './validators.ts'

/** A write before its data is checked, as hooks see it. */
export type UncheckedWrite = Pick<ValidateEvent, 'action' | 'id' | 'data'>

/**
 * Runs the `beforeValidate` hooks of a write.
 *
 * @returns the data after the hooks
 * @throws what a hook throws; INTERNAL_ERROR if a hook fails or returns no data, SERVICE_UNAVAILABLE if it takes too long
 */
export async function runBeforeValidate(
  { services: engine, access, locale }: WriteContext,
  { document, runner, hooks }: HookedDocument,
  { action, id, data }: UncheckedWrite,
): Promise<Values> {
  const common = { action, id, key: document.key, access, locale, store: engine.store }
  let current = data
  for (const hook of hooks.beforeValidate) {
    const returned = await runner.runBeforeTransaction(hook, { ...common, data: copyOf(current) })
    if (returned !== undefined) current = toData(document, returned, hook)
  }
  return current
}

/** Copies data, so that a hook cannot change it in place. What cannot be copied is not JSON, and validation rejects it. */
function copyOf(data: Values): Values {
  try {
    return structuredClone(data)
  } catch {
    return { ...data }
  }
}

/** A write inside its transaction, for its hooks. */
export interface HookedChange {
  readonly context: WriteContext
  readonly transaction: WriteTransaction
  readonly action: WriteAction
  readonly id: string
  /** The keys of the document besides its fields, with their values. */
  readonly system: Values
}

/**
 * Runs the `beforeChange` hooks of a document that is about to be stored, then its validators. Data that a hook returns is treated as a
 * body of the caller: it is validated, checked against the caller's rights, and composed with the stored document.
 *
 * @throws {HookRefusal}; VALIDATION_ERROR, FORBIDDEN for data that a hook returns
 */
export async function runBeforeChange(
  hooked: HookedDocument,
  change: HookedChange,
  composition: Composition,
  composed: ComposedDocument,
): Promise<ComposedDocument> {
  const { document } = hooked
  const { context, transaction, id } = change
  const { writer } = transaction
  const { rights } = composition
  // A global that was never written has a blank row.
  const stored = change.action === 'create' ? undefined : composition.before
  const before = stored && toShown(change, document, stored.canonical)
  let result = composed
  for (const hook of hooked.hooks.beforeChange) {
    const { lastRecord: last } = writer
    const after = { ...toShown(change, document, result.canonical), ...peopleAfter(change) }
    const returned = await runInTransaction(hooked, change, 'beforeChange', hook, { before, after, id })
    const hasWritten = writer.lastRecord !== last
    if (hasWritten) await requireUntouched(hooked, change, composition.before, hook)
    const changed = returned === undefined ? {} : changedFields(toData(document, returned, hook), after)
    const isChanged = Object.keys(changed).length > 0
    if (!hasWritten && !isChanged) continue
    const fields = await toStoredFields(document, context, changed, { after, canonical: result.canonical, rights })
    // A hook that wrote may have taken a slug, or the target of a reference.
    const recomposed = await compose(context, writer.read, {
      ...composition,
      patch: { ...result.patch, ...fields },
      given: { ...result.given, ...fields },
    })
    result = { ...recomposed, isChangedByHook: result.isChangedByHook || isChanged }
  }
  await requireValid(hooked, change, composition, result)
  return result
}

/**
 * Runs the validators of a document, as it will be stored.
 *
 * @throws {HookRefusal}; VALIDATION_ERROR with the issues of all validators
 */
async function requireValid(
  hooked: HookedDocument,
  change: HookedChange,
  { before, rights }: Composition,
  { canonical, given }: ComposedDocument,
): Promise<void> {
  const { document, hooks } = hooked
  if (hooks.validate.length === 0) return
  const { context, action, system } = change
  const show = (shown: CanonicalDocument, hidden: ReadonlySet<string>): Values => {
    const fields = mergeFields(document, {}, getValuesInLocale(shown, document, context))
    return concealValues(document, withSystemKeys(document, system, fields), hidden)
  }
  const concealed = findConcealedFields(rights, given)
  const after = show(canonical, concealed)
  const stored = action === 'create' ? undefined : before
  const event = { before: stored && show(stored.canonical, rights.hidden), after, concealed }
  const issues: Issue[] = []
  for (const hook of hooks.validate) {
    const returned = await runInTransaction(hooked, change, 'validate', hook, event)
    const judged = { document, shown: after, concealed, owner: hook.owner }
    issues.push(...toIssues(judged, returned as readonly ValidatorResult[]))
  }
  requireNoIssues(issues)
}

/**
 * Runs the `beforeChange` hooks of a document that is about to be deleted.
 *
 * @throws {HookRefusal}
 */
export async function runBeforeDelete(
  hooked: HookedDocument,
  change: HookedChange,
  stored: StoredRevision,
): Promise<void> {
  const { document } = hooked
  const { writer } = change.transaction
  for (const hook of hooked.hooks.beforeChange) {
    const { lastRecord: last } = writer
    const event = { before: toShown(change, document, stored.canonical), after: undefined, id: change.id }
    const returned = await runInTransaction(hooked, change, 'beforeChange', hook, event)
    if (returned !== undefined) throw malformed(document, hook, 'answered data for a delete; throw, or answer nothing')
    if (writer.lastRecord !== last) await requireUntouched(hooked, change, stored, hook)
  }
}

/**
 * Rejects a hook that wrote the document itself: one of both changes would be lost.
 *
 * @param before the revision that the write is based on; `undefined` if there is none
 */
async function requireUntouched(
  { document }: HookedDocument,
  { id, transaction }: HookedChange,
  before: StoredRevision | undefined,
  hook: WriteHook<ChangeEvent>,
): Promise<void> {
  if ((await storedSeq(transaction.writer.read, document, id)) !== (before?.row.seq ?? 0))
    throw malformed(document, hook, 'wrote the document that is being written; answer the change instead')
}

/** Returns the revision of a document in the store; 0 if there is none. */
async function storedSeq(read: Reader, document: CollectionModel | GlobalModel, id: string): Promise<number> {
  const row = await (document.kind === 'global' ? read.globals.byKey(id) : read.entries.stored(document, id))
  return row?.seq ?? 0
}

/** The people who will have made and last changed a document once it is stored. */
const peopleAfter = ({ context: { author: person }, action, system }: HookedChange): Values => ({
  createdBy: action === 'create' ? person : system.createdBy,
  updatedBy: person,
})

/** Returns a copy of a document with the values of the written locale itself. */
function toShown(
  { context: { services: engine, locale }, system }: HookedChange,
  document: CollectionModel | GlobalModel,
  canonical: CanonicalDocument,
): Values {
  const { locales } = engine.model
  const shown =
    locales && locale !== undefined
      ? localizeWithStatus(document, canonical, locales, locale, [locale])
      : canonical.values
  const fields = mergeFields(document, {}, shown)
  const { createdBy, updatedBy } = system
  return structuredClone({ ...withSystemKeys(document, system, fields), createdBy, updatedBy })
}

/** @throws {HookRefusal} */
async function runInTransaction<Event extends WriteEvent>(
  { document, runner }: HookedDocument,
  { context, transaction, action }: HookedChange,
  kind: TransactionHook,
  hook: WriteHook<Event>,
  details: Omit<Event, keyof WriteEvent>,
): Promise<unknown> {
  const { services: engine, access, locale } = context
  const lent = transaction.writer.lendToHook()
  const store = engine.store.within(lent)
  const common: WriteEvent = { action, key: document.key, access, locale, store }
  const event = { ...common, ...details } as Event
  try {
    const returned = await runner.runInTransaction(kind, hook, event, transaction.hookTime)
    await lent.end()
    return returned
  } catch (error) {
    await lent.end().catch(() => {})
    throw new HookRefusal(error instanceof DaybookError ? error : malformed(document, hook, 'failed', error))
  }
}

/** Returns the fields that differ from the document that the hook saw: a hook may return all of it. */
function changedFields(data: Values, after: Values): Values {
  const changed = Object.entries(data).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(after[key]))
  return Object.fromEntries(changed)
}

/**
 * Brings the fields that a hook changed into their stored form, with the values that are generated from them.
 *
 * @throws VALIDATION_ERROR, FORBIDDEN, as for a body of the caller
 */
async function toStoredFields(
  document: CollectionModel | GlobalModel,
  context: WriteContext,
  changed: Values,
  {
    after,
    canonical,
    rights,
  }: { readonly after: Values; readonly canonical: CanonicalDocument; readonly rights: FieldRights },
): Promise<Values> {
  const input = checkBody(document, 'update', changed, rights)
  const seen = project(document, after, rights)
  const writable = dropUnwritable(document, context.access, input, seen)
  return prepareFields(document, writable, seen, createFieldTools(context, document, canonical))
}

type HookOwner = Pick<WriteHook<ChangeEvent>, 'owner'>

/** @throws INTERNAL_ERROR for a value that no caller could send as data of the document */
function toData(document: CollectionModel | GlobalModel, returned: unknown, hook: HookOwner): Values {
  const data = plainJson(document, returned, hook)
  if (!isRecord(data)) throw malformed(document, hook, 'must answer an object of fields, or nothing')
  const unknown = Object.keys(data).find(
    (key) => !Object.hasOwn(document.fieldMap, key) && !document.ignoredKeys.has(key) && !AUTHOR_KEYS.includes(key),
  )
  if (unknown !== undefined)
    throw malformed(document, hook, `answered ${unknown}, which is no field of ${document.key}`)
  // A hook may return the whole document, and the caller may not be allowed to know its people.
  return Object.fromEntries(Object.entries(data).filter(([key]) => !AUTHOR_KEYS.includes(key)))
}

function plainJson(document: CollectionModel | GlobalModel, returned: unknown, hook: HookOwner): unknown {
  try {
    return toPlainJson(returned)
  } catch (error) {
    throw malformed(document, hook, 'answered what JSON cannot hold', error)
  }
}

const malformed = (
  { key }: CollectionModel | GlobalModel,
  { owner }: HookOwner,
  fault: string,
  cause?: unknown,
): DaybookError => createHookError(`A hook of ${key} (${owner}) ${fault}`, cause)
