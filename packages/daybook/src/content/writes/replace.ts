import { RANK } from '../../fields/rank.ts'
import type { CollectionModel } from '../../model/model.ts'
import type { StateAction } from '../../store/journal-actions.ts'
import type { Reader } from '../../store/reads/reader.ts'
import type { StoredEntry } from '../../store/rows.ts'
import type { Writer } from '../../store/writes/writer.ts'
import { type FieldRights, resolveFieldRights } from '../access/field-access.ts'
import type { Values } from '../documents/document.ts'
import { mergeFields, prepareFields } from '../documents/prepare-fields.ts'
import { StoredRevision } from '../documents/row.ts'
import { type CanonicalDocument, localize, writeTranslation } from '../locales/localized.ts'
import { localizeStrictWithStatus } from '../locales/published-locales.ts'
import { type Preconditions, requirePreconditions } from '../reads/etags.ts'
import { project, toProjectionTag } from '../reads/present.ts'
import type { EntryResponse } from '../reads/response.ts'
import { checkBody } from './body.ts'
import { compose } from './compose.ts'
import { createFieldTools, hooksFor, type WriteContext } from './context.ts'
import { buildUpdatedEntry, EntryTarget, storeEntry, toUnchangedResponse } from './entry-target.ts'
import { requireParent } from './parents.ts'
import { type PreparedWrite, StaleWrite } from './pipeline.ts'
import { ensureFreeRank } from './ranks.ts'
import { dropDanglingReferences, pickReadable, requireTargets } from './references.ts'
import { runBeforeChange, runBeforeValidate } from './run-hooks.ts'
import { chooseSlug } from './slugs.ts'

/** The next content of an entry, in all locales. */
export interface Proposal {
  readonly canonical: CanonicalDocument
  readonly orphaned: string | null
  /** The draft that the entry keeps, as stored in its column. */
  readonly draft: string | null
  /** True if all values must be valid, and required fields must have values. */
  readonly isComplete: boolean
  /** The locales in which required fields must have values. @default the default locale */
  readonly requiredIn?: readonly string[] | undefined
}

export interface Replacement {
  readonly action: StateAction
  /** Returns the revision that `If-Match` names. */
  getRevision(entry: StoredEntry): number
  /** Returns the next content; `undefined` if the entry stays as it is. It runs again if the entry changes before the commit. */
  propose(read: Reader, entry: StoredEntry): Promise<Proposal | undefined> | Proposal | undefined
  /** Runs in the transaction, before the content is stored. */
  beforeStore?(writer: Writer, entry: StoredEntry): Promise<void>
}

/**
 * Prepares to replace the content of an entry. Rules, hooks, validators and references are checked as for an update.
 *
 * @throws as updates of entries do
 */
export async function prepareReplace(
  context: WriteContext,
  collection: CollectionModel,
  id: string,
  replacement: Replacement,
  options: Preconditions = {},
): Promise<PreparedWrite<EntryResponse>> {
  const { content, access, locale } = context
  const { model, store } = content
  const target = new EntryTarget(context, collection, id)
  const rights = resolveFieldRights(collection, access)
  const check = async (read: Reader, revision: StoredRevision<StoredEntry>): Promise<void> => {
    await target.authorizeUpdate(read, revision)
    const seq = replacement.getRevision(revision.row)
    requirePreconditions(options, seq, toProjectionTag(collection, seq, rights), collection.requireIfMatch)
  }
  const propose = async (read: Reader, revision: StoredRevision<StoredEntry>): Promise<CheckedProposal | undefined> => {
    const proposal = await replacement.propose(read, revision.row)
    return proposal && checkProposal(context, collection, revision, proposal, rights)
  }
  // Drafts have no rank of their own: only a move and its undo change it.
  const rank = async (read: Reader, stored: StoredRevision, values: Values): Promise<Values> => {
    if (!collection.orderable) return values
    return replacement.action === 'restore'
      ? ensureFreeRank(read, collection, { ...values, [RANK]: values[RANK] ?? stored.values[RANK] }, id)
      : { ...values, [RANK]: stored.values[RANK] }
  }
  const loaded = new StoredRevision(model, collection, await target.load(store.read))
  await check(store.read, loaded)
  const prepared = await propose(store.read, loaded)
  const hooks = hooksFor(context, collection, 'beforeChange', 'validate')
  return {
    exclusive: hooks !== undefined,
    commit: async (transaction) => {
      const { writer } = transaction
      const { read } = writer
      const stored = loaded.withRow(await target.load(read))
      const { row } = stored
      await check(read, stored)
      const isSame = row.seq === loaded.row.seq && row.draft === loaded.row.draft
      // Hooks that run before a transaction do not run inside it.
      if (!isSame && hooksFor(context, collection, 'beforeValidate')) throw new StaleWrite()
      await replacement.beforeStore?.(writer, row)
      const proposal = isSame ? prepared : await propose(read, stored)
      if (!proposal) return toUnchangedResponse(context, collection, writer, row, rights)
      const { canonical, patch } = await dropDanglingReferences(content, read, collection, proposal, rights.hidden)
      const composition = {
        document: collection,
        before: stored,
        base: await completeTranslations(context, read, collection, canonical, stored),
        patch,
        suppliedFields: pickReadable(collection, patch, rights),
        rights,
        derive: async (values: Values) => {
          await requireParent(read, collection, values, row.id, stored.values)
          const ranked = await rank(read, stored, values)
          return chooseSlug(read, collection, ranked, locale, row.id)
        },
        isDraft: !proposal.isComplete,
        requiredIn: proposal.requiredIn,
      }
      const composed = await compose(context, read, composition)
      const change = { context, transaction, action: 'update', id: row.id, system: stored.valuesWithAuthors } as const
      const result = hooks ? await runBeforeChange(hooks, change, composition, composed) : composed
      const filter =
        collection.access.update &&
        (await access.authorizeWrite(
          collection,
          'update',
          buildUpdatedEntry(context, collection, stored, result.patch),
        ))
      const { orphaned, draft } = proposal
      const next = { canonical: result.canonical, orphaned, draft, action: replacement.action }
      const entry = await storeEntry(context, writer, collection, stored, next, rights)
      await access.authorizeEntry(read, collection, row.id, filter)
      return entry
    },
  }
}

interface CheckedProposal extends Proposal {
  /** The fields that differ from the stored entry, in their stored form. */
  readonly patch: Values
}

/** Checks the values of a proposal, and runs the `beforeValidate` hooks on the fields that differ. */
async function checkProposal(
  context: WriteContext,
  collection: CollectionModel,
  revision: StoredRevision<StoredEntry>,
  proposal: Proposal,
  rights: FieldRights,
): Promise<CheckedProposal> {
  const { canonical, isComplete } = proposal
  if (isComplete) requireValid(context, collection, canonical, rights)
  const changed = findChangedFields(collection, revision.values, canonical.values)
  const hooks = hooksFor(context, collection, 'beforeValidate')
  if (!hooks) return { ...proposal, patch: changed }
  const write = { action: 'update', id: revision.row.id, data: pickReadable(collection, changed, rights) } as const
  const input = checkBody(collection, 'update', await runBeforeValidate(context, hooks, write), rights)
  const tools = createFieldTools(context, collection, canonical)
  return { ...proposal, patch: { ...changed, ...(await prepareFields(collection, input, canonical.values, tools)) } }
}

/** Returns the fields in which a document differs from an earlier one; `null` for those that it lacks. */
export function findChangedFields(collection: CollectionModel, before: Values, after: Values): Values {
  const keys = collection.fields.flatMap(({ servedKeys }) => servedKeys)
  const changed = keys.filter((key) => JSON.stringify(before[key] ?? null) !== JSON.stringify(after[key] ?? null))
  return Object.fromEntries(changed.map((key) => [key, after[key] ?? null]))
}

/** @throws VALIDATION_ERROR if a field rejects its value in any locale */
export function requireValid(
  { content: { model } }: WriteContext,
  collection: CollectionModel,
  canonical: CanonicalDocument,
  rights: FieldRights,
): void {
  const { locales } = model
  const translations = locales
    ? Object.keys(canonical.translations).map((locale) => localize(collection, canonical, [locale], locales.default))
    : []
  for (const values of [canonical.values, ...translations]) {
    // Required fields are checked once the document is composed.
    checkBody(collection, 'draft', project(collection, mergeFields(collection, {}, values), rights), rights)
  }
}

/** Generates slugs for locales that have a translated title but no slug, and checks the references of all locales. */
async function completeTranslations(
  { content: { model }, scope }: WriteContext,
  read: Reader,
  collection: CollectionModel,
  canonical: CanonicalDocument,
  before: StoredRevision<StoredEntry>,
): Promise<CanonicalDocument> {
  const { locales } = model
  if (!locales) return canonical
  let completed = canonical
  for (const locale of Object.keys(canonical.translations)) {
    const values = localizeStrictWithStatus(collection, completed, locales, locale)
    await requireTargets(read, collection, { values, suppliedFields: {}, before: before.references }, scope)
    const withSlug = await chooseSlug(read, collection, values, locale, before.row.id)
    if (withSlug !== values) completed = writeTranslation(collection, completed, withSlug, locale, locales.default)
  }
  return completed
}
