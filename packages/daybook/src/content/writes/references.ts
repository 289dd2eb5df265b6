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
import { findPlacedReferences, getServedKeys, type PlacedReference, type Values } from '../documents/document.ts'
import { findReferencesInAllLocales } from '../documents/row.ts'
import type { CanonicalDocument } from '../locales/localized.ts'
import { omitReference } from './referrers.ts'

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
  const hidden = scope.hiddenFields(document)
  const isReadable = (one: FieldReference): boolean => !hidden.has(getOwnerField(one))
  const allowed = findPlacedReferences(document, values).filter(
    ({ reference }) => isReadable(reference) || Object.hasOwn(given, getOwnerField(reference)),
  )
  const known = new Set(before.filter(isReadable).map(referenceKey))
  const added = allowed.filter(({ reference }) => !known.has(referenceKey(reference)))
  const strayed = added.flatMap((one) => straying(one, scope))
  if (strayed.length > 0) throw validationError(strayed)
  const groups = [...Map.groupBy(added, ({ reference }) => reference.collection)]
  const issues = await Promise.all(
    groups.map(async ([key, group]) => {
      const target = scope.collections.get(key)
      return target ? missingTargets(read, target, group, scope) : []
    }),
  )
  if (issues.flat().length > 0) throw validationError(issues.flat())
}

/** What is wrong with a reference to a collection that its field does not lead to, or that the writer may not read: the same. */
function straying(
  { reference: { field, collection, allowedCollections: among }, path }: PlacedReference,
  scope: QueryScope,
): readonly Issue[] {
  if (among === undefined) return []
  const open = among.filter((key) => scope.readableCollection(key) !== undefined)
  if (open.includes(collection)) return []
  const named = `"${collection.slice(0, 64)}" is no collection that ${field} can refer to`
  const message = open.length > 0 ? `${named}; write one of: ${open.join(', ')}` : named
  return [createIssue(path, 'reference', message, { collection: collection.slice(0, 64), values: open })]
}

async function missingTargets(
  read: Reader,
  target: CollectionModel,
  references: readonly PlacedReference[],
  scope: QueryScope,
): Promise<readonly Issue[]> {
  const isOpen = scope.readableCollection(target.key) !== undefined
  const ids = isOpen ? [...new Set(references.map(({ reference }) => reference.id))] : []
  const statuses = scope.visibleStatuses(target)
  const rows = await read.entries.statuses(target, ids, scope.accessFilter(target)?.where)
  const seen = new Set(rows.filter(({ status }) => statuses?.includes(String(status)) ?? true).map(({ id }) => id))
  const missing = references
    .filter(({ reference }) => !seen.has(reference.id))
    .map(({ reference: { id }, path }) => {
      const message = `there is no entry ${id} in ${target.key}`
      return createIssue(path, 'reference', message, { collection: target.key, id })
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
    const { where, description: said, params }: TargetRequirement = JSON.parse(named)
    const ids = [...new Set(group.map(({ reference }) => reference.id))]
    const fitting = await read.entries.statuses(target, ids, readRuleWhere(where, target, scope.collections))
    const fit = new Set(fitting.map(({ id }) => id))
    return group
      .filter(({ reference }) => !fit.has(reference.id))
      .map(({ reference: { id }, path }) =>
        createIssue(path, 'accept', `takes ${said}, which ${id} is not`, { id, ...params }),
      )
  })
  return (await Promise.all(issues)).flat()
}

/** The top-level field that holds a reference. */
export const getOwnerField = ({ field }: FieldReference): string => field.split('.')[0] ?? field

const referenceKey = ({ collection, id }: FieldReference): string => `${collection} ${id}`

/**
 * Returns the fields of a patch that the caller may read. The others hold values of another author when the caller replaces a whole
 * document, for example by publishing a draft, and no response may reveal them.
 */
export function pickReadable(document: DocumentModel, patch: Values, { hidden }: FieldRights): Values {
  const unread = getServedKeys(document, hidden)
  return Object.fromEntries(Object.entries(patch).filter(([key]) => !unread.has(key)))
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
 * @param isComing returns true if an entry will exist after the transaction
 */
export async function dropDanglingReferences(
  engine: ContentContext,
  read: Reader,
  collection: CollectionModel,
  { canonical, patch }: WholeDocument,
  keys: ReadonlySet<string>,
  isComing: (entry: Reference) => boolean = () => false,
): Promise<WholeDocument> {
  if (keys.size === 0) return { canonical, patch }
  const references = findReferencesInAllLocales(engine.model, collection, canonical).filter(
    (reference) => keys.has(getOwnerField(reference)) && !isComing(reference),
  )
  const dangling = await findDangling(engine, read, references)
  if (dangling.length === 0) return { canonical, patch }
  const left = dangling.reduce((current, reference) => omitReference(engine, collection, current, reference), canonical)
  const entries = Object.entries(patch).map(([key, value]) => [key, keys.has(key) ? left.values[key] : value] as const)
  // Values that are not fields, such as times, stay.
  const values = { ...canonical.values, ...left.values }
  return { canonical: { ...left, values }, patch: Object.fromEntries(entries) }
}

/** Returns the references whose targets do not exist. */
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
