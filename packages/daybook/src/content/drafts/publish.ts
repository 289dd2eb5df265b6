import { validationErrorAt } from '../../errors.ts'
import { PUBLISHED } from '../../fields/status.ts'
import type { CollectionModel, LocalesModel } from '../../model/model.ts'
import type { Reader } from '../../store/reads/reader.ts'
import type { StoredEntry } from '../../store/rows.ts'
import type { Writer } from '../../store/writes/writer.ts'
import { authorizeDraft } from '../access/draft-access.ts'
import { getDraftRevision, hasSameContent, toDraftCanonical } from '../documents/draft-row.ts'
import { StoredRevision } from '../documents/row.ts'
import { type CanonicalDocument, getUnpublishedStatus, localizeStrict, writeTranslation } from '../locales/localized.ts'
import { getPublishedLocales, withPublishedLocales } from '../locales/published-locales.ts'
import type { Preconditions } from '../reads/etags.ts'
import type { EntryResponse } from '../reads/response.ts'
import type { WriteContext } from '../writes/context.ts'
import type { PreparedWrite } from '../writes/pipeline.ts'
import { type Proposal, prepareReplace } from '../writes/replace.ts'
import { dropSchedule } from './schedule.ts'

/** The locales in which an entry is published, or unpublished. */
export interface PublicationOptions extends Preconditions {
  /** @default all locales of the content */
  readonly locales?: readonly string[] | undefined
}

/**
 * Prepares to publish an entry: its draft, or the entry itself without one. The commit removes a schedule for publication. If only some
 * locales are published, the values and the status of the others stay; fields that are not localized are published, too.
 *
 * @throws as updates of entries do: required fields must have values in the published locales
 */
export function preparePublish(
  context: WriteContext,
  collection: CollectionModel,
  id: string,
  { locales, ...options }: PublicationOptions = {},
): Promise<PreparedWrite<EntryResponse>> {
  const { services: engine } = context
  const write = {
    action: 'publish',
    getRevision: (entry: StoredEntry) => getDraftRevision(engine.model, collection, entry).row.seq,
    propose: async (read: Reader, entry: StoredEntry) => {
      await authorizeDraft(context.access, read, collection, entry.id)
      return proposePublished(context, collection, entry, locales)
    },
    beforeStore: (writer: Writer, entry: StoredEntry) => dropSchedule(writer, collection, entry.id, 'publish'),
  } as const
  return prepareReplace(withDefaultLocale(context), collection, id, write, options)
}

/** Returns a context for whole documents: hooks run and slugs are generated in the default locale. */
export const withDefaultLocale = (context: WriteContext): WriteContext => ({
  ...context,
  locale: context.services.model.locales?.default,
})

/**
 * Returns the entry as it would be after publication.
 *
 * @param chosen the locales to publish. @default all
 * @returns `undefined` if everything is published already
 */
export function proposePublished(
  { services: { model } }: WriteContext,
  collection: CollectionModel,
  entry: StoredEntry,
  chosen?: readonly string[],
): Proposal | undefined {
  const { locales } = model
  const present = new StoredRevision(model, collection, entry).canonical
  const published = locales && getPublishedLocales(collection, present, locales)
  const isPublished = published ? (chosen ?? locales.available).every((one) => published.includes(one)) : undefined
  if (entry.draft === null && (isPublished ?? entry.status === PUBLISHED)) return undefined
  const draft = getDraftRevision(model, collection, entry)
  const copy = toDraftCanonical(collection, draft)
  // Content that no locale publishes is visible to nobody, so its shared fields come from the draft as well.
  const isTaken = (locale: string): boolean =>
    chosen?.includes(locale) === true || published?.includes(locale) === false
  const content =
    locales && chosen ? takeLocales(collection, present, copy, locales.available.filter(isTaken), locales) : copy
  const isAll = content === copy || hasSameContent(collection, content, copy)
  const isNext = (locale: string): boolean => chosen?.includes(locale) === true || published?.includes(locale) === true
  const next = chosen && locales ? locales.available.filter(isNext) : 'all'
  const canonical = withPublishedLocales(collection, content, next, entry.status, locales)
  return {
    canonical,
    orphaned: draft.orphaned,
    draft: isAll ? null : entry.draft,
    isComplete: true,
    requiredIn: chosen,
  }
}

/** Copies some locales from the draft to the entry. Translations of list items in other locales move with the items. */
function takeLocales(
  collection: CollectionModel,
  present: CanonicalDocument,
  copy: CanonicalDocument,
  taken: readonly string[],
  { default: defaultLocale }: LocalesModel,
): CanonicalDocument {
  const lead = taken.includes(defaultLocale) ? defaultLocale : taken[0]
  if (lead === undefined) return present
  const shown = localizeStrict(collection, copy, lead, defaultLocale)
  const { values, translations } = writeTranslation(collection, present, shown, lead, defaultLocale)
  const translatedLocales = taken.filter((locale) => locale !== defaultLocale)
  const all = {
    ...translations,
    ...Object.fromEntries(translatedLocales.map((one) => [one, copy.translations[one] ?? {}])),
  }
  const filled = Object.entries(all).filter(([, said]) => Object.keys(said).length > 0)
  const sorted = filled.sort(([one], [other]) => (one < other ? -1 : 1))
  return { values, translations: Object.fromEntries(sorted) }
}

/**
 * Prepares to unpublish an entry in all or in some locales. Its draft stays. The commit removes a schedule for unpublication.
 *
 * @throws as updates of entries do; VALIDATION_ERROR if the status has no value besides `published`
 */
export function prepareUnpublish(
  context: WriteContext,
  collection: CollectionModel,
  id: string,
  { locales: chosen, ...options }: PublicationOptions = {},
): Promise<PreparedWrite<EntryResponse>> {
  const hidden = collection.status && getUnpublishedStatus(collection.status)
  if (hidden === undefined) {
    const { key } = collection
    const message = `${key} can hold published entries alone: its status has no other value`
    throw validationErrorAt('/', 'status', message, { collection: key })
  }
  const write = {
    action: 'unpublish',
    getRevision: ({ seq }: StoredEntry) => seq,
    propose: (_read: Reader, entry: StoredEntry) => proposeUnpublished(context, collection, entry, hidden, chosen),
    beforeStore: (writer: Writer, entry: StoredEntry) => dropSchedule(writer, collection, entry.id, 'unpublish'),
  } as const
  return prepareReplace(withDefaultLocale(context), collection, id, write, options)
}

/**
 * Returns the entry as it would be after unpublication.
 *
 * @param hidden the status that replaces `published`
 * @param chosen the locales to unpublish. @default all
 * @returns `undefined` if it is not published in any of these locales
 */
export function proposeUnpublished(
  { services: { model } }: WriteContext,
  collection: CollectionModel,
  entry: StoredEntry,
  hidden: string,
  chosen?: readonly string[],
): Proposal | undefined {
  const { locales } = model
  const { canonical: present, orphaned } = new StoredRevision(model, collection, entry)
  const published = locales && chosen ? getPublishedLocales(collection, present, locales) : undefined
  const left = published?.filter((locale) => !chosen?.includes(locale)) ?? []
  const isPublished = entry.status === PUBLISHED || present.publishedLocales !== undefined
  if (!isPublished || left.length === published?.length) return undefined
  const status = entry.status === PUBLISHED ? hidden : entry.status
  const canonical = withPublishedLocales(collection, present, left, status, locales)
  return { canonical, orphaned, draft: entry.draft, isComplete: false }
}
