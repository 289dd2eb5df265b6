import { DaybookError } from '../../errors.ts'
import type { DocumentModel, Model } from '../../model/model.ts'
import type { Reader } from '../../store/reads/reader.ts'
import type { FieldReference } from '../../store/rows.ts'
import { FULL_RIGHTS } from '../access/field-access.ts'
import { findMissingFields, type Values } from '../documents/document.ts'
import { findReferences } from '../documents/find-references.ts'
import { type MigratedDocument, migrateDocument } from '../documents/migrate-document.ts'
import { checkBody } from '../writes/body.ts'
import { findFieldsToFill, findRefusedInDraft, type StoredText } from './fill.ts'
import { formatValue, hasConvertingFill } from './schema-migration.ts'
import { iteratePages } from './stored-content.ts'

/** A stored value that the config would reject in a write, or that it can fill or convert. */
export interface InvalidValue {
  /** `posts.summary`: the collection or global, and the field. */
  readonly path: string
  /**
   * The code of the issue, such as `required` or `maxLength`; `fill` if the value is empty and the field has a `fill`; `convert` if the
   * field has a `fill` for the stored value; `lose` if the value would be lost.
   */
  readonly kind: string
  /** The problem, such as `is required`. */
  readonly message: string
  /** The id of the entry, or the key of the global. */
  readonly id: string
}

interface StoredDocument {
  readonly id: string
  readonly row: StoredText & { readonly draft?: string | null }
}

/** Finds every stored value that is invalid under the config. Reads all content; each document is named once for a field and kind. */
export async function* findInvalidValues(read: Reader, model: Model): AsyncGenerator<InvalidValue> {
  const stored = new Set(await read.system.storedCollections())
  for (const collection of model.collections.values()) {
    if (!stored.has(collection.key)) continue
    for await (const page of iteratePages(read, collection)) {
      const documents = page.map((row) => ({ id: row.id, row }))
      yield* await checkDocuments({ read, model, stored }, collection, documents)
    }
  }
  for (const global of model.globals.values()) {
    const row = await read.globals.byKey(global.key)
    if (row) yield* await checkDocuments({ read, model, stored }, global, [{ id: global.key, row }])
  }
}

interface CheckContext {
  readonly read: Reader
  readonly model: Model
  /** The collections that the store has tables for. */
  readonly stored: ReadonlySet<string>
}

async function checkDocuments(
  context: CheckContext,
  document: DocumentModel,
  documents: readonly StoredDocument[],
): Promise<readonly InvalidValue[]> {
  const migrated = documents.map(({ id, row }) => ({ id, row, move: migrateDocument(document, row) }))
  const missing = await findMissingTargets(
    context,
    migrated.flatMap(({ move: migratedDocument }) => findReferences(document, migratedDocument.values)),
  )
  return migrated.flatMap(({ id, row, move: migratedDocument }) =>
    checkDocument(document, { id, row, move: migratedDocument }, missing),
  )
}

const getTargetKey = ({ collection, id }: Pick<FieldReference, 'collection' | 'id'>): string => `${collection} ${id}`

/** Finds the targets that do not exist, such as entries of a collection that the field no longer names. */
async function findMissingTargets(
  { read, model, stored }: CheckContext,
  references: readonly FieldReference[],
): Promise<ReadonlySet<string>> {
  const missing = new Set(references.map(getTargetKey))
  for (const [key, group] of Map.groupBy(references, ({ collection }) => collection)) {
    const target = model.collections.get(key)
    if (!target || !stored.has(key)) continue
    const ids = [...new Set(group.map(({ id }) => id))]
    for (const { id } of await read.entries.statuses(target, ids)) missing.delete(getTargetKey({ collection: key, id }))
  }
  return missing
}

function checkDocument(
  document: DocumentModel,
  { id, row, move: migratedDocument }: StoredDocument & { readonly move: MigratedDocument },
  missing: ReadonlySet<string>,
): readonly InvalidValue[] {
  const fieldsToFill = findFieldsToFill(document, row, migratedDocument)
  const unfilled = new Set([...fieldsToFill.keys()].map(({ key }) => key))
  const problems = [
    ...[...fieldsToFill].map(([{ key }, reason]) => ({ field: key, ...FILL_PROBLEMS[reason] })),
    ...findRefusedInDraft(document, row).map(({ key }) => ({ field: key, ...FILL_PROBLEMS.refused })),
    ...findRefusedValues(document, migratedDocument),
    ...findMissingValues(document, migratedDocument.values).filter(({ field }) => !unfilled.has(field)),
    ...findInvalidFields(document, migratedDocument.values),
    ...findDanglingReferences(document, migratedDocument.values, missing),
  ]
  const invalidValues = new Map<string, InvalidValue>()
  for (const { field, kind, message } of problems) {
    const path = `${document.key}.${field}`
    if (!invalidValues.has(`${path} ${kind}`)) invalidValues.set(`${path} ${kind}`, { path, kind, message, id })
  }
  return [...invalidValues.values()]
}

type Problem = Pick<InvalidValue, 'kind' | 'message'> & { readonly field: string }

const FILL_PROBLEMS: Readonly<Record<'empty' | 'refused', Pick<InvalidValue, 'kind' | 'message'>>> = {
  empty: { kind: 'fill', message: 'is empty and can be filled in' },
  refused: { kind: 'convert', message: 'does not accept the stored value, which can be replaced by the fill' },
}

/** Finds stored values that their field does not accept, and that no fill converts. */
function findRefusedValues(document: DocumentModel, { lost }: MigratedDocument): readonly Problem[] {
  return lost.flatMap((value) => {
    const field = value.path.split('.')[0] ?? ''
    if (!('refused' in value) || hasConvertingFill(document, field)) return []
    return [{ field, kind: 'lose', message: `does not accept the stored value ${formatValue(value.refused)}` }]
  })
}

/** Finds missing required values. The service generates slugs and statuses, so they are not checked. */
function findMissingValues({ fields }: DocumentModel, values: Values): readonly Problem[] {
  return fields
    .filter(
      (fieldModel) => fieldModel.field.type.role === undefined && findMissingFields(fieldModel, values).length > 0,
    )
    .map(({ key }) => ({ field: key, kind: 'required', message: 'is required' }))
}

function findDanglingReferences(
  document: DocumentModel,
  values: Values,
  missing: ReadonlySet<string>,
): readonly Problem[] {
  return findReferences(document, values)
    .filter((reference) => missing.has(getTargetKey(reference)))
    .map(({ field, collection }) => ({
      field: field.split('.')[0] ?? field,
      kind: `reference ${collection}`,
      message: `refers to an entry that does not exist in ${collection}`,
    }))
}

function findInvalidFields(document: DocumentModel, values: Values): readonly Problem[] {
  const fields = document.fields.map(({ key }) => [key, values[key]] as const).filter(([, value]) => value !== null)
  try {
    checkBody(document, 'update', Object.fromEntries(fields), FULL_RIGHTS)
    return []
  } catch (error) {
    if (!(error instanceof DaybookError)) throw error
    const { issues = [] } = error.details
    return issues.map(({ path, code, message }) => ({
      field: path.split('/')[1] ?? '',
      kind: code,
      message: `has an invalid value: ${message.replace(/\.$/, '')}`,
    }))
  }
}
