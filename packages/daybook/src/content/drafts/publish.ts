import { invalidAt } from '../../errors.ts'
import { PUBLISHED } from '../../fields/status.ts'
import type { CollectionModel, LocalesModel } from '../../model/model.ts'
import type { Reader } from '../../store/reads/read.ts'
import type { StoredEntry } from '../../store/reads/rows.ts'
import type { Writer } from '../../store/writes/write.ts'
import type { EntryAnswer } from '../answer.ts'
import type { Preconditions } from '../etags.ts'
import { type Canonical, show, writeTranslation } from '../locales/localized.ts'
import type { WriteContext } from '../writes/context.ts'
import type { PreparedWrite } from '../writes/prepared.ts'
import { Revision } from '../writes/revision.ts'
import { type Proposal, prepareWhole } from '../writes/whole.ts'
import { requireVisibleDraft } from './draft-access.ts'
import { draftCanonical, draftRevision, isSameContent, withStatus } from './draft-row.ts'
import { dropSchedule } from './schedule.ts'

/** What of a working copy is published. */
export interface PublishOptions extends Preconditions {
  /** The languages whose values are published; fields that are not localized come with the default one. @default all */
  readonly locales?: readonly string[] | undefined
}

/**
 * Prepares to publish an entry: its working copy where it has one, else what it is. A time that was set for it is over with.
 *
 * @throws as changes of entries do: what is published must be complete
 */
export function preparePublish(
  context: WriteContext,
  collection: CollectionModel,
  id: string,
  { locales, ...options }: PublishOptions = {},
): Promise<PreparedWrite<EntryAnswer>> {
  const { engine } = context
  const write = {
    action: 'publish',
    revisionOf: (entry: StoredEntry) => draftRevision(engine.model, collection, entry).row.seq,
    propose: async (read: Reader, entry: StoredEntry) => {
      await requireVisibleDraft(context.access, read, collection, entry.id)
      return proposePublished(context, collection, entry, locales)
    },
    settle: (writer: Writer, entry: StoredEntry) => dropSchedule(writer, collection, entry.id, 'publish'),
  } as const
  return prepareWhole(inDefaultLocale(context), collection, id, write, options)
}

/** What is published is a whole document: hooks and slugs are asked in the default language. */
export const inDefaultLocale = (context: WriteContext): WriteContext => ({
  ...context,
  locale: context.engine.model.locales?.default,
})

function proposePublished(
  { engine: { model } }: WriteContext,
  collection: CollectionModel,
  entry: StoredEntry,
  locales: readonly string[] | undefined,
): Proposal | undefined {
  if (entry.draft === null && entry.status === PUBLISHED) return undefined
  const draft = draftRevision(model, collection, entry)
  const copy = draftCanonical(collection, draft)
  const published = new Revision(model, collection, entry).canonical
  const chosen = locales && model.locales ? onlyLocales(collection, published, copy, locales, model.locales) : copy
  const isAll = chosen === copy || isSameContent(collection, chosen, copy)
  const canonical = withStatus(collection, chosen, PUBLISHED)
  return { canonical, orphaned: draft.orphaned, draft: isAll ? null : entry.draft, isComplete: true }
}

/** A document with what the working copy says in some languages. */
function onlyLocales(
  collection: CollectionModel,
  published: Canonical,
  copy: Canonical,
  chosen: readonly string[],
  locales: LocalesModel,
): Canonical {
  const hasDefault = chosen.includes(locales.default)
  const values = show(collection, copy, [locales.default], locales.default)
  // What other languages say of the items of a list goes with the items.
  const base = hasDefault
    ? writeTranslation(collection, published, values, locales.default, locales.default)
    : published
  const others = chosen.filter((locale) => locale !== locales.default)
  const said = others.map((locale) => [locale, copy.translations[locale] ?? {}] as const)
  const translations = { ...base.translations, ...Object.fromEntries(said) }
  const filled = Object.entries(translations).filter(([, one]) => Object.keys(one).length > 0)
  return { values: base.values, translations: Object.fromEntries(filled) }
}

/**
 * Prepares to take an entry out of what everybody reads; its working copy stays. A time that was set for it is over with.
 *
 * @throws as changes of entries do; VALIDATION_ERROR where the status has no value besides `published`
 */
export function prepareUnpublish(
  context: WriteContext,
  collection: CollectionModel,
  id: string,
  options: Preconditions = {},
): Promise<PreparedWrite<EntryAnswer>> {
  const { model } = context.engine
  const hidden = collection.status?.values.find((value) => value !== PUBLISHED)
  if (hidden === undefined)
    throw invalidAt('/', 'status', `${collection.key} can hold published entries alone: its status has no other value`)
  const propose = (_read: Reader, entry: StoredEntry): Proposal | undefined => {
    if (entry.status !== PUBLISHED) return undefined
    const { canonical, orphaned } = new Revision(model, collection, entry)
    return { canonical: withStatus(collection, canonical, hidden), orphaned, draft: entry.draft, isComplete: false }
  }
  const write = {
    action: 'unpublish',
    revisionOf: ({ seq }: StoredEntry) => seq,
    propose,
    settle: (writer: Writer, entry: StoredEntry) => dropSchedule(writer, collection, entry.id, 'unpublish'),
  } as const
  return prepareWhole(inDefaultLocale(context), collection, id, write, options)
}
