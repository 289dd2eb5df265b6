import { DaybookError } from '../../errors.ts'
import { isRecord } from '../../fields/field.ts'
import type { Issue } from '../../issues.ts'
import { AUTHOR_KEYS } from '../../model/authors.ts'
import type { CollectionModel, GlobalModel } from '../../model/model.ts'
import type { Reader } from '../../store/reads/reader.ts'
import { dropUnwritable, type FieldRights } from '../access/field-access.ts'
import type { Values } from '../documents/document.ts'
import { toPlainJson } from '../documents/plain-json.ts'
import { mergeFields, prepareFields } from '../documents/prepare-fields.ts'
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

export type UncheckedWrite = Pick<ValidateEvent, 'action' | 'id' | 'data'>

/**
 * Runs the `beforeValidate` hooks of a write.
 *
 * @returns the data after the hooks
 * @throws what a hook throws; INTERNAL_ERROR if a hook fails or returns no data, SERVICE_UNAVAILABLE if it takes too long
 */
export async function runBeforeValidate(
  { content, access, locale }: WriteContext,
  { document, runner, hooks }: HookedDocument,
  { action, id, data }: UncheckedWrite,
): Promise<Values> {
  const sharedDetails = { action, id, key: document.key, access, locale, store: content.store }
  let current = data
  for (const hook of hooks.beforeValidate) {
    const returned = await runner.runBeforeTransaction(hook, { ...sharedDetails, data: copyData(current) })
    if (returned !== undefined) current = toData(document, returned, hook)
  }
  return current
}

/** Copies data, so that a hook cannot mutate it. Values that cannot be copied are not JSON, and validation rejects them. */
function copyData(data: Values): Values {
  try {
    return structuredClone(data)
  } catch {
    return { ...data }
  }
}

export interface HookedChange {
  readonly context: WriteContext
  readonly transaction: WriteTransaction
  readonly action: WriteAction
  readonly id: string
  /** The values of the document's system keys, such as `id` and `createdAt`. */
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
  const before = stored && toHookDocument(change, document, stored.canonical)
  let result = composed
  for (const hook of hooked.hooks.beforeChange) {
    const { lastRecord } = writer
    const after = { ...toHookDocument(change, document, result.canonical), ...getAuthorsAfter(change) }
    const returned = await runInTransaction(hooked, change, 'beforeChange', hook, { before, after, id })
    const hasWritten = writer.lastRecord !== lastRecord
    if (hasWritten) await requireUnwritten(hooked, change, composition.before, hook)
    const changedFields = returned === undefined ? {} : findChangedFields(toData(document, returned, hook), after)
    const isChanged = Object.keys(changedFields).length > 0
    if (!hasWritten && !isChanged) continue
    const fields = await toStoredFields(document, context, changedFields, {
      after,
      canonical: result.canonical,
      rights,
    })
    // A hook that wrote may have taken a slug, or the target of a reference.
    const recomposed = await compose(context, writer.read, {
      ...composition,
      patch: { ...result.patch, ...fields },
      suppliedFields: { ...result.suppliedFields, ...fields },
    })
    result = { ...recomposed, isChangedByHook: result.isChangedByHook || isChanged }
  }
  await runValidators(hooked, change, composition, result)
  return result
}

/**
 * Runs the validators of a document on the values to be stored.
 *
 * @throws {HookRefusal}; VALIDATION_ERROR with the issues of all validators
 */
async function runValidators(
  hooked: HookedDocument,
  change: HookedChange,
  { before, rights }: Composition,
  { canonical, suppliedFields }: ComposedDocument,
): Promise<void> {
  const { document, hooks } = hooked
  if (hooks.validate.length === 0) return
  const { context, action, system } = change
  const toValidatorDocument = (source: CanonicalDocument, hidden: ReadonlySet<string>): Values => {
    const fields = mergeFields(document, {}, getValuesInLocale(source, document, context))
    return concealValues(document, withSystemKeys(document, system, fields), hidden)
  }
  const concealed = findConcealedFields(rights, suppliedFields)
  const after = toValidatorDocument(canonical, concealed)
  const stored = action === 'create' ? undefined : before
  const event = { before: stored && toValidatorDocument(stored.canonical, rights.hidden), after, concealed }
  const issues: Issue[] = []
  for (const hook of hooks.validate) {
    const returned = await runInTransaction(hooked, change, 'validate', hook, event)
    const validated = { document, values: after, concealed, owner: hook.owner }
    issues.push(...toIssues(validated, returned as readonly ValidatorResult[]))
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
    const { lastRecord } = writer
    const event = { before: toHookDocument(change, document, stored.canonical), after: undefined, id: change.id }
    const returned = await runInTransaction(hooked, change, 'beforeChange', hook, event)
    if (returned !== undefined)
      throw createHookFailure(document, hook, 'returned data for a delete. Throw, or return nothing')
    if (writer.lastRecord !== lastRecord) await requireUnwritten(hooked, change, stored, hook)
  }
}

/**
 * Rejects a hook that has written the document itself: one of the two changes would be lost.
 *
 * @param before the revision that the write is based on; `undefined` if there is none
 */
async function requireUnwritten(
  { document }: HookedDocument,
  { id, transaction }: HookedChange,
  before: StoredRevision | undefined,
  hook: WriteHook<ChangeEvent>,
): Promise<void> {
  if ((await readRevision(transaction.writer.read, document, id)) !== (before?.row.seq ?? 0))
    throw createHookFailure(document, hook, 'wrote the document that is being written. Return the change instead')
}

/** Returns the revision of a document in the store; 0 if there is none. */
async function readRevision(read: Reader, document: CollectionModel | GlobalModel, id: string): Promise<number> {
  const row = await (document.kind === 'global' ? read.globals.byKey(id) : read.entries.stored(document, id))
  return row?.seq ?? 0
}

const getAuthorsAfter = ({ context: { author }, action, system }: HookedChange): Values => ({
  createdBy: action === 'create' ? author : system.createdBy,
  updatedBy: author,
})

/** Returns a copy of a document with the values of the written locale, without fallbacks. */
function toHookDocument(
  { context: { content, locale }, system }: HookedChange,
  document: CollectionModel | GlobalModel,
  canonical: CanonicalDocument,
): Values {
  const { locales } = content.model
  const localeValues =
    locales && locale !== undefined
      ? localizeWithStatus(document, canonical, locales, locale, [locale])
      : canonical.values
  const fields = mergeFields(document, {}, localeValues)
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
  const { content, access, locale } = context
  const lentWriter = transaction.writer.lendToHook()
  const store = content.store.within(lentWriter)
  const sharedDetails: WriteEvent = { action, key: document.key, access, locale, store }
  const event = { ...sharedDetails, ...details } as Event
  try {
    const returned = await runner.runInTransaction(kind, hook, event, transaction.hookTime)
    await lentWriter.end()
    return returned
  } catch (error) {
    await lentWriter.end().catch(() => {})
    throw new HookRefusal(error instanceof DaybookError ? error : createHookFailure(document, hook, 'failed', error))
  }
}

/** Returns the fields that a hook has changed: it may return the whole document. */
function findChangedFields(data: Values, after: Values): Values {
  const changedFields = Object.entries(data).filter(
    ([key, value]) => JSON.stringify(value) !== JSON.stringify(after[key]),
  )
  return Object.fromEntries(changedFields)
}

/**
 * Converts the fields that a hook has changed to their stored form, with their derived fields.
 *
 * @throws VALIDATION_ERROR, FORBIDDEN, as for a body of the caller
 */
async function toStoredFields(
  document: CollectionModel | GlobalModel,
  context: WriteContext,
  changedFields: Values,
  {
    after,
    canonical,
    rights,
  }: { readonly after: Values; readonly canonical: CanonicalDocument; readonly rights: FieldRights },
): Promise<Values> {
  const input = checkBody(document, 'update', changedFields, rights)
  const readableValues = project(document, after, rights)
  const writable = dropUnwritable(document, context.access, input, readableValues)
  return prepareFields(document, writable, readableValues, createFieldTools(context, document, canonical))
}

type HookOwner = Pick<WriteHook<ChangeEvent>, 'owner'>

/** @throws INTERNAL_ERROR if a hook returns anything that no caller could send as data of the document */
function toData(document: CollectionModel | GlobalModel, returned: unknown, hook: HookOwner): Values {
  const data = plainJson(document, returned, hook)
  if (!isRecord(data)) throw createHookFailure(document, hook, 'must return an object of fields, or nothing')
  const unknown = Object.keys(data).find(
    (key) => !Object.hasOwn(document.fieldMap, key) && !document.ignoredKeys.has(key) && !AUTHOR_KEYS.includes(key),
  )
  if (unknown !== undefined)
    throw createHookFailure(document, hook, `returned ${unknown}, which is not a field of ${document.key}`)
  // A hook may return the whole document, and the caller may not be allowed to see its authors.
  return Object.fromEntries(Object.entries(data).filter(([key]) => !AUTHOR_KEYS.includes(key)))
}

function plainJson(document: CollectionModel | GlobalModel, returned: unknown, hook: HookOwner): unknown {
  try {
    return toPlainJson(returned)
  } catch (error) {
    throw createHookFailure(document, hook, 'returned a value that JSON cannot represent', error)
  }
}

const createHookFailure = (
  { key }: CollectionModel | GlobalModel,
  { owner }: HookOwner,
  problem: string,
  cause?: unknown,
): DaybookError => createHookError(`A hook of ${key} (${owner}) ${problem}`, cause)
