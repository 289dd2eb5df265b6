import type { StudioCollection } from '../../model/studio-model.ts'
import type { EditorState } from '../saving/editor-state.ts'

/** The status of what readers see. */
export const PUBLISHED = 'published'

/** How far the publishing of an entry has come. */
export interface PublishingState {
  /** `null`: entries of its collection have none. */
  readonly status: string | null
  /** True if readers see it in the language that is edited. */
  readonly isPublished: boolean
  /** The languages in which readers see it, if the content has several. */
  readonly publishedLocales: readonly string[]
  /** Whether there is something that readers do not see yet. */
  readonly isPublishable: boolean
  readonly hasDraft: boolean
  /** ISO 8601. */
  readonly publishAt: string | null
  readonly unpublishAt: string | null
  /** The statuses that it could have besides `published` and its own. */
  readonly otherStatuses: readonly string[]
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/**
 * Tells how far the publishing of an entry has come.
 *
 * @param locales the languages of the content
 */
export function getPublishingState(
  { statusField, fields }: StudioCollection,
  { document, values, dirty }: EditorState,
  locales: readonly string[],
): PublishingState {
  const status = statusField === null ? null : textOf(values[statusField])
  const isPublished = status === PUBLISHED
  const hasDraft = values.hasDraft === true
  const publishedLocales = Array.isArray(values.publishedLocales) ? values.publishedLocales : []
  const isEverywhere = isPublished && locales.every((locale) => publishedLocales.includes(locale))
  const options = fields.find(({ key }) => key === statusField)?.options ?? []
  return {
    status,
    isPublished,
    publishedLocales,
    isPublishable: document.id !== null && status !== null && (!isEverywhere || hasDraft || dirty.size > 0),
    hasDraft,
    publishAt: textOf(values.publishAt),
    unpublishAt: textOf(values.unpublishAt),
    otherStatuses: options.filter((one) => one !== PUBLISHED && one !== status),
  }
}
