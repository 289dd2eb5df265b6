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
  const { content } = context
  const write = {
    action: 'publish',
    getRevision: (entry: StoredEntry) => getDraftRevision(content.model, collection, entry).row.seq,
    propose: async (read: Reader, entry: StoredEntry) => {
      await authorizeDraft(context.access, read, collection, entry.id)
      return proposePublished(context, collection, entry, locales)
    },
    beforeStore: async (writer: Writer, entry: StoredEntry) => {
      await writer.schedules.drop(collection.key, entry.id, 'publish')
    },
  } as const
  return prepareReplace(withDefaultLocale(context), collection, id, write, options)
}

/** Returns a context for whole documents: hooks run and slugs are generated in the default locale. */
export const withDefaultLocale = (context: WriteContext): WriteContext => ({
  ...context,
  locale: context.content.model.locales?.default,
})

/**
 * Returns the entry as it would be after publication.
 *
 * @param chosenLocales the locales to publish. @default all
 * @returns `undefined` if everything is published already
 */
export function proposePublished(
  { content: { model } }: WriteContext,
  collection: CollectionModel,
  entry: StoredEntry,
  chosenLocales?: readonly string[],
): Proposal | undefined {
  const { locales } = model
  const stored = new StoredRevision(model, collection, entry).canonical
  const publishedLocales = locales && getPublishedLocales(collection, stored, locales)
  const isPublished = publishedLocales
    ? (chosenLocales ?? locales.available).every((locale) => publishedLocales.includes(locale))
    : undefined
  if (entry.draft === null && (isPublished ?? entry.status === PUBLISHED)) return undefined
  const draft = getDraftRevision(model, collection, entry)
  const draftContent = toDraftCanonical(collection, draft)
  // Content that no locale publishes is visible to nobody, so its shared fields come from the draft as well.
  const isFromDraft = (locale: string): boolean =>
    chosenLocales?.includes(locale) === true || publishedLocales?.includes(locale) === false
  const content =
    locales && chosenLocales
      ? copyLocales(collection, stored, draftContent, locales.available.filter(isFromDraft), locales)
      : draftContent
  const isFullyPublished = content === draftContent || hasSameContent(collection, content, draftContent)
  const isPublishedAfter = (locale: string): boolean =>
    chosenLocales?.includes(locale) === true || publishedLocales?.includes(locale) === true
  const nextLocales = chosenLocales && locales ? locales.available.filter(isPublishedAfter) : 'all'
  const canonical = withPublishedLocales(collection, content, nextLocales, entry.status, locales)
  return {
    canonical,
    orphaned: draft.orphaned,
    draft: isFullyPublished ? null : entry.draft,
    isComplete: true,
    requiredIn: chosenLocales,
  }
}

/** Copies some locales from the draft to the entry. Translations of list items in other locales move with the items. */
function copyLocales(
  collection: CollectionModel,
  stored: CanonicalDocument,
  draftContent: CanonicalDocument,
  draftLocales: readonly string[],
  { default: defaultLocale }: LocalesModel,
): CanonicalDocument {
  const leadLocale = draftLocales.includes(defaultLocale) ? defaultLocale : draftLocales[0]
  if (leadLocale === undefined) return stored
  const leadValues = localizeStrict(collection, draftContent, leadLocale, defaultLocale)
  const { values, translations } = writeTranslation(collection, stored, leadValues, leadLocale, defaultLocale)
  const translatedLocales = draftLocales.filter((locale) => locale !== defaultLocale)
  const all = {
    ...translations,
    ...Object.fromEntries(translatedLocales.map((locale) => [locale, draftContent.translations[locale] ?? {}])),
  }
  const nonEmpty = Object.entries(all).filter(([, translation]) => Object.keys(translation).length > 0)
  const sorted = nonEmpty.sort(([a], [b]) => (a < b ? -1 : 1))
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
  { locales: chosenLocales, ...options }: PublicationOptions = {},
): Promise<PreparedWrite<EntryResponse>> {
  const hiddenStatus = collection.status && getUnpublishedStatus(collection.status)
  if (hiddenStatus === undefined) {
    const { key } = collection
    const message = `Entries of ${key} cannot be unpublished, because their status has no other value than published.`
    throw validationErrorAt('/', 'status', message, { collection: key })
  }
  const write = {
    action: 'unpublish',
    getRevision: ({ seq }: StoredEntry) => seq,
    propose: (_read: Reader, entry: StoredEntry) =>
      proposeUnpublished(context, collection, entry, hiddenStatus, chosenLocales),
    beforeStore: async (writer: Writer, entry: StoredEntry) => {
      await writer.schedules.drop(collection.key, entry.id, 'unpublish')
    },
  } as const
  return prepareReplace(withDefaultLocale(context), collection, id, write, options)
}

/**
 * Returns the entry as it would be after unpublication.
 *
 * @param hiddenStatus the status that replaces `published`
 * @param chosenLocales the locales to unpublish. @default all
 * @returns `undefined` if it is not published in any of these locales
 */
export function proposeUnpublished(
  { content: { model } }: WriteContext,
  collection: CollectionModel,
  entry: StoredEntry,
  hiddenStatus: string,
  chosenLocales?: readonly string[],
): Proposal | undefined {
  const { locales } = model
  const { canonical: stored, orphaned } = new StoredRevision(model, collection, entry)
  const publishedLocales = locales && chosenLocales ? getPublishedLocales(collection, stored, locales) : undefined
  const remaining = publishedLocales?.filter((locale) => !chosenLocales?.includes(locale)) ?? []
  const isPublished = entry.status === PUBLISHED || stored.publishedLocales !== undefined
  if (!isPublished || remaining.length === publishedLocales?.length) return undefined
  const status = entry.status === PUBLISHED ? hiddenStatus : entry.status
  const canonical = withPublishedLocales(collection, stored, remaining, status, locales)
  return { canonical, orphaned, draft: entry.draft, isComplete: false }
}
