import type { InfiniteData } from '@tanstack/react-query'
import type { ListItem, ListPage, LiveChange } from '../../talk/live.ts'

/** A list of files, as far as it is loaded. */
export type AssetList = InfiniteData<ListPage>

/** Whether a file is in a list. */
export const hasAsset = ({ pages }: AssetList, id: string): boolean =>
  pages.some(({ items }) => items.some((item) => item.id === id))

/** A list after a change of a file that is in it. */
export const withChange = (list: AssetList, change: LiveChange): AssetList => ({
  ...list,
  pages: list.pages.map((page) => inPage(page, change)),
})

function inPage(page: ListPage, { action, id, data = {} }: LiveChange): ListPage {
  if (action === 'delete') {
    return { ...page, total: Math.max(0, page.total - 1), items: page.items.filter((item) => item.id !== id) }
  }
  return { ...page, items: page.items.map((item) => (item.id === id ? changed(item, data) : item)) }
}

/** Only what was asked for is in a list. */
const changed = (item: ListItem, data: Readonly<Record<string, unknown>>): ListItem => ({
  ...Object.fromEntries(Object.entries(item).map(([key, value]) => [key, key in data ? data[key] : value])),
  id: item.id,
})
