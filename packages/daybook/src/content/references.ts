import type { Caller } from '../auth/adapter.ts'
import { type Issue, invalid } from '../errors.ts'
import type { CollectionModel, DocumentModel } from '../model/model.ts'
import type { Reader } from '../store/read.ts'
import type { FieldReference } from '../store/write.ts'
import { isVisible } from './access.ts'
import { referencesOf, type Values } from './document.ts'
import type { Engine } from './engine.ts'

/** Checks that what a document newly refers to is there; what it referred to before stays as it is. */
export async function demandTargets(
  engine: Engine,
  read: Reader,
  document: DocumentModel,
  values: Values,
  before: readonly FieldReference[],
  caller: Caller,
): Promise<void> {
  const references = referencesOf(document, values)
  const known = new Set(before.map(referenceKey))
  const added = references.filter((reference) => !known.has(referenceKey(reference)))
  const groups = [...Map.groupBy(added, ({ collection }) => collection)]
  const issues = await Promise.all(
    groups.map(async ([key, group]) => {
      const target = engine.model.collections.get(key)
      return target ? missingTargets(read, target, group, caller) : []
    }),
  )
  if (issues.flat().length > 0) throw invalid(issues.flat())
}

async function missingTargets(
  read: Reader,
  target: CollectionModel,
  references: readonly FieldReference[],
  caller: Caller,
): Promise<readonly Issue[]> {
  const rows = await read.statuses(target, [...new Set(references.map(({ id }) => id))])
  const seen = new Set(rows.filter(({ status }) => isVisible(target, status, caller)).map(({ id }) => id))
  return references
    .filter(({ id }) => !seen.has(id))
    .map(({ field, id }) => ({
      path: `/${field}`,
      code: 'reference',
      message: `there is no entry ${id} in ${target.key}`,
    }))
}

const referenceKey = ({ collection, id }: FieldReference): string => `${collection} ${id}`
