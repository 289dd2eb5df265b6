import { validationError } from '../../errors.ts'
import type { Reference, TargetRequirement } from '../../fields/field.ts'
import { createIssue, type Issue } from '../../issues.ts'
import type { CollectionModel, DocumentModel } from '../../model/model.ts'
import { readRuleWhere } from '../../query/rule-where.ts'
import type { QueryScope } from '../../query/where.ts'
import type { Reader } from '../../store/reads/reader.ts'
import type { FieldReference } from '../../store/rows.ts'
import type { FieldRights } from '../access/field-access.ts'
import type { ContentContext } from '../context.ts'
import { getServedKeys, type Values } from '../documents/document.ts'
import { findPlacedReferences, type PlacedReference } from '../documents/find-references.ts'
import { findReferencesInAllLocales } from '../documents/row.ts'
import type { CanonicalDocument } from '../locales/localized.ts'
import { omitReference } from './referrers.ts'

export interface ReferenceChange {
  readonly values: Values
  /** The fields that the caller or a hook has supplied. */
  readonly suppliedFields: Values
  readonly before: readonly FieldReference[]
}

/**
 * Checks that the targets of new references exist for the caller. References that the document had before are not checked. A
 * reference in a hidden field is checked only if the caller has supplied it, and never makes the same reference elsewhere an old one.
 *
 * @throws VALIDATION_ERROR
 */
export async function requireTargets(
  read: Reader,
  document: DocumentModel,
  { values, suppliedFields, before }: ReferenceChange,
  scope: QueryScope,
): Promise<void> {
  const hidden = scope.hiddenFields(document)
  const isReadable = (reference: FieldReference): boolean => !hidden.has(getOwnerField(reference))
  const allowed = findPlacedReferences(document, values).filter(
    ({ reference }) => isReadable(reference) || Object.hasOwn(suppliedFields, getOwnerField(reference)),
  )
  const previousKeys = new Set(before.filter(isReadable).map(getReferenceKey))
  const added = allowed.filter(({ reference }) => !previousKeys.has(getReferenceKey(reference)))
  const wrongCollections = added.flatMap((placed) => findWrongCollection(placed, scope))
  if (wrongCollections.length > 0) throw validationError(wrongCollections)
  const groups = [...Map.groupBy(added, ({ reference }) => reference.collection)]
  const issues = await Promise.all(
    groups.map(async ([key, group]) => {
      const target = scope.collections.get(key)
      return target ? findMissingTargets(read, target, group, scope) : []
    }),
  )
  if (issues.flat().length > 0) throw validationError(issues.flat())
}

/** Returns the issue of a reference to a collection that its field does not allow, or that the caller may not read: the same issue. */
function findWrongCollection(
  { reference: { collection, allowedCollections }, path }: PlacedReference,
  scope: QueryScope,
): readonly Issue[] {
  if (allowedCollections === undefined) return []
  const readable = allowedCollections.filter((key) => scope.readableCollection(key) !== undefined)
  if (readable.includes(collection)) return []
  const problem = `cannot refer to the collection "${collection.slice(0, 64)}"`
  const message = readable.length > 0 ? `${problem}. Use one of: ${readable.join(', ')}` : problem
  return [createIssue(path, 'reference', message, { collection: collection.slice(0, 64), values: readable })]
}

async function findMissingTargets(
  read: Reader,
  target: CollectionModel,
  references: readonly PlacedReference[],
  scope: QueryScope,
): Promise<readonly Issue[]> {
  const isCollectionReadable = scope.readableCollection(target.key) !== undefined
  const ids = isCollectionReadable ? [...new Set(references.map(({ reference }) => reference.id))] : []
  const statuses = scope.visibleStatuses(target)
  const rows = await read.entries.statuses(target, ids, scope.accessFilter(target)?.where)
  const visibleIds = new Set(
    rows.filter(({ status }) => statuses?.includes(String(status)) ?? true).map(({ id }) => id),
  )
  const missing = references
    .filter(({ reference }) => !visibleIds.has(reference.id))
    .map(({ reference: { id }, path }) => {
      const message = `refers to the entry ${id} of ${target.key}, which does not exist`
      return createIssue(path, 'reference', message, { collection: target.key, id })
    })
  const existing = references.filter(({ reference }) => visibleIds.has(reference.id))
  return [...missing, ...(await findRejectedTargets(read, target, existing, scope))]
}

/** Returns the issues of references whose targets exist, but do not match the filters of their fields. */
async function findRejectedTargets(
  read: Reader,
  target: CollectionModel,
  references: readonly PlacedReference[],
  scope: QueryScope,
): Promise<readonly Issue[]> {
  const restricted = references.filter(({ reference }) => reference.requirement !== undefined)
  const groups = [...Map.groupBy(restricted, ({ reference }) => JSON.stringify(reference.requirement))]
  const issues = groups.map(async ([requirement, group]) => {
    const { where, description, params }: TargetRequirement = JSON.parse(requirement)
    const ids = [...new Set(group.map(({ reference }) => reference.id))]
    const matching = await read.entries.statuses(target, ids, readRuleWhere(where, target, scope.collections))
    const matchingIds = new Set(matching.map(({ id }) => id))
    return group
      .filter(({ reference }) => !matchingIds.has(reference.id))
      .map(({ reference: { id }, path }) =>
        createIssue(path, 'accept', `must be the id of ${description}. The asset ${id} is not.`, { id, ...params }),
      )
  })
  return (await Promise.all(issues)).flat()
}

/** Returns the top-level field that contains a reference. */
const getOwnerField = ({ field }: FieldReference): string => field.split('.')[0] ?? field

const getReferenceKey = ({ collection, id }: FieldReference): string => `${collection} ${id}`

/**
 * Returns the fields of a patch that the caller may read. When the caller replaces a whole document, for example by publishing a draft,
 * the other fields contain values of another author, which no response may reveal.
 */
export function pickReadable(document: DocumentModel, patch: Values, { hidden }: FieldRights): Values {
  const hiddenKeys = getServedKeys(document, hidden)
  return Object.fromEntries(Object.entries(patch).filter(([key]) => !hiddenKeys.has(key)))
}

/** A whole document, and its fields that differ from the stored document. */
interface WholeDocument {
  readonly canonical: CanonicalDocument
  readonly patch: Values
}

/**
 * Removes references to deleted entries from some fields. A deletion removes references from stored documents, but not from drafts and
 * earlier versions that are stored later.
 *
 * @param keys the fields, such as those that the caller may not read and so cannot correct
 * @param willExist returns true if an entry will exist after the transaction
 */
export async function dropDanglingReferences(
  context: ContentContext,
  read: Reader,
  collection: CollectionModel,
  { canonical, patch }: WholeDocument,
  keys: ReadonlySet<string>,
  willExist: (entry: Reference) => boolean = () => false,
): Promise<WholeDocument> {
  if (keys.size === 0) return { canonical, patch }
  const references = findReferencesInAllLocales(context.model, collection, canonical).filter(
    (reference) => keys.has(getOwnerField(reference)) && !willExist(reference),
  )
  const dangling = await findDangling(context, read, references)
  if (dangling.length === 0) return { canonical, patch }
  const remaining = dangling.reduce(
    (current, reference) => omitReference(context, collection, current, reference),
    canonical,
  )
  const entries = Object.entries(patch).map(
    ([key, value]) => [key, keys.has(key) ? remaining.values[key] : value] as const,
  )
  // Values that are not fields, such as times, stay.
  const values = { ...canonical.values, ...remaining.values }
  return { canonical: { ...remaining, values }, patch: Object.fromEntries(entries) }
}

async function findDangling(
  { model }: ContentContext,
  read: Reader,
  references: readonly FieldReference[],
): Promise<readonly FieldReference[]> {
  const groups = [...Map.groupBy(references, ({ collection }) => collection)]
  const dangling = await Promise.all(
    groups.map(async ([key, group]) => {
      const target = model.collections.get(key)
      const ids = [...new Set(group.map(({ id }) => id))]
      const existing = new Set(target && (await read.entries.statuses(target, ids)).map(({ id }) => id))
      return group.filter(({ id }) => !existing.has(id))
    }),
  )
  return dangling.flat()
}
