import { StartupError, validationError, validationErrorAt } from '../../errors.ts'
import type { JsonSchema } from '../../fields/field.ts'
import type { CollectionModel, DocumentModel, GlobalModel, Model } from '../../model/model.ts'
import { type Validator, Validators } from '../../model/validator.ts'
import type { Schedule } from '../../store/records/schedules.ts'
import type { Values } from '../documents/document.ts'
import { collectOrphaned, pickUnplaced } from '../documents/orphaned-values.ts'
import { refuseHostile } from '../documents/plain-json.ts'
import { readStoredValues, serializeLocales } from '../documents/row.ts'
import { EXPORT_VERSION, type ExportCounts, type ExportHeader } from './export-lines.ts'

interface EntryLine extends DocumentLine {
  readonly collection: string
  readonly id: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly slug: string | null
  readonly status: string | null
  readonly draft?: DraftPart
  readonly schedule?: readonly SchedulePart[]
}

interface DraftPart extends DocumentLine {
  readonly updatedAt: string
}

interface SchedulePart extends Pick<Schedule, 'action' | 'at'> {
  /** Absent if the file names no authors. */
  readonly by?: string
  readonly locales?: readonly string[]
}

interface GlobalLine extends DocumentLine {
  readonly global: string
  readonly updatedAt?: string
}

interface DocumentLine {
  /** Absent if the file names no authors. */
  readonly createdBy?: string | null
  readonly updatedBy?: string | null
  /** The schema hash of the model under which the document was exported. */
  readonly schemaHash: string
  readonly document: Values
  readonly locales?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** The locales in which the entry is published, if not all. */
  readonly publishedLocales?: readonly string[]
  readonly orphaned?: Values
}

/** An entry or a global of the file, with its model. */
export type RestoreLine =
  | { readonly kind: 'entry'; readonly collection: CollectionModel; readonly line: EntryLine }
  | { readonly kind: 'global'; readonly global: GlobalModel; readonly line: GlobalLine }

const TEXT_SCHEMA: JsonSchema = { type: 'string' }
const TIME_SCHEMA: JsonSchema = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' }
const COUNT_SCHEMA: JsonSchema = { type: 'integer', minimum: 0 }
const OBJECT_SCHEMA: JsonSchema = { type: 'object' }

/** The validators of lines, which do not depend on the config. */
const validators = new Validators()

type Properties = Readonly<Record<string, JsonSchema>>

function createObjectSchema(required: Properties, optional: Properties = {}): JsonSchema {
  const properties = { ...required, ...optional }
  return { type: 'object', properties, required: Object.keys(required), additionalProperties: false }
}

const createValidator = (required: Properties, optional?: Properties): Validator =>
  validators.make(createObjectSchema(required, optional))

const DOCUMENT_KEYS = { schemaHash: TEXT_SCHEMA, document: OBJECT_SCHEMA }
const AUTHOR_SCHEMA: JsonSchema = { type: ['string', 'null'], maxLength: 512 }
const OPTIONAL_DOCUMENT_KEYS = {
  createdBy: AUTHOR_SCHEMA,
  updatedBy: AUTHOR_SCHEMA,
  locales: { type: 'object', additionalProperties: OBJECT_SCHEMA },
  orphaned: OBJECT_SCHEMA,
}

const { createdBy: _createdBy, ...OPTIONAL_DRAFT_KEYS } = OPTIONAL_DOCUMENT_KEYS
const DRAFT_SCHEMA = createObjectSchema({ updatedAt: TIME_SCHEMA, ...DOCUMENT_KEYS }, OPTIONAL_DRAFT_KEYS)
const SCHEDULE_SCHEMA = createObjectSchema(
  { action: { enum: ['publish', 'unpublish'] }, at: TIME_SCHEMA },
  { by: { type: 'string', maxLength: 512 }, locales: { type: 'array', minItems: 1, items: TEXT_SCHEMA } },
)

const checkHeader = createValidator(
  { daybook: { const: EXPORT_VERSION }, at: TIME_SCHEMA, seq: COUNT_SCHEMA },
  { since: COUNT_SCHEMA, locale: TEXT_SCHEMA },
)
const checkCounts = createValidator({
  counts: {
    type: 'object',
    properties: { collections: { type: 'object', additionalProperties: COUNT_SCHEMA }, globals: COUNT_SCHEMA },
    required: ['collections', 'globals'],
    additionalProperties: false,
  },
})
const checkEntry = createValidator(
  {
    collection: TEXT_SCHEMA,
    id: { type: 'string', pattern: '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$' },
    createdAt: TIME_SCHEMA,
    updatedAt: TIME_SCHEMA,
    slug: { type: ['string', 'null'] },
    status: { type: ['string', 'null'] },
    ...DOCUMENT_KEYS,
  },
  {
    ...OPTIONAL_DOCUMENT_KEYS,
    publishedLocales: { type: 'array', minItems: 1, items: TEXT_SCHEMA },
    draft: DRAFT_SCHEMA,
    schedule: { type: 'array', maxItems: 2, items: SCHEDULE_SCHEMA },
  },
)
const checkGlobal = createValidator(
  { global: TEXT_SCHEMA, ...DOCUMENT_KEYS },
  { updatedAt: TIME_SCHEMA, ...OPTIONAL_DOCUMENT_KEYS },
)

/** @throws VALIDATION_ERROR */
function parseLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    throw validationErrorAt('/', 'json', 'The line must be well-formed JSON (RFC 8259).')
  }
}

/** @throws VALIDATION_ERROR */
function requireValidLine<T>(check: Validator, value: unknown): T {
  const issues = check(value)
  if (issues.length > 0) throw validationError(issues)
  return value as T
}

/**
 * Parses the first line of a file.
 *
 * @throws {StartupError} if the file is not an export, or cannot be restored into this service
 */
export function readHeader(line: string, { locales }: Model): ExportHeader {
  const header = tryParse(() => requireValidLine<ExportHeader>(checkHeader, parseLine(line)))
  if (!header) throw new StartupError('It is not an export of Daybook, or a newer version of Daybook wrote it.')
  const { since, locale } = header
  if (since !== undefined) {
    throw new StartupError(`It contains only the changes after ${since}. Restore from a complete export.`)
  }
  if (locale !== undefined && locale !== locales?.default) {
    const defaultText = locales ? `has "${locales.default}"` : 'has no locales'
    throw new StartupError(
      `Its default locale is "${locale}", but the config ${defaultText}. Restore with "${locale}" first.`,
    )
  }
  return header
}

/** Parses the last line of a file; `undefined` if it is not the last line of an export. */
export function readCounts(line: string): ExportCounts | undefined {
  return tryParse(() => requireValidLine<{ readonly counts: ExportCounts }>(checkCounts, parseLine(line)).counts)
}

function tryParse<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

/**
 * Parses the line of an entry or a global.
 *
 * @throws VALIDATION_ERROR if it is invalid, or the config does not have its collection or global
 */
export function readLine(text: string, { collections, globals }: Model): RestoreLine {
  const value = parseLine(text)
  if (typeof value === 'object' && value !== null && 'global' in value) {
    const line = requireValidLine<GlobalLine>(checkGlobal, value)
    const global = globals.get(line.global)
    if (!global) {
      const { global: name } = line
      throw validationErrorAt('/global', 'unknown', `The config has no global "${name}".`, { name })
    }
    return { kind: 'global', global, line }
  }
  const line = requireValidLine<EntryLine>(checkEntry, value)
  const collection = collections.get(line.collection)
  if (!collection) {
    const { collection: name } = line
    throw validationErrorAt('/collection', 'unknown', `The config has no collection "${name}".`, { name })
  }
  return { kind: 'entry', collection, line }
}

/**
 * Checks the documents of a line for values that the store could not hold or would lose.
 *
 * @throws VALIDATION_ERROR
 */
export function checkLine(read: RestoreLine): void {
  if (read.kind === 'global') {
    checkDocument(read.global, read.line)
    return
  }
  const { collection, line } = read
  const { slug, status, schemaHash, document, draft, schedule = [] } = line
  refuseHostile({ slug, status })
  checkDocument(collection, line)
  if (schemaHash === collection.schemaHash) requireStatus(collection, document)
  if (draft) checkDocument(collection, draft, '/draft')
  refuseHostile(schedule.map(({ by, locales }) => ({ by, locales })))
  if (new Set(schedule.map(({ action }) => action)).size < schedule.length)
    throw validationErrorAt('/schedule', 'duplicate', 'must have at most one time for each action')
}

/** @param path the path of the document in the line */
function checkDocument(model: DocumentModel, line: DocumentLine, path = ''): void {
  const { schemaHash, document, locales = {}, orphaned = {}, createdBy, updatedBy } = line
  refuseHostile({ createdBy, updatedBy })
  for (const values of [document, orphaned, ...Object.values(locales)]) refuseHostile(values)
  if (schemaHash !== model.schemaHash) return
  const [unplacedKey] = Object.keys(pickUnplaced(model, document))
  if (unplacedKey !== undefined) {
    throw validationErrorAt(`${path}/document/${unplacedKey}`, 'unknown_field', `is not a field of ${model.key}`)
  }
}

/** Checks that an entry has a status: without one, nobody could read it. */
function requireStatus({ status }: CollectionModel, document: Values): void {
  if (!status || typeof document[status.key] === 'string') return
  throw validationErrorAt(`/document/${status.key}`, 'required', 'is required')
}

/** A document to store: its values under the current schema, and its orphaned values. */
export interface RestoredDocument {
  readonly values: Values
  readonly orphaned: string | null
  readonly locales: string | null
}

/** Returns the document of a line. A document of another schema is converted to the current one, as in the store. */
export function toRestoredDocument(model: DocumentModel, line: DocumentLine, status: string | null): RestoredDocument {
  const { schemaHash, document, locales: translations = {}, publishedLocales } = line
  const orphaned = line.orphaned ? JSON.stringify(line.orphaned) : null
  const locales = serializeLocales({ translations, ...(publishedLocales ? { publishedLocales } : {}) })
  if (schemaHash === model.schemaHash) return { values: document, orphaned, locales }
  const row = { schema_hash: schemaHash, status, doc: JSON.stringify(document), orphaned }
  return { values: readStoredValues(model, row), orphaned: collectOrphaned(model, row), locales }
}
