import type { CollectionModel } from '../../model/model.ts'
import type { StateAction } from '../../store/journal-actions.ts'
import type { Reader } from '../../store/reads/read.ts'
import type { StoredEntry } from '../../store/reads/rows.ts'
import type { Writer } from '../../store/writes/write.ts'
import { type FieldRights, fieldRights } from '../access/field-access.ts'
import type { EntryAnswer } from '../answer.ts'
import { mergeFields, settleFields, type Values } from '../document.ts'
import { type Preconditions, requirePreconditions } from '../etags.ts'
import { type Canonical, show, writeTranslation } from '../locales/localized.ts'
import { ownIn } from '../locales/published-locales.ts'
import { project, tagOf } from '../reads/present.ts'
import { checkBody } from './body.ts'
import { compose } from './compose.ts'
import { settleTools, type WriteContext } from './context.ts'
import { entryTarget, resultOf, storeEntry, toUnchanged } from './entries.ts'
import { dropDangling, writableIn } from './hidden-values.ts'
import { type PreparedWrite, StaleWrite, type WriteTransaction } from './pipeline.ts'
import { requireTargets } from './references.ts'
import type { Revision } from './revision.ts'
import { hooksFor, runBeforeChange, runBeforeValidate } from './run-hooks.ts'
import { chooseSlug } from './slugs.ts'

/** What an entry is to become, in all languages at once. */
export interface Proposal {
  readonly canonical: Canonical
  readonly orphaned: string | null
  /** The working copy that is left, as its column holds it. */
  readonly draft: string | null
  /** Whether it must be complete: hold what is required, and what its fields take. */
  readonly isComplete: boolean
  /** The locales in which it must hold what is required. @default the default locale */
  readonly requiredIn?: readonly string[] | undefined
}

/** A write that puts a whole document in the place of another one. */
export interface Replacement {
  readonly action: StateAction
  /** The revision that `If-Match` names. */
  revisionOf(entry: StoredEntry): number
  /** `undefined`: the entry stays as it is. It is asked again where the entry has changed meanwhile. */
  propose(read: Reader, entry: StoredEntry): Promise<Proposal | undefined> | Proposal | undefined
  /** Runs in the transaction, before it is stored. */
  settle?(writer: Writer, entry: StoredEntry): Promise<void>
}

/**
 * Prepares to put a whole document in the place of an entry: rules, hooks, validators and references are those of any change.
 *
 * @throws as changes of entries do
 */
export async function prepareReplace(
  context: WriteContext,
  collection: CollectionModel,
  id: string,
  write: Replacement,
  options: Preconditions = {},
): Promise<PreparedWrite<EntryAnswer>> {
  const { engine, access } = context
  const target = entryTarget(context, collection, id)
  const rights = fieldRights(collection, access)
  const check = async (read: Reader, entry: StoredEntry): Promise<void> => {
    await target.requireChange(read, target.parse(entry))
    const revision = write.revisionOf(entry)
    requirePreconditions(options, revision, tagOf(collection, revision, rights), collection.requireIfMatch)
  }
  const makeReady = async (read: Reader, entry: StoredEntry): Promise<ReadyProposal | undefined> => {
    const proposal = await write.propose(read, entry)
    return proposal && settleProposal(context, collection, target.parse(entry), proposal, rights)
  }
  const { read } = engine.store
  const found = await target.load(read)
  await check(read, found)
  const prepared = await makeReady(read, found)
  return {
    isAlone: hooksFor(context, collection, 'beforeChange', 'validate') !== undefined,
    commit: async (transaction) => {
      const { writer } = transaction
      const entry = await target.load(writer.read)
      await check(writer.read, entry)
      const isSame = entry.seq === found.seq && entry.draft === found.draft
      // Hooks that run before a transaction are not run inside of it.
      if (!isSame && hooksFor(context, collection, 'beforeValidate')) throw new StaleWrite()
      await write.settle?.(writer, entry)
      const ready = isSame ? prepared : await makeReady(writer.read, entry)
      if (!ready) return toUnchanged(context, collection, writer, entry, rights)
      const revision = target.parse(entry)
      return commitWhole(context, { collection, revision, ready, rights, action: write.action }, transaction)
    },
  }
}

/** A proposal, with what the hooks that run before validation have made of it. */
interface ReadyProposal extends Proposal {
  /** The fields that differ from what is stored, in the form in which they are stored. */
  readonly patch: Values
}

async function settleProposal(
  context: WriteContext,
  collection: CollectionModel,
  revision: Revision<StoredEntry>,
  proposal: Proposal,
  rights: FieldRights,
): Promise<ReadyProposal> {
  const { canonical, isComplete } = proposal
  if (isComplete) requireValid(context, collection, canonical, rights)
  const changed = changedFields(collection, revision.values, canonical.values)
  const hooked = hooksFor(context, collection, 'beforeValidate')
  if (!hooked) return { ...proposal, patch: changed }
  const write = { action: 'update', id: revision.row.id, data: writableIn(collection, changed, rights) } as const
  const input = checkBody(collection, 'update', await runBeforeValidate(context, hooked, write), rights)
  const tools = settleTools(context, collection, canonical)
  return { ...proposal, patch: { ...changed, ...(await settleFields(collection, input, canonical.values, tools)) } }
}

/** The fields in which one document differs from another, as the other has them; `null` where it has none. */
export function changedFields(collection: CollectionModel, before: Values, after: Values): Values {
  const keys = collection.fields.flatMap(({ servedKeys }) => servedKeys)
  const changed = keys.filter((key) => JSON.stringify(before[key] ?? null) !== JSON.stringify(after[key] ?? null))
  return Object.fromEntries(changed.map((key) => [key, after[key] ?? null]))
}

/** @throws VALIDATION_ERROR when a field refuses its value, in whatever language */
export function requireValid(
  { engine: { model } }: WriteContext,
  collection: CollectionModel,
  canonical: Canonical,
  rights: FieldRights,
): void {
  const { locales } = model
  const all = locales
    ? [
        canonical.values,
        ...Object.keys(canonical.translations).map((one) => show(collection, canonical, [one], locales.default)),
      ]
    : [canonical.values]
  for (const values of all) {
    // Which fields have to hold something is asked when all is put together.
    checkBody(collection, 'draft', project(collection, mergeFields(collection, {}, values), rights), rights)
  }
}

/** A proposal that is ready to be stored. */
interface WholeChange {
  readonly collection: CollectionModel
  readonly revision: Revision<StoredEntry>
  readonly ready: ReadyProposal
  readonly rights: FieldRights
  readonly action: StateAction
}

async function commitWhole(
  context: WriteContext,
  { collection, revision, ready, rights, action }: WholeChange,
  transaction: WriteTransaction,
): Promise<EntryAnswer> {
  const { access } = context
  const { writer } = transaction
  const { row } = revision
  const derive = (values: Values): Promise<Values> =>
    chooseSlug(writer.read, collection, values, context.locale, row.id)
  const { isComplete, requiredIn } = ready
  const whole = await dropDangling(context.engine, writer.read, collection, ready, rights.hidden)
  const base = await settleTranslations(context, writer, collection, whole.canonical, revision)
  const { patch } = whole
  const given = writableIn(collection, patch, rights)
  const composition = {
    document: collection,
    before: revision,
    base,
    patch,
    given,
    rights,
    derive,
    isDraft: !isComplete,
    requiredIn,
  }
  const composed = await compose(context, writer.read, composition)
  const hooked = hooksFor(context, collection, 'beforeChange', 'validate')
  const reload = (): Promise<StoredEntry> => entryTarget(context, collection, row.id).load(writer.read)
  const change = {
    context,
    transaction,
    action: 'update',
    id: row.id,
    system: revision.told,
    stored: row,
    reload,
  } as const
  const { canonical, patch: changed } = hooked
    ? await runBeforeChange(hooked, change, composition, composed)
    : { canonical: composed, patch }
  const filter =
    collection.access.update &&
    (await access.requireWrite(collection, 'update', resultOf(context, collection, revision, changed)))
  const next = { canonical, orphaned: ready.orphaned, draft: ready.draft, action }
  const stored = await storeEntry(context, writer, collection, revision, next, rights)
  await access.requireMatch(writer.read, collection, row.id, filter)
  return stored
}

/** Makes the slugs of languages that have a text of their own and no slug, and checks what they refer to. */
async function settleTranslations(
  { engine: { model }, scope }: WriteContext,
  { read }: Writer,
  collection: CollectionModel,
  canonical: Canonical,
  before: Revision<StoredEntry>,
): Promise<Canonical> {
  const { locales } = model
  if (!locales) return canonical
  let settled = canonical
  for (const locale of Object.keys(canonical.translations)) {
    const values = ownIn(collection, settled, locales, locale)
    await requireTargets(read, collection, { values, given: {}, before: before.references }, scope)
    const own = await chooseSlug(read, collection, values, locale, before.row.id)
    if (own !== values) settled = writeTranslation(collection, settled, own, locale, locales.default)
  }
  return settled
}
