import { invalid } from '../../errors.ts'
import type { TargetRequirement } from '../../fields/field.ts'
import { type Issue, issueAt } from '../../issues.ts'
import type { CollectionModel, DocumentModel } from '../../model/model.ts'
import { readRuleWhere } from '../../query/rule-where.ts'
import type { QueryScope } from '../../query/where.ts'
import type { Reader } from '../../store/reads/read.ts'
import type { FieldReference } from '../../store/reads/rows.ts'
import { type PlacedReference, placedReferences, type Values } from '../documents/document.ts'

/** The references of a document, before and after a write. */
export interface ReferenceChange {
  /** The document as it is to be. */
  readonly values: Values
  /** The fields that the writer gives. */
  readonly given: Values
  /** The references that the document had before. */
  readonly before: readonly FieldReference[]
}

/**
 * Checks that what a document newly refers to is there for the writer; what it referred to before stays as it is. What the
 * writer may not see is not there. References in hidden fields are the writer's only where the writer gives them, and no
 * reference counts as an old one because a hidden field holds it.
 */
export async function requireTargets(
  read: Reader,
  document: DocumentModel,
  { values, given, before }: ReferenceChange,
  scope: QueryScope,
): Promise<void> {
  const hidden = scope.hidden(document)
  const isReadable = (one: FieldReference): boolean => !hidden.has(referenceOwner(one))
  const allowed = placedReferences(document, values).filter(
    ({ reference }) => isReadable(reference) || Object.hasOwn(given, referenceOwner(reference)),
  )
  const known = new Set(before.filter(isReadable).map(referenceKey))
  const added = allowed.filter(({ reference }) => !known.has(referenceKey(reference)))
  const strayed = added.flatMap((one) => straying(one, scope))
  if (strayed.length > 0) throw invalid(strayed)
  const groups = [...Map.groupBy(added, ({ reference }) => reference.collection)]
  const issues = await Promise.all(
    groups.map(async ([key, group]) => {
      const target = scope.collections.get(key)
      return target ? missingTargets(read, target, group, scope) : []
    }),
  )
  if (issues.flat().length > 0) throw invalid(issues.flat())
}

/** What is wrong with a reference to a collection that its field does not lead to, or that the writer may not read: the same. */
function straying(
  { reference: { field, collection, among }, path }: PlacedReference,
  scope: QueryScope,
): readonly Issue[] {
  if (among === undefined) return []
  const open = among.filter((key) => scope.collection(key) !== undefined)
  if (open.includes(collection)) return []
  const named = `"${collection.slice(0, 64)}" is no collection that ${field} can refer to`
  const message = open.length > 0 ? `${named}; write one of: ${open.join(', ')}` : named
  return [issueAt(path, 'reference', message, { collection: collection.slice(0, 64), values: open })]
}

async function missingTargets(
  read: Reader,
  target: CollectionModel,
  references: readonly PlacedReference[],
  scope: QueryScope,
): Promise<readonly Issue[]> {
  const isOpen = scope.collection(target.key) !== undefined
  const ids = isOpen ? [...new Set(references.map(({ reference }) => reference.id))] : []
  const statuses = scope.statuses(target)
  const rows = await read.entries.statuses(target, ids, scope.filter(target)?.where)
  const seen = new Set(rows.filter(({ status }) => statuses?.includes(String(status)) ?? true).map(({ id }) => id))
  const missing = references
    .filter(({ reference }) => !seen.has(reference.id))
    .map(({ reference: { id }, path }) => {
      const message = `there is no entry ${id} in ${target.key}`
      return issueAt(path, 'reference', message, { collection: target.key, id })
    })
  const existing = references.filter(({ reference }) => seen.has(reference.id))
  return [...missing, ...(await unfitTargets(read, target, existing, scope))]
}

/** What is wrong with references whose targets are there, and are not what their fields take. */
async function unfitTargets(
  read: Reader,
  target: CollectionModel,
  references: readonly PlacedReference[],
  scope: QueryScope,
): Promise<readonly Issue[]> {
  const restricted = references.filter(({ reference }) => reference.requirement !== undefined)
  const groups = [...Map.groupBy(restricted, ({ reference }) => JSON.stringify(reference.requirement))]
  const issues = groups.map(async ([named, group]) => {
    const { where, said, params }: TargetRequirement = JSON.parse(named)
    const ids = [...new Set(group.map(({ reference }) => reference.id))]
    const fitting = await read.entries.statuses(target, ids, readRuleWhere(where, target, scope.collections))
    const fit = new Set(fitting.map(({ id }) => id))
    return group
      .filter(({ reference }) => !fit.has(reference.id))
      .map(({ reference: { id }, path }) =>
        issueAt(path, 'accept', `takes ${said}, which ${id} is not`, { id, ...params }),
      )
  })
  return (await Promise.all(issues)).flat()
}

/** The top-level field that holds a reference. */
export const referenceOwner = ({ field }: FieldReference): string => field.split('.')[0] ?? field

const referenceKey = ({ collection, id }: FieldReference): string => `${collection} ${id}`
