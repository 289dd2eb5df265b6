import type { CollectionModel } from '../../model/model.ts'
import type { ReaderScope } from '../access/reader-scope.ts'
import type { Engine } from '../engine.ts'
import { putMembers } from './present.ts'

/** The address of an entry in one locale. */
interface Alternate {
  readonly locale: string
  readonly slug: string
}

/**
 * Puts the slugs of entries in all locales behind their texts: those of locales in which the entry exists for the reader, and has a slug
 * of its own. One statement for each locale, however many entries there are.
 */
export async function appendAlternates(
  { engine, scope }: { readonly engine: Engine; readonly scope: ReaderScope },
  { key }: CollectionModel,
  rows: readonly { readonly id?: string }[],
  texts: readonly string[],
): Promise<readonly string[]> {
  const { model, store } = engine
  const collection = model.collections.get(key)
  const ids = rows.flatMap(({ id }) => id ?? [])
  const alternates = new Map<string, Alternate[]>(ids.map((id) => [id, []]))
  for (const locale of collection && ids.length > 0 ? (model.locales?.available ?? []) : []) {
    const inLocale = collection?.byLocale.get(locale) ?? collection
    const found = inLocale ? await store.read.entries.ownSlugs(inLocale, ids, scope.visible(inLocale)) : []
    for (const { id, slug } of found) alternates.get(id)?.push({ locale, slug })
  }
  return texts.map((text, index) => putMembers(text, { alternates: alternates.get(rows[index]?.id ?? '') ?? [] }))
}
