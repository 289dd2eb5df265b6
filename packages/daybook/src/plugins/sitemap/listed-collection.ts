import { etagOf, type ListOptions } from '../../index.ts'
import { type PathTemplate, templatesOf } from '../entry-path.ts'
import type { Lists } from '../lists.ts'
import type { SitemapCollection, SitemapOptions } from './options.ts'

/** A collection of the options. */
export interface ListedCollection {
  readonly key: string
  readonly options: SitemapCollection
  /** The first locale's first. */
  readonly templates: readonly PathTemplate[]
}

export function listedCollections({ collections }: SitemapOptions): readonly ListedCollection[] {
  return Object.entries(collections).map(([key, options]) => ({ key, options, templates: templatesOf(options.path) }))
}

/** The number of entries of a collection in each locale with pages, and tags that change with them. */
export interface CollectionState {
  readonly totals: readonly number[]
  readonly tags: readonly string[]
}

export async function stateOf(lists: Lists, { key, templates }: ListedCollection): Promise<CollectionState> {
  const all = await Promise.all(templates.map((template) => lists.list(key, { limit: 0, ...inLocaleOf(template) })))
  return { totals: all.map(({ total }) => total), tags: all.map(etagOf) }
}

/** The options of a list in a locale; values of other locales do not stand in for its own. */
export const inLocaleOf = ({ locale }: PathTemplate): Pick<ListOptions, 'locale' | 'fallbackLocale'> =>
  locale === undefined ? {} : { locale, fallbackLocale: 'none' }
