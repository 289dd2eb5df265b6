import { useQueries } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useMemo, useRef, useState } from 'react'
import type { ListPage } from '../../api/client.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { useStudio } from '../../api/studio.ts'
import { useTexts } from '../../messages/messages.tsx'
import { getEntryTitle, type StudioCollection } from '../../model/studio-model.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import type { ListField } from '../list-fields.ts'
import type { ListView } from '../list-view.ts'
import styles from './filter.module.css'
import { formatFilter, getFilterFields } from './filter-fields.ts'
import { type FilterCondition, type FilterGroup, type FilterNode, parseWhere, serializeWhere } from './where-tree.ts'

const FilterBuilder = lazy(() => import('./filter-builder.tsx'))
const ConditionPopover = lazy(() => import('./condition-popover.tsx'))

/** The parts of a list's page that show and change the filter. */
export interface FilterParts {
  readonly addButton: ReactNode
  /** The parts of the filter, each with a button to change it and one to remove it; nothing without a filter. */
  readonly chips: ReactNode
}

/** The condition whose form is open, or the form of the whole filter. */
type OpenForm = { readonly index: number; readonly anchor: HTMLElement; readonly root: FilterGroup } | 'builder'

export function useFilterParts(view: ListView): FilterParts {
  const { t } = useTexts()
  const { search, collections } = view
  const fields = useMemo(() => getFilterFields(view.fields, collections), [view.fields, collections])
  const root = parseWhere(search.where)
  const [form, setForm] = useState<OpenForm>()
  const button = useRef<HTMLButtonElement>(null)
  const close = (): void => setForm(undefined)
  const edit = (index: number, anchor: HTMLElement): void => {
    const node = root.nodes[index]
    const hasForm = node === undefined || (node.kind === 'condition' && canEdit(node, fields))
    setForm(hasForm ? { index, anchor, root } : 'builder')
  }
  const addButton = (
    <>
      <Button ref={button} icon="filter" onPress={() => button.current && edit(root.nodes.length, button.current)}>
        {t.lists.filter.add}
      </Button>
      <Suspense>
        {form === 'builder' && <FilterBuilder view={view} onClose={close} />}
        {form !== undefined && form !== 'builder' && (
          <ConditionPopover {...form} view={view} fields={fields} onClose={close} onBuild={() => setForm('builder')} />
        )}
      </Suspense>
    </>
  )
  return { addButton, chips: <FilterChips view={view} root={root} fields={fields} onEdit={edit} /> }
}

const canEdit = ({ path, operator }: FilterCondition, fields: readonly ListField[]): boolean =>
  fields.some((field) => field.path === path && field.operators.includes(operator))

interface FilterChipsProps {
  readonly view: ListView
  readonly root: FilterGroup
  readonly fields: readonly ListField[]
  readonly onEdit: (index: number, anchor: HTMLElement) => void
}

function FilterChips({ view, root, fields, onEdit }: FilterChipsProps): ReactNode {
  const { t, formats } = useTexts()
  const { change, collections } = view
  const byPath = useMemo(() => new Map(fields.map((field) => [field.path, field])), [fields])
  const titles = useEntryTitles(root, byPath, collections)
  if (root.nodes.length === 0) return null
  const remove = (node: FilterNode): void =>
    change({ where: serializeWhere({ ...root, nodes: root.nodes.filter((other) => other !== node) }) })
  return (
    <ul className={styles.chips} aria-label={t.lists.filter.title}>
      {root.nodes.map((node, index) => {
        const text = formatFilter(node, { t, formats, fields: byPath, titles })
        return (
          <li key={`${index.toString()}`} className={styles.chip}>
            <button
              type="button"
              className={styles.chipText}
              aria-haspopup="dialog"
              title={text}
              onClick={({ currentTarget }) => onEdit(index, currentTarget)}
            >
              <bdi>{text}</bdi>
            </button>
            <button
              type="button"
              className={styles.takeOut}
              aria-label={t.lists.filter.removePart(text)}
              onClick={() => remove(node)}
            >
              <Icon name="close" />
            </button>
          </li>
        )
      })}
      {root.nodes.length > 1 && (
        <li>
          <Button variant="quiet" onPress={() => change({ where: undefined })}>
            {t.lists.clearFilter}
          </Button>
        </li>
      )}
    </ul>
  )
}

/** The maximum number of entries whose titles are loaded; the others are shown by id. */
const MAX_TITLES = 50

/** Loads the titles of the entries in a filter, with one request for each collection. */
function useEntryTitles(
  node: FilterNode,
  fields: ReadonlyMap<string, ListField>,
  collections: ReadonlyMap<string, StudioCollection>,
): ReadonlyMap<string, string> {
  const { client } = useStudio()
  const batches = [...Map.groupBy(findReferences(node, fields), ({ to }) => to)].flatMap(([to, references]) => {
    const collection = collections.get(to)
    return collection ? [{ collection, ids: [...new Set(references.map(({ id }) => id))].slice(0, MAX_TITLES) }] : []
  })
  const results = useQueries({
    queries: batches.map(({ collection: { key, titleField }, ids }) => ({
      queryKey: [...queryKeys.lists(key), 'titles', ids],
      queryFn: async ({ signal }: { readonly signal: AbortSignal }) => {
        const query = { where: { id: { in: ids } }, select: [titleField ?? 'id'], limit: ids.length }
        return (await client.collections[key]?.findMany(query as object, { signal })) as unknown as ListPage
      },
    })),
  })
  return new Map(
    batches.flatMap(({ collection }, index) =>
      (results[index]?.data?.items ?? []).flatMap((item) => {
        const title = getEntryTitle(collection, item)
        return title === undefined ? [] : [[item.id, title] as const]
      }),
    ),
  )
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function findReferences(
  node: FilterNode,
  fields: ReadonlyMap<string, ListField>,
): readonly { readonly to: string; readonly id: string }[] {
  if (node.kind === 'group') return node.nodes.flatMap((inner) => findReferences(inner, fields))
  if (node.kind === 'other') return []
  const to = fields.get(node.path)?.to ?? []
  const ids = [node.value ?? []].flat().filter((value) => typeof value === 'string' && UUID.test(value))
  return to.length === 1 && to[0] !== undefined ? ids.map((id) => ({ to: to[0] ?? '', id: String(id) })) : []
}
