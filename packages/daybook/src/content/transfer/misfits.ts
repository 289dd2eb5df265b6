import { DaybookError } from '../../errors.ts'
import type { DocumentModel, Model } from '../../model/model.ts'
import type { Reader } from '../../store/reads/read.ts'
import type { StoredEntry } from '../../store/reads/rows.ts'
import { FULL_RIGHTS } from '../access/field-access.ts'
import { missingFields, type Values } from '../document.ts'
import { checkBody } from '../writes/body.ts'
import { entriesAfter } from './migration.ts'
import { moveDocument } from './move-document.ts'

/** A stored value that the present config would refuse in a write. */
export interface Misfit {
  /** `posts.summary`: the collection or global, and the field. */
  readonly path: string
  /** The code of the refusal, such as `required` or `maxLength`. */
  readonly kind: string
  /** What a write would be told: `is required`. */
  readonly message: string
  /** An entry's id, or a global's key. */
  readonly id: string
}

/** Every value that does not hold under the present config. Reads everything that is stored; each document is named once for a field and kind. */
export async function* findMisfits(read: Reader, model: Model): AsyncGenerator<Misfit> {
  const stored = new Set(await read.system.storedCollections())
  for (const collection of model.collections.values()) {
    if (!stored.has(collection.key)) continue
    for await (const entry of entriesAfter(read, collection)) yield* misfitsOf(collection, entry, entry.id)
  }
  for (const global of model.globals.values()) {
    const row = await read.globals.byKey(global.key)
    if (row) yield* misfitsOf(global, row, global.key)
  }
}

function misfitsOf(document: DocumentModel, row: Pick<StoredEntry, 'doc' | 'kept'>, id: string): readonly Misfit[] {
  const { values } = moveDocument(document, row)
  const found = new Map<string, Misfit>()
  for (const { field, kind, message } of [...missingIn(document, values), ...refusedIn(document, values)]) {
    const path = `${document.key}.${field}`
    if (!found.has(`${path} ${kind}`)) found.set(`${path} ${kind}`, { path, kind, message, id })
  }
  return [...found.values()]
}

type Fault = Pick<Misfit, 'kind' | 'message'> & { readonly field: string }

/** Required values that are not there. Slugs and statuses are made by the service. */
function missingIn({ fields }: DocumentModel, values: Values): readonly Fault[] {
  return fields
    .filter((one) => one.field.type.role === undefined && missingFields(one, values[one.key]).length > 0)
    .map(({ key }) => ({ field: key, kind: 'required', message: 'is required' }))
}

function refusedIn(document: DocumentModel, values: Values): readonly Fault[] {
  const fields = document.fields.map(({ key }) => [key, values[key]] as const).filter(([, value]) => value !== null)
  try {
    checkBody(document, 'update', Object.fromEntries(fields), FULL_RIGHTS)
    return []
  } catch (error) {
    if (!(error instanceof DaybookError)) throw error
    const { issues = [] } = error.details
    return issues.map(({ path, code, message }) => ({ field: path.split('/')[1] ?? '', kind: code, message }))
  }
}
