import { type Issue, invalid } from '../errors.ts'
import type { CollectionModel, DocumentModel } from '../model/model.ts'
import type { QueryScope } from '../query/where.ts'
import type { Reader } from '../store/read.ts'
import type { FieldReference } from '../store/write.ts'
import { referencesOf, type Values } from './document.ts'

/**
 * Checks that what a document newly refers to is there for the writer; what it referred to before stays as it is. What the
 * writer may not see is not there.
 */
export async function demandTargets(
  read: Reader,
  document: DocumentModel,
  values: Values,
  before: readonly FieldReference[],
  scope: QueryScope,
): Promise<void> {
  const references = referencesOf(document, values)
  const known = new Set(before.map(referenceKey))
  const added = references.filter((reference) => !known.has(referenceKey(reference)))
  const groups = [...Map.groupBy(added, ({ collection }) => collection)]
  const issues = await Promise.all(
    groups.map(async ([key, group]) => {
      const target = scope.collections.get(key)
      return target ? missingTargets(read, target, group, scope) : []
    }),
  )
  if (issues.flat().length > 0) throw invalid(issues.flat())
}

async function missingTargets(
  read: Reader,
  target: CollectionModel,
  references: readonly FieldReference[],
  scope: QueryScope,
): Promise<readonly Issue[]> {
  const isOpen = scope.collection(target.key) !== undefined
  const ids = isOpen ? [...new Set(references.map(({ id }) => id))] : []
  const statuses = scope.statuses(target)
  const rows = await read.statuses(target, ids, scope.limit(target)?.where)
  const seen = new Set(rows.filter(({ status }) => statuses?.includes(String(status)) ?? true).map(({ id }) => id))
  return references
    .filter(({ id }) => !seen.has(id))
    .map(({ field, id }) => ({
      path: `/${field}`,
      code: 'reference',
      message: `there is no entry ${id} in ${target.key}`,
    }))
}

const referenceKey = ({ collection, id }: FieldReference): string => `${collection} ${id}`
