import type { StudioCollection } from '../../model/studio-model.ts'
import type { EditorState } from '../saving/editor-state.ts'

export const PUBLISHED = 'published'

export interface PublishingState {
  /** `null` if entries of its collection have none. */
  readonly status: string | null
  /** True if the entry is public in the edited language. */
  readonly isPublished: boolean
  /** The languages in which the entry is public, if the content has several. */
  readonly publishedLocales: readonly string[]
  /** True if publishing would change what is public. */
  readonly isPublishable: boolean
  readonly hasDraft: boolean
  /** ISO 8601. */
  readonly publishAt: string | null
  readonly unpublishAt: string | null
  /** The other statuses that it could have, except `published`. */
  readonly otherStatuses: readonly string[]
}

const asText = (value: unknown): string | null => (typeof value === 'string' ? value : null)

export function getPublishingState(
  { statusField, fields }: StudioCollection,
  { document, values, dirty }: EditorState,
  locales: readonly string[],
): PublishingState {
  const status = statusField === null ? null : asText(values[statusField])
  const isPublished = status === PUBLISHED
  const hasDraft = values.hasDraft === true
  const publishedLocales = Array.isArray(values.publishedLocales) ? values.publishedLocales : []
  const isPublishedEverywhere = isPublished && locales.every((locale) => publishedLocales.includes(locale))
  const options = fields.find(({ key }) => key === statusField)?.options ?? []
  return {
    status,
    isPublished,
    publishedLocales,
    isPublishable: document.id !== null && status !== null && (!isPublishedEverywhere || hasDraft || dirty.size > 0),
    hasDraft,
    publishAt: asText(values.publishAt),
    unpublishAt: asText(values.unpublishAt),
    otherStatuses: options.filter((option) => option !== PUBLISHED && option !== status),
  }
}
