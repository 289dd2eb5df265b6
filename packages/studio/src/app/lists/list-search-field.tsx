import { type ReactNode, useEffect, useState } from 'react'
import { SearchField } from '../ui/controls/search-field.tsx'
import type { ListView } from './list-view.ts'

/** How long after the last key a search begins, in milliseconds. */
const SEARCH_MS = 200

/** Searches while somebody types; the address follows. */
export function ListSearchField({ view, label }: { readonly view: ListView; readonly label: string }): ReactNode {
  const { search, change } = view
  const { q = '' } = search
  const [typed, setTyped] = useState(q)
  useEffect(() => setTyped(q), [q])
  useEffect(() => {
    if (typed.trim() === q.trim()) return
    const timer = setTimeout(() => change({ q: typed.trim() === '' ? undefined : typed }), SEARCH_MS)
    return () => clearTimeout(timer)
  }, [typed, q, change])
  return <SearchField label={label} value={typed} onChange={setTyped} />
}
