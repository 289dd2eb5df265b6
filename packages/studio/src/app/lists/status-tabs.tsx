import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { queryKeys } from '../api/query-keys.ts'
import { useStudio } from '../api/studio.ts'
import { useTexts } from '../messages/messages.tsx'
import { getStatusLabel } from '../model/studio-model.ts'
import type { ListView } from './list-view.ts'
import styles from './status-tabs.module.css'

interface CountsResponse {
  readonly aggregates?: Readonly<Record<string, readonly { readonly value: unknown; readonly count: number }[]>>
}

/** The statuses of a collection with their counts, which load separately. */
export function StatusTabs({
  view,
  statusField,
}: {
  readonly view: ListView
  readonly statusField: string
}): ReactNode {
  const { t, formats } = useTexts()
  const { fields, search, change } = view
  const counts = useCounts(view, statusField)
  const options = fields.find(({ path }) => path === statusField)?.options ?? []
  const all = counts && [...counts.values()].reduce((sum, count) => sum + count, 0)
  const tabs = [
    { id: undefined, label: t.lists.allStatuses, count: all },
    ...options.map((id) => ({
      id,
      label: getStatusLabel(id, t, view.collection),
      count: counts && (counts.get(id) ?? 0),
    })),
  ]
  return (
    <div className={styles.tabs} role="group" aria-label={t.lists.status}>
      {tabs.map(({ id, label, count }) => (
        <button
          key={id ?? ''}
          type="button"
          aria-pressed={search.status === id}
          ref={search.status === id ? (tab) => scrollIntoRow(tab) : null}
          className={styles.tab}
          onClick={() => change({ status: id })}
        >
          <span>{label}</span>
          {count !== undefined && <span className={styles.count}>{formats.number(count)}</span>}
        </button>
      ))}
    </div>
  )
}

/** Scrolls the selected tab into view on small screens, again when counts make the tabs wider. */
function scrollIntoRow(tab: HTMLElement | null): void {
  const row = tab?.parentElement
  if (!row) return
  const tabBox = tab.getBoundingClientRect()
  const rowBox = row.getBoundingClientRect()
  row.scrollLeft += Math.max(0, tabBox.right - rowBox.right) - Math.max(0, rowBox.left - tabBox.left)
}

function useCounts({ collection, search }: ListView, statusField: string): ReadonlyMap<unknown, number> | undefined {
  const { client } = useStudio()
  const { key, fields } = collection
  const canCount = fields.some((field) => field.key === statusField && field.aggregates.includes('count'))
  const { q, where } = search
  const query = { q, where, limit: 0, aggregate: `count:${statusField}` }
  const { data } = useQuery({
    queryKey: [...queryKeys.lists(key), 'statuses', query],
    queryFn: ({ signal }) =>
      client.collections[key]?.findMany(query as object, { signal }) as unknown as Promise<CountsResponse>,
    enabled: canCount,
  })
  const counts = data?.aggregates?.[`count:${statusField}`]
  return counts && new Map(counts.map(({ value, count }) => [value, count]))
}
