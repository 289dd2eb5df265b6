import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useDeferredValue, useState } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { type StudioCollection, titleOf } from '../../model/studio-model.ts'
import { keys } from '../../talk/keys.ts'
import type { ListPage } from '../../talk/list-page.ts'
import { useStudio } from '../../talk/studio.ts'
import { Checkbox } from '../../ui/controls/checkbox.tsx'
import { SearchField } from '../../ui/controls/search-field.tsx'
import styles from './filter.module.css'
import { SEVERAL } from './filter-fields.ts'
import type { FilterValue } from './where-tree.ts'

/** How many entries are offered at once. */
const OFFERED = 10

/** What an {@link EntryValue} takes. */
export interface EntryValueProps {
  readonly target: StudioCollection
  readonly operator: string
  readonly value: FilterValue | undefined
  readonly onChange: (value: FilterValue | undefined) => void
}

/** Entries to compare with, found by their words. */
export function EntryValue({ target, operator, value, onChange }: EntryValueProps): ReactNode {
  const { t } = useTexts()
  const [text, setText] = useState('')
  const chosen = [value ?? []].flat().map(String)
  const found = useFound(target, useDeferredValue(text.trim()))
  const named = useFound(target, '', chosen)
  const isSeveral = SEVERAL.has(operator)
  const offered = [...named, ...found.filter(({ id }) => !chosen.includes(id))]
  const choose = (id: string, isSelected: boolean): void => {
    const ids = isSelected ? [...(isSeveral ? chosen : []), id] : chosen.filter((one) => one !== id)
    onChange(isSeveral ? ids : ids[0])
  }
  return (
    <>
      {target.searchable && <SearchField label={t.lists.searchIn(target.label)} value={text} onChange={setText} />}
      <div role="group" aria-label={target.label} className={styles.options}>
        {offered.map((item) => (
          <Checkbox
            key={item.id}
            label={titleOf(target, item) ?? item.id}
            isSelected={chosen.includes(item.id)}
            onChange={(isSelected) => choose(item.id, isSelected)}
          />
        ))}
      </div>
    </>
  )
}

/** @param ids asked for by themselves */
function useFound({ key, titleField }: StudioCollection, q: string, ids?: readonly string[]): ListPage['items'] {
  const { client } = useStudio()
  const which = ids ? { where: { id: { in: ids } } } : q === '' ? {} : { q }
  const query = { ...which, select: [titleField ?? 'id'], limit: OFFERED }
  const { data } = useQuery({
    queryKey: [...keys.lists(key), 'offered', query],
    queryFn: async ({ signal }) =>
      (await client.collections[key]?.findMany(query as object, { signal })) as unknown as ListPage,
    enabled: ids === undefined || ids.length > 0,
    placeholderData: keepPreviousData,
  })
  return ids?.length === 0 ? [] : (data?.items ?? [])
}
