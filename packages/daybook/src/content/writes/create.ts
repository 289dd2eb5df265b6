import { v7 as uuidv7 } from 'uuid'
import { validationErrorAt } from '../../errors.ts'
import { parseTimestamp } from '../../fields/date.ts'
import type { CollectionModel } from '../../model/model.ts'
import type { AccessFilter } from '../../query/where.ts'
import type { Reader } from '../../store/reads/reader.ts'
import type { WrittenEntry } from '../../store/rows.ts'
import type { Writer } from '../../store/writes/writer.ts'
import { explainFilter } from '../access/explain-filter.ts'
import {
  authorizeRequiredFields,
  dropUnwritable,
  type FieldRights,
  resolveFieldRights,
} from '../access/field-access.ts'
import type { Values } from '../documents/document.ts'
import { prepareFields } from '../documents/prepare-fields.ts'
import { type RowParts, toRow } from '../documents/row.ts'
import type { CanonicalDocument } from '../locales/localized.ts'
import type { EntryResponse } from '../reads/response.ts'
import { checkBody, checkKeys } from './body.ts'
import { compose } from './compose.ts'
import { createFieldTools, type HookedDocument, hooksFor, type WriteContext } from './context.ts'
import { explainUniqueViolation, toWrittenResponse } from './entry-target.ts'
import { requireParent } from './parents.ts'
import type { PreparedWrite } from './pipeline.ts'
import { ensureFreeRank } from './ranks.ts'
import { runBeforeChange, runBeforeValidate } from './run-hooks.ts'
import { chooseSlug, resolveFallbackSlugs, updateFallbackSlugs } from './slugs.ts'

/** The body of a new entry, validated without the store. */
export interface CreateBody {
  /** The fields that the body names; not validated yet if `beforeValidate` hooks run. */
  readonly fields: Values
  readonly rights: FieldRights
  /** The `beforeValidate` hooks, which run before the fields are validated. */
  readonly hooks: HookedDocument | undefined
}

/** The values and the final step of an upload, which the service adds to its entry. */
export interface UploadedParts {
  /** The values of the fields that describe the file. */
  readonly values: Values
  /** Runs in the transaction that stores the entry. */
  complete(writer: Writer): Promise<void>
}

/** The options of a new entry besides its data. */
export interface NewEntryOptions {
  /** The time of the creation, for imports; ISO 8601. @default now */
  readonly createdAt?: string
  /** The uploaded file of the entry, in the collection that holds files. */
  readonly upload?: UploadedParts
}

/**
 * Parses the body of a new entry.
 *
 * @throws VALIDATION_ERROR
 */
export function parseCreate(
  context: WriteContext,
  collection: CollectionModel,
  body: unknown,
  { upload }: Pick<NewEntryOptions, 'upload'> = {},
): CreateBody {
  if (collection.holdsFiles && !upload)
    throw validationErrorAt('/', 'upload', 'A new asset needs a file. Upload it with POST to /api/assets.')
  const rights = resolveFieldRights(collection, context.access)
  const hooks = hooksFor(context, collection, 'beforeValidate')
  const fields = (hooks ? checkKeys : checkBody)(collection, 'create', body, rights)
  return { fields, rights, hooks }
}

/**
 * Prepares a new entry.
 *
 * @throws VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN; its commit also CONFLICT with `details.field` if a unique value is taken
 */
export async function prepareCreate(
  context: WriteContext,
  collection: CollectionModel,
  body: CreateBody,
  options: NewEntryOptions = {},
): Promise<PreparedWrite<EntryResponse>> {
  const { access, author, locale } = context
  const { rights } = body
  const { upload } = options
  const filter = await access.authorizeWrite(collection, 'create')
  const input = dropUnwritable(collection, access, await readFields(context, collection, body), undefined)
  const fields = { ...input, ...upload?.values }
  const patch = await prepareFields(collection, fields, undefined, createFieldTools(context, collection))
  authorizeRequiredFields(collection, patch, rights, access)
  const { id, ...times } = createIdentity(options.createdAt)
  const system = { id, ...times, createdBy: author, updatedBy: author }
  const hooks = hooksFor(context, collection, 'beforeChange', 'validate')
  // No unique index guards a rank or a slug that falls back, so no other create may run between the look-ups and the insert.
  const hasFallbackSlug = collection.slug !== undefined && collection.localized.has(collection.slug.key)
  return {
    exclusive: hooks !== undefined,
    concurrent: !upload && !hasFallbackSlug && !collection.orderable,
    commit: async (transaction) => {
      const { writer } = transaction
      const derive = async (values: Values): Promise<Values> => {
        await requireParent(writer.read, collection, values, undefined)
        return chooseSlug(writer.read, collection, values, locale)
      }
      const composition = { document: collection, before: undefined, patch, rights, derive }
      const composed = await compose(context, writer.read, composition)
      const change = { context, transaction, action: 'create', id, system } as const
      const { canonical } = hooks ? await runBeforeChange(hooks, change, composition, composed) : composed
      const { row, seq } = await storeNewEntry(context, writer, collection, { ...system, canonical })
      await authorizeNewEntry(context, writer.read, collection, id, filter)
      await upload?.complete(writer)
      return toWrittenResponse(collection, row, seq, locale, rights)
    },
  }
}

/** Runs the `beforeValidate` hooks of a body and checks the fields that they return. */
async function readFields(
  context: WriteContext,
  collection: CollectionModel,
  { fields, rights, hooks }: CreateBody,
): Promise<Values> {
  if (!hooks) return fields
  const data = await runBeforeValidate(context, hooks, { action: 'create', id: undefined, data: fields })
  return checkBody(collection, 'create', data, rights)
}

/**
 * Returns the id and the times of a new entry. Ids begin with the time of creation, so they are generated after rendering: entries sort in
 * the order in which they are ready.
 *
 * @param createdAt the time of an import
 */
function createIdentity(createdAt: string | undefined): Pick<RowParts, 'id' | 'createdAt' | 'updatedAt'> {
  const now = new Date().toISOString()
  if (createdAt === undefined) return { id: uuidv7(), createdAt: now, updatedAt: now }
  const createdAtUtc = parseTimestamp(createdAt)
  // UUIDs of version 7 hold no time before 1970 (RFC 9562, section 5.7).
  if (createdAtUtc === undefined || Date.parse(createdAtUtc) < 0)
    throw validationErrorAt('/createdAt', 'format', 'must be a date-time of 1970 or later', { format: 'date-time' })
  return { id: uuidv7({ msecs: Date.parse(createdAtUtc) }), createdAt: createdAtUtc, updatedAt: now }
}

/**
 * Stores a new entry, or restores a deleted one.
 *
 * @throws CONFLICT with `details.field` if another entry has a unique value
 */
export async function storeNewEntry(
  { content, actor }: WriteContext,
  writer: Writer,
  collection: CollectionModel,
  parts: Omit<RowParts, 'orphaned' | 'draft'>,
): Promise<{ readonly row: WrittenEntry; readonly canonical: CanonicalDocument; readonly seq: number }> {
  const { model } = content
  const withSlugs = await resolveFallbackSlugs(model, writer.read, collection, parts.canonical, parts.id)
  const canonical = { ...withSlugs, values: await ensureFreeRank(writer.read, collection, withSlugs.values, parts.id) }
  const row = toRow(model, collection, { ...parts, canonical, orphaned: null, draft: null })
  const seq = await explainUniqueViolation(collection, () => writer.entries.create(collection, row, actor))
  await updateFallbackSlugs(content, writer, collection, row, actor)
  return { row, canonical, seq }
}

/**
 * Checks a stored new entry against the filter of the rule that admitted it.
 *
 * @throws UNAUTHORIZED; FORBIDDEN, which names the required values of the fields that the caller may read
 */
export async function authorizeNewEntry(
  { access, scope }: WriteContext,
  read: Reader,
  collection: CollectionModel,
  id: string,
  filter: AccessFilter | undefined,
): Promise<void> {
  if (!filter) return
  await access.authorizeEntry(read, collection, id, filter, () => explainFilter(filter.where, collection, scope))
}
