import { DaybookError } from '../../errors.ts'
import { isRecord } from '../../fields/field.ts'
import type { Issue } from '../../issues.ts'
import type { CollectionModel, GlobalModel } from '../../model/model.ts'
import { PEOPLE_KEYS } from '../../model/people.ts'
import { type FieldRights, withoutUnwritable } from '../access/field-access.ts'
import { mergeFields, settleFields, type Values } from '../document.ts'
import {
  brokenHook,
  type ChangeEvent,
  type DocumentHooks,
  HookRefusal,
  type TransactionHook,
  type ValidateEvent,
  type ValidatorAnswer,
  type WriteAction,
  type WriteEvent,
  type WriteHook,
  type WriteHooks,
} from '../hooks.ts'
import type { Canonical } from '../locales/localized.ts'
import { showIn } from '../locales/published-locales.ts'
import { toPlainJson } from '../plain-json.ts'
import { project, withSystem } from '../reads/present.ts'
import { checkBody } from './body.ts'
import { type Composition, compose, valuesInLocale } from './compose.ts'
import { settleTools, type WriteContext } from './context.ts'
import type { WriteTransaction } from './pipeline.ts'
import type { StoredColumns } from './revision.ts'
import { concealedFields, issuesOf, requireNone, shownToValidators } from './validated.ts'

/** A document whose hooks run. */
export interface HookedDocument {
  readonly document: CollectionModel | GlobalModel
  readonly hooks: WriteHooks
  readonly own: DocumentHooks
}

/** The hooks of a document, where it has any of these kinds; `undefined`: it has none, and a write does nothing for them. */
export function hooksFor(
  { engine: { hooks } }: WriteContext,
  document: CollectionModel | GlobalModel,
  ...kinds: readonly (keyof DocumentHooks)[]
): HookedDocument | undefined {
  const own = hooks?.of(document)
  return hooks && own && kinds.some((kind) => own[kind].length > 0) ? { document, hooks, own } : undefined
}

/** What hooks are told of a write before its data is checked. */
export type ValidatedWrite = Pick<ValidateEvent, 'action' | 'id' | 'data'>

/**
 * The data of a write after its `beforeValidate` hooks.
 *
 * @throws what a hook throws; INTERNAL_ERROR when one fails or answers no data, SERVICE_UNAVAILABLE when one takes too long
 */
export async function runBeforeValidate(
  { engine, access, locale }: WriteContext,
  { document, hooks, own }: HookedDocument,
  { action, id, data }: ValidatedWrite,
): Promise<Values> {
  let current = data
  for (const hook of own.beforeValidate) {
    const event = {
      action,
      id,
      data: copyOf(current),
      key: document.key,
      access,
      locale,
      store: engine.store,
    }
    const answer = await hooks.runBeforeTransaction(hook, event)
    if (answer !== undefined) current = toData(document, answer, hook)
  }
  return current
}

/** A copy: a hook changes nothing by changing it. What cannot be copied is no JSON, and validation refuses it. */
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
  /** Keys that the document has besides its fields, with their values. */
  readonly system: Values
  /** The row that the write was made for; absent for a new entry. */
  readonly stored?: StoredRevision
  /** Reads that row again. */
  reload?(): Promise<StoredRevision>
}

type StoredRevision = Pick<StoredColumns, 'seq'>

/** What hooks leave of a write. */
export interface HookedResult {
  readonly canonical: Canonical
  /** The fields that the write and its hooks name, in the form in which they are stored. */
  readonly patch: Values
  /** Those of them that the writer and the hooks give. */
  readonly given: Values
  /** Whether a hook has changed the data. */
  readonly isChanged: boolean
}

/**
 * Runs the `beforeChange` hooks of a document that is about to be stored, and then its validators. What a hook answers goes the way
 * of what the caller sent: it is validated, checked against the caller's rights, and put together with the stored document.
 *
 * @throws {HookRefusal}; VALIDATION_ERROR, FORBIDDEN for what a hook answers
 */
export async function runBeforeChange(
  hooked: HookedDocument,
  change: HookedChange,
  composition: Composition,
  composed: Canonical,
): Promise<HookedResult> {
  const { document } = hooked
  const { context, transaction } = change
  const { writer } = transaction
  const { rights } = composition
  // A global that was never written is made of a blank row.
  const old = change.action === 'create' ? undefined : composition.before
  const before = old && shownTo(change, document, old.canonical)
  const { patch: first, given: own = first } = composition
  let result: HookedResult = { canonical: composed, patch: first, given: own, isChanged: false }
  for (const hook of hooked.own.beforeChange) {
    const { last } = writer
    const after = { ...shownTo(change, document, result.canonical), ...peopleAfter(change) }
    const answer = await runInTransaction(hooked, change, 'beforeChange', hook, { before, after, id: change.id })
    const hasWritten = writer.last !== last
    if (hasWritten) await requireUntouched(document, change, hook)
    const changed = answer === undefined ? {} : changedBy(toData(document, answer, hook), after)
    const isChanged = Object.keys(changed).length > 0
    if (!hasWritten && !isChanged) continue
    const answered = await settleAnswer(document, context, changed, { after, canonical: result.canonical, rights })
    const [patch, given] = [result.patch, result.given].map((one) => ({ ...one, ...answered })) as [Values, Values]
    // A hook that wrote may have taken a slug, or what the document refers to.
    const canonical = await compose(context, writer.read, { ...composition, patch, given })
    result = { canonical, patch, given, isChanged: result.isChanged || isChanged }
  }
  await requireValid(hooked, change, composition, result)
  return result
}

/**
 * Asks the validators about a document, as it will be stored.
 *
 * @throws {HookRefusal}; VALIDATION_ERROR with the issues of all of them
 */
async function requireValid(
  hooked: HookedDocument,
  change: HookedChange,
  { before, rights }: Composition,
  { canonical, given }: HookedResult,
): Promise<void> {
  const { document, own } = hooked
  if (own.validate.length === 0) return
  const { context, action, system } = change
  const show = (one: Canonical, hidden: ReadonlySet<string>): Values => {
    const fields = mergeFields(document, {}, valuesInLocale(one, document, context))
    return shownToValidators(document, withSystem(document, system, fields), hidden)
  }
  const concealed = concealedFields(rights, given)
  const after = show(canonical, concealed)
  const old = action === 'create' ? undefined : before
  const event = { before: old && show(old.canonical, rights.hidden), after, concealed }
  const issues: Issue[] = []
  for (const hook of own.validate) {
    const answers = await runInTransaction(hooked, change, 'validate', hook, event)
    const judged = { document, shown: after, concealed, owner: hook.owner }
    issues.push(...issuesOf(judged, answers as readonly ValidatorAnswer[]))
  }
  requireNone(issues)
}

/**
 * Runs the `beforeChange` hooks of a document that is about to be deleted.
 *
 * @throws {HookRefusal}
 */
export async function runBeforeDelete(hooked: HookedDocument, change: HookedChange, before: Canonical): Promise<void> {
  const { writer } = change.transaction
  for (const hook of hooked.own.beforeChange) {
    const { last } = writer
    const shown = shownTo(change, hooked.document, before)
    const states = { before: shown, after: undefined, id: change.id }
    const answer = await runInTransaction(hooked, change, 'beforeChange', hook, states)
    if (answer !== undefined)
      throw malformed(hooked.document, hook, 'answered data for a delete; throw, or answer nothing')
    if (writer.last !== last) await requireUntouched(hooked.document, change, hook)
  }
}

/** A hook that wrote the document itself would lose that to the write, or the write to that. */
async function requireUntouched(
  document: CollectionModel | GlobalModel,
  { stored, reload }: HookedChange,
  hook: WriteHook<ChangeEvent>,
): Promise<void> {
  const present = await reload?.().catch(() => undefined)
  const isUntouched = present?.seq === stored?.seq
  if (!isUntouched)
    throw malformed(document, hook, 'wrote the document that is being written; answer the change instead')
}

/** Who will have made and last changed a document once it is stored. */
const peopleAfter = ({ context: { person }, action, system }: HookedChange): Values => ({
  createdBy: action === 'create' ? person : system.createdBy,
  updatedBy: person,
})

/** A document as the written locale itself has it; a copy, whatever becomes of it. */
function shownTo(
  { context: { engine, locale }, system }: HookedChange,
  document: CollectionModel | GlobalModel,
  canonical: Canonical,
): Values {
  const { locales } = engine.model
  const shown =
    locales && locale !== undefined ? showIn(document, canonical, locales, locale, [locale]) : canonical.values
  const fields = mergeFields(document, {}, shown)
  const { createdBy, updatedBy } = system
  return structuredClone({ ...withSystem(document, system, fields), createdBy, updatedBy })
}

/** @throws {HookRefusal} */
async function runInTransaction<Event extends WriteEvent>(
  { document, hooks }: HookedDocument,
  { context, transaction, action }: HookedChange,
  kind: TransactionHook,
  hook: WriteHook<Event>,
  about: Omit<Event, keyof WriteEvent>,
): Promise<unknown> {
  const { engine, access, locale } = context
  const lent = transaction.writer.lend()
  const store = engine.store.within(lent)
  const common: WriteEvent = { action, key: document.key, access, locale, store }
  const event = { ...common, ...about } as Event
  try {
    const answer = await hooks.runInTransaction(kind, hook, event, transaction.hookTime)
    await lent.end()
    return answer
  } catch (error) {
    await lent.end().catch(() => {})
    throw new HookRefusal(error instanceof DaybookError ? error : malformed(document, hook, 'failed', error))
  }
}

/** What differs from the document that the hook was shown: an answer may be the whole of it. */
function changedBy(data: Values, after: Values): Values {
  const changed = Object.entries(data).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(after[key]))
  return Object.fromEntries(changed)
}

/**
 * What a hook changes, with what is made from it, in the form in which it is stored.
 *
 * @throws VALIDATION_ERROR, FORBIDDEN, as for a body of the caller
 */
async function settleAnswer(
  document: CollectionModel | GlobalModel,
  context: WriteContext,
  changed: Values,
  { after, canonical, rights }: { readonly after: Values; readonly canonical: Canonical; readonly rights: FieldRights },
): Promise<Values> {
  const input = checkBody(document, 'update', changed, rights)
  const seen = project(document, after, rights)
  const { access } = context
  const tools = settleTools(context, document, canonical)
  return settleFields(document, withoutUnwritable(document, access, input, seen), seen, tools)
}

/** @throws INTERNAL_ERROR for what no caller could send as data of the document */
function toData(
  document: CollectionModel | GlobalModel,
  answer: unknown,
  hook: Pick<WriteHook<ChangeEvent>, 'owner'>,
): Values {
  const data = plainJson(document, answer, hook)
  if (!isRecord(data)) throw malformed(document, hook, 'must answer an object of fields, or nothing')
  const unknown = Object.keys(data).find(
    (key) => !Object.hasOwn(document.fieldMap, key) && !document.ignoredKeys.has(key) && !PEOPLE_KEYS.includes(key),
  )
  if (unknown !== undefined)
    throw malformed(document, hook, `answered ${unknown}, which is no field of ${document.key}`)
  // The caller may not know people, and the answer may be the whole document.
  return Object.fromEntries(Object.entries(data).filter(([key]) => !PEOPLE_KEYS.includes(key)))
}

function plainJson(
  document: CollectionModel | GlobalModel,
  answer: unknown,
  hook: Pick<WriteHook<ChangeEvent>, 'owner'>,
): unknown {
  try {
    return toPlainJson(answer)
  } catch (error) {
    throw malformed(document, hook, 'answered what JSON cannot hold', error)
  }
}

const malformed = (
  { key }: CollectionModel | GlobalModel,
  { owner }: Pick<WriteHook<ChangeEvent>, 'owner'>,
  fault: string,
  cause?: unknown,
): DaybookError => brokenHook(`A hook of ${key} (${owner}) ${fault}`, cause)
