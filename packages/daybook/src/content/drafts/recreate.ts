import type { Reference } from '../../fields/field.ts'
import type { CollectionModel } from '../../model/model.ts'
import { resolveFieldRights } from '../access/field-access.ts'
import type { Values } from '../documents/document.ts'
import { mergeFields } from '../documents/prepare-fields.ts'
import { StoredRevision, toRow } from '../documents/row.ts'
import type { CanonicalDocument } from '../locales/localized.ts'
import { compose } from '../writes/compose.ts'
import { hooksFor, type WriteContext } from '../writes/context.ts'
import { storeNewEntry } from '../writes/create.ts'
import { requireParent } from '../writes/parents.ts'
import type { WriteTransaction } from '../writes/pipeline.ts'
import { dropDanglingReferences, pickReadable } from '../writes/references.ts'
import { runBeforeChange } from '../writes/run-hooks.ts'
import { withDefaultLocale } from './publish.ts'

/** A deleted entry to store again, with its id and the time of its creation. */
export interface Recreation {
  readonly id: string
  readonly former: CanonicalDocument
  /** `null` if the author is unknown. */
  readonly createdBy: string | null
  /** True if required fields must have values. */
  readonly isComplete: boolean
  /** The fields whose references to deleted documents are removed. */
  readonly dropDanglingIn: ReadonlySet<string>
  /** Returns true if the entry will exist after the transaction, so that references to it stay. */
  willExist(entry: Reference): boolean
}

/** Returns true if storing a deleted entry again runs hooks or validators. */
export const runsHooksOnRecreation = (context: WriteContext, collection: CollectionModel): boolean =>
  hooksFor(context, collection, 'beforeChange', 'validate') !== undefined

/**
 * Stores a deleted entry again, as part of a transaction. It does not check access.
 *
 * @returns the stored document, and the number of the change
 * @throws VALIDATION_ERROR; CONFLICT with `details.field` if another entry has a unique value
 */
export async function recreate(
  context: WriteContext,
  collection: CollectionModel,
  { id, former, createdBy, isComplete, dropDanglingIn, willExist }: Recreation,
  transaction: WriteTransaction,
): Promise<{ readonly canonical: CanonicalDocument; readonly seq: number }> {
  const { content, access, author } = context
  const { writer } = transaction
  const rights = resolveFieldRights(collection, access)
  const defaultContext = withDefaultLocale(context)
  const document = { canonical: former, patch: mergeFields(collection, {}, former.values) }
  const { canonical: base, patch } = await dropDanglingReferences(
    content,
    writer.read,
    collection,
    document,
    dropDanglingIn,
    willExist,
  )
  const createdAt = String(base.values.createdAt)
  const system = { id, createdAt, updatedAt: new Date().toISOString(), createdBy, updatedBy: author }
  const row = toRow(content.model, collection, { ...system, canonical: base, orphaned: null, draft: null })
  const composition = {
    document: collection,
    // The targets of references, perhaps the entry itself, may be stored again later in the transaction, so they are not checked here.
    before: new StoredRevision(content.model, collection, { ...row, seq: 0 }),
    base,
    patch,
    suppliedFields: pickReadable(collection, patch, rights),
    rights,
    derive: async (values: Values) => {
      await requireParent(writer.read, collection, values, id)
      return values
    },
    isDraft: !isComplete,
  }
  const composed = await compose(defaultContext, writer.read, composition)
  const hooks = hooksFor(defaultContext, collection, 'beforeChange', 'validate')
  const change = { context: defaultContext, transaction, action: 'create', id, system } as const
  const { canonical } = hooks ? await runBeforeChange(hooks, change, composition, composed) : composed
  return storeNewEntry(context, writer, collection, { ...system, canonical })
}
