import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import type { ListView } from '../list-view.ts'
import styles from './filter.module.css'
import { filterFields } from './filter-fields.ts'
import { filterText } from './filter-texts.ts'
import { useTitles } from './use-titles.ts'
import { countConditions, type FilterNode, readWhere, writeWhere } from './where-tree.ts'

const FilterBuilder = lazy(() => import('./filter-builder.tsx'))

/** Opens the form of the filter, and says how many conditions it has. */
export function FilterButton({ view }: { readonly view: ListView }): ReactNode {
  const { t } = useTexts()
  const [isOpen, setIsOpen] = useState(false)
  const count = countConditions(readWhere(view.search.where))
  return (
    <>
      <Button icon="filter" onPress={() => setIsOpen(true)}>
        {count === 0 ? t.lists.filter.title : t.lists.filter.titleOf(count)}
      </Button>
      {isOpen && (
        <Suspense>
          <FilterBuilder view={view} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  )
}

/** The parts of the filter, each of which can be taken out. */
export function FilterChips({ view }: { readonly view: ListView }): ReactNode {
  const { t, formats } = useTexts()
  const { search, change, collections } = view
  const fields = useMemo(
    () => new Map(filterFields(view.fields, collections).map((field) => [field.path, field])),
    [view.fields, collections],
  )
  const root = readWhere(search.where)
  const titles = useTitles(root, fields, collections)
  if (root.of.length === 0) return null
  const without = (node: FilterNode): void =>
    change({ where: writeWhere({ ...root, of: root.of.filter((one) => one !== node) }) })
  return (
    <ul className={styles.chips} aria-label={t.lists.filter.title}>
      {root.of.map((node, index) => {
        const text = filterText(node, { t, formats, fields, titles })
        return (
          <li key={`${index.toString()}`} className={styles.chip}>
            <bdi className={styles.chipText} title={text}>
              {text}
            </bdi>
            <button
              type="button"
              className={styles.takeOut}
              aria-label={t.lists.filter.takeOut(text)}
              onClick={() => without(node)}
            >
              <Icon name="close" />
            </button>
          </li>
        )
      })}
    </ul>
  )
}
