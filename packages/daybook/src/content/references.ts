import type { Caller } from '../auth/adapter.ts'
import { type Issue, invalid } from '../errors.ts'
import type { DocumentModel } from '../model/model.ts'
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
): Promise<readonly FieldReference[]> {
  const references = referencesOf(document, values)
  const known = new Set(before.map(referenceKey))
  const issues: Issue[] = []
  for (const reference of references) {
    const target = engine.model.collections.get(reference.collection)
    if (!target || known.has(referenceKey(reference))) continue
    known.add(referenceKey(reference))
    const row = await read.statusOf(target, reference.id)
    if (row && isVisible(target, row.status, caller)) continue
    const message = `there is no entry ${reference.id} in ${reference.collection}`
    issues.push({ path: `/${reference.field}`, code: 'reference', message })
  }
  if (issues.length > 0) throw invalid(issues)
  return references
}

const referenceKey = ({ collection, id }: FieldReference): string => `${collection} ${id}`
