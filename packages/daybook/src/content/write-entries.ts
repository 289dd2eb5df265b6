import { v7 as uuidv7 } from 'uuid'
import type { Caller } from '../auth/adapter.ts'
import { DaybookError } from '../errors.ts'
import { isUuidShaped } from '../fields/slug.ts'
import type { CollectionModel } from '../model/model.ts'
import { UniqueViolation } from '../store/database.ts'
import type { Reader, StoredEntry } from '../store/read.ts'
import type { EntryDraft, FieldReference, Writer } from '../store/write.ts'
import { demandWrite, hiddenFields, isVisible, withoutUnwritable } from './access.ts'
import { checkBody } from './body.ts'
import {
  choicesOf,
  demandRequired,
  mergeFields,
  referencesOf,
  settleFields,
  unplaced,
  type Values,
} from './document.ts'
import { actorOf, type Engine, type EntryAnswer, type RunWrite } from './engine.ts'
import { storedValues, tagOf, toEntryAnswer, withSystem } from './present.ts'
import { demandTargets } from './references.ts'
import { chooseSlug } from './slugs.ts'
import { demandPreconditions, type Preconditions } from './tags.ts'

/** What a write may say besides its data. */
export interface WriteOptions extends Preconditions {
  /** When the entry was first written, for imports; ISO 8601. @default now */
  readonly createdAt?: string
}

/**
 * Creates an entry.
 *
 * @throws VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN; CONFLICT with `details.field` when a unique value is taken
 */
export async function createEntry(
  engine: Engine,
  collection: CollectionModel,
  body: unknown,
  caller: Caller,
  options: WriteOptions = {},
  run: RunWrite = (work) => engine.store.transaction(work),
): Promise<EntryAnswer> {
  const hidden = hiddenFields(collection, caller)
  const input = checkBody(collection, 'create', body, caller, hidden)
  await demandWrite(collection.access.create, caller)
  const values = await settleFields(
    collection,
    withoutUnwritable(collection, caller, input, undefined),
    undefined,
    engine.tools,
  )
  const now = new Date().toISOString()
  const createdAt = options.createdAt ?? now
  const id = uuidv7({ msecs: Math.max(0, Date.parse(createdAt)) })
  return run(async (writer) => {
    const chosen = await chooseSlug(writer.read, collection, values)
    demandRequired(collection, chosen)
    const references = await demandTargets(engine, writer.read, collection, chosen, [], caller)
    const draft = toDraft(collection, { id, values: chosen, createdAt, updatedAt: now, references, kept: null })
    const seq = await settleConflict(() => writer.createEntry(collection, draft, actorOf(caller)))
    return toEntryAnswer(collection, { ...draft, seq }, { hidden })
  })
}

/**
 * Changes the fields that the body names.
 *
 * @throws VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN, NOT_FOUND, PRECONDITION_REQUIRED; PRECONDITION_FAILED with
 * `details.current`; CONFLICT with `details.field`
 */
export async function updateEntry(
  engine: Engine,
  collection: CollectionModel,
  id: string,
  body: unknown,
  caller: Caller,
  options: WriteOptions = {},
  run: RunWrite = (work) => engine.store.transaction(work),
): Promise<EntryAnswer> {
  const hidden = hiddenFields(collection, caller)
  const input = checkBody(collection, 'update', body, caller, hidden)
  const found = await demandStored(engine.store.read, collection, id, caller)
  await demandWrite(collection.access.update, caller)
  demandCurrent(collection, found, hidden, options)
  const before = storedValues(collection, found)
  const patch = await settleFields(
    collection,
    withoutUnwritable(collection, caller, input, before),
    before,
    engine.tools,
  )
  return run(async (writer) => {
    const stored = await demandStored(writer.read, collection, id, caller)
    demandCurrent(collection, stored, hidden, options)
    const draft = await mergeDraft(engine, writer, collection, stored, patch, caller)
    if (stored.shape === collection.shape && isSame(stored.doc, draft.value))
      return toEntryAnswer(collection, stored, { hidden })
    const seq = await settleConflict(() => writer.updateEntry(collection, stored, draft, actorOf(caller)))
    return toEntryAnswer(collection, { ...draft, seq }, { hidden })
  })
}

/**
 * Deletes an entry.
 *
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND, PRECONDITION_REQUIRED, PRECONDITION_FAILED
 */
export async function deleteEntry(
  engine: Engine,
  collection: CollectionModel,
  id: string,
  caller: Caller,
  options: WriteOptions = {},
  run: RunWrite = (work) => engine.store.transaction(work),
): Promise<{ readonly seq: number }> {
  const hidden = hiddenFields(collection, caller)
  return run(async (writer) => {
    const stored = await demandStored(writer.read, collection, id, caller)
    await demandWrite(collection.access.delete, caller)
    demandCurrent(collection, stored, hidden, options)
    const seq = await writer.deleteEntry(collection, stored, new Date().toISOString(), actorOf(caller))
    return { seq }
  })
}

async function demandStored(
  read: Reader,
  collection: CollectionModel,
  id: string,
  caller: Caller,
): Promise<StoredEntry> {
  const stored = isUuidShaped(id) ? await read.stored(collection, id.toLowerCase()) : undefined
  if (!stored || !isVisible(stored.status, caller)) throw new DaybookError('NOT_FOUND')
  return stored
}

function demandCurrent(
  collection: CollectionModel,
  stored: StoredEntry,
  hidden: ReadonlySet<string>,
  options: WriteOptions,
): void {
  const current = tagOf(collection, stored.seq, { hidden })
  demandPreconditions(options, stored.seq, current, collection.requireIfMatch)
}

async function mergeDraft(
  engine: Engine,
  writer: Writer,
  collection: CollectionModel,
  stored: StoredEntry,
  patch: Values,
  caller: Caller,
): Promise<EntryDraft> {
  const before = storedValues(collection, stored)
  const values = await chooseSlug(writer.read, collection, mergeFields(collection, before, patch))
  demandRequired(collection, values)
  const references = await demandTargets(
    engine,
    writer.read,
    collection,
    values,
    referencesOf(collection, before),
    caller,
  )
  const raw: Values = JSON.parse(stored.doc)
  const left = { ...(stored.kept ? JSON.parse(stored.kept) : {}), ...unplaced(collection, raw) }
  return toDraft(collection, {
    id: stored.id,
    values,
    createdAt: stored.created_at,
    updatedAt: new Date().toISOString(),
    references,
    kept: Object.keys(left).length > 0 ? JSON.stringify(left) : null,
  })
}

interface DraftParts {
  readonly id: string
  readonly values: Values
  readonly createdAt: string
  readonly updatedAt: string
  readonly references: readonly FieldReference[]
  readonly kept: string | null
}

function toDraft(collection: CollectionModel, parts: DraftParts): EntryDraft {
  const { id, values, createdAt, updatedAt, references, kept } = parts
  const value = withSystem(collection, { id, createdAt, updatedAt }, mergeFields(collection, {}, values))
  const { slug, status, shape } = collection
  return {
    id,
    slug: slug ? String(values[slug.key]) : null,
    status: status ? String(values[status.key]) : null,
    created_at: createdAt,
    updated_at: updatedAt,
    shape,
    kept,
    value,
    references,
    choices: choicesOf(collection, values),
    doc: JSON.stringify(value),
  }
}

/** Whether a write would change nothing but the time of the last change. */
function isSame(doc: string, next: Values): boolean {
  const stored: Values = JSON.parse(doc)
  return JSON.stringify({ ...stored, updatedAt: null }) === JSON.stringify({ ...next, updatedAt: null })
}

async function settleConflict<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof UniqueViolation)) throw error
    throw new DaybookError('CONFLICT', `Another entry has this ${error.field}.`, { field: error.field }, error)
  }
}
