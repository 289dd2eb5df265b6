import { type ReactNode, useEffect, useState } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { SearchField } from '../../ui/controls/search-field.tsx'
import { MenuButton, MenuChoice } from '../../ui/overlays/menu.tsx'
import { ASSET_KINDS, type AssetKind } from './asset.ts'
import { ASSET_SORTS, type AssetSearch, type AssetSort } from './asset-search.ts'
import styles from './asset-toolbar.module.css'

export interface AssetToolbarProps {
  readonly search: AssetSearch
  /** The number of matching files; `undefined` until it is loaded. */
  readonly total: number | undefined
  readonly onChange: (search: AssetSearch) => void
}

/** The delay between the last key press and the search, in milliseconds. */
const SEARCH_MS = 200

export function AssetToolbar({ search, total, onChange }: AssetToolbarProps): ReactNode {
  const { t } = useTexts()
  const { kinds, sorts } = t.assets
  const { kind, sort } = search
  const order = sort ?? (search.q === undefined ? '-createdAt' : 'best')
  const orders: readonly (AssetSort | 'best')[] = search.q === undefined ? ASSET_SORTS : ['best', ...ASSET_SORTS]
  const changeKind = (next: AssetKind | 'all'): void => onChange({ ...search, kind: next === 'all' ? undefined : next })
  return (
    <div className={styles.tools}>
      <Search search={search} onChange={onChange} />
      <MenuButton label={kinds[kind ?? 'all']} icon="filter">
        <MenuChoice
          title={t.assets.kind}
          value={kind ?? 'all'}
          options={(['all', ...ASSET_KINDS] as const).map((id) => ({ id, label: kinds[id] }))}
          onChange={changeKind}
        />
      </MenuButton>
      <MenuButton label={sorts[order]} icon="sort">
        <MenuChoice
          title={t.assets.order}
          value={order}
          options={orders.map((id) => ({ id, label: sorts[id] }))}
          onChange={(next) => onChange({ ...search, sort: next === 'best' ? undefined : next })}
        />
      </MenuButton>
      <p role="status" className={styles.count}>
        {total !== undefined && t.assets.count(total)}
      </p>
    </div>
  )
}

function Search({ search, onChange }: Pick<AssetToolbarProps, 'search' | 'onChange'>): ReactNode {
  const { t } = useTexts()
  const { q = '' } = search
  const [typed, setTyped] = useState(q)
  useEffect(() => setTyped(q), [q])
  useEffect(() => {
    if (typed.trim() === q.trim()) return
    const next = typed.trim() === '' ? undefined : typed
    const timer = setTimeout(() => onChange({ ...search, q: next }), SEARCH_MS)
    return () => clearTimeout(timer)
  }, [typed, q, search, onChange])
  return <SearchField label={t.assets.search} value={typed} onChange={setTyped} />
}
