import { getRouteApi, Link } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useCallback, useEffect, useState } from 'react'
import { useTexts } from '../messages/messages.tsx'
import { getNewEntryText, type StudioCollection } from '../model/studio-model.ts'
import { useCollection } from '../model/use-model.ts'
import { NotFoundPage, Page } from '../shell/page.tsx'
import { Button, getButtonClass } from '../ui/controls/button.tsx'
import { SearchField } from '../ui/controls/search-field.tsx'
import { Icon } from '../ui/icon.tsx'
import { PageActions } from '../ui/page-actions.tsx'
import { useFilterParts } from './filters/filter-bar.tsx'
import styles from './list.module.css'
import type { ListSearch } from './list-search.ts'
import { type ListView, useListView } from './list-view.ts'
import { listPositions } from './rows/list-positions.ts'
import { ListTable } from './rows/list-table.tsx'
import { StatusTabs } from './status-tabs.tsx'
import { ViewsMenu } from './views/views-menu.tsx'

/** True if the entries are shown below their parents. */
const showsTree = ({ collection, search }: ListView): boolean =>
  collection.parentField !== null &&
  [search.q, search.status, search.where, search.sort, search.layout].every((param) => param === undefined)

const TreeTable = lazy(() => import('./tree/tree-table.tsx'))
const ColumnChooser = lazy(() => import('./columns/column-chooser.tsx'))

const route = getRouteApi('/c/$collection')

/** The list of a collection: `/c/:collection?q=&status=&where=&sort=&columns=`. */
export function ListPage(): ReactNode {
  const { collection: key } = route.useParams()
  const collection = useCollection(key)
  return collection ? <CollectionList key={key} collection={collection} /> : <NotFoundPage />
}

function CollectionList({ collection }: { readonly collection: StudioCollection }): ReactNode {
  const { t } = useTexts()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const change = useCallback(
    (changes: Partial<ListSearch>) =>
      void navigate({ search: (current: ListSearch) => omitUndefined({ ...current, ...changes }), replace: true }),
    [navigate],
  )
  const [visit, setVisit] = useState(0)
  const reload = useCallback(() => setVisit((current) => current + 1), [])
  const view = useListView(collection, search, { change, reload })
  const filter = useFilterParts(view)
  const { key, label, permissions, searchable, statusField } = collection
  const listKey = `${key}?${JSON.stringify(view.query)}`
  const [isReturn] = useState(() => listPositions.get(listKey) !== undefined)
  return (
    <Page
      title={label}
      isWide
      keepsFocus={isReturn}
      actions={
        <>
          {permissions.restore !== false && <TrashLink collection={key} />}
          {permissions.create !== false && <CreateLink collection={collection} />}
        </>
      }
    >
      {statusField !== null && <StatusTabs view={view} statusField={statusField} />}
      <PageActions>
        <div className={styles.tools}>
          {searchable && <ListSearchField view={view} label={t.lists.searchIn(label)} />}
          {filter.addButton}
          <ColumnsButton view={view} />
          {collection.parentField !== null && <LayoutButton view={view} />}
          <ViewsMenu view={view} />
        </div>
      </PageActions>
      {filter.chips}
      {showsTree(view) ? (
        <Suspense>
          <TreeTable key={listKey} view={view}>
            {permissions.create !== false && <CreateLink collection={collection} />}
          </TreeTable>
        </Suspense>
      ) : (
        <ListTable key={`${listKey} ${visit}`} view={view} listKey={listKey}>
          {permissions.create !== false && <CreateLink collection={collection} />}
        </ListTable>
      )}
    </Page>
  )
}

/** Removes undefined parameters, which must not be in the URL. */
const omitUndefined = (search: ListSearch): ListSearch =>
  Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined))

/** Switches between a tree and a list. A search, a filter or another order always shows a list. */
function LayoutButton({ view }: { readonly view: ListView }): ReactNode {
  const { t } = useTexts()
  const isTree = showsTree(view)
  return (
    <Button
      icon={isTree ? 'list' : 'tree'}
      onPress={() =>
        view.change(
          isTree
            ? { layout: 'list' }
            : { layout: undefined, q: undefined, status: undefined, where: undefined, sort: undefined },
        )
      }
    >
      {isTree ? t.lists.tree.showList : t.lists.tree.show}
    </Button>
  )
}

function ColumnsButton({ view }: { readonly view: ListView }): ReactNode {
  const { t } = useTexts()
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button icon="columns" onPress={() => setIsOpen(true)}>
        {t.lists.columns}
      </Button>
      {isOpen && (
        <Suspense>
          <ColumnChooser view={view} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  )
}

function TrashLink({ collection }: { readonly collection: string }): ReactNode {
  const { t } = useTexts()
  return (
    <Link to="/c/$collection/trash" params={{ collection }} className={getButtonClass()}>
      <Icon name="trash" />
      {t.trash.title}
    </Link>
  )
}

function CreateLink({ collection }: { readonly collection: StudioCollection }): ReactNode {
  const { t } = useTexts()
  return (
    <Link
      to="/c/$collection/$id"
      params={{ collection: collection.key, id: 'new' }}
      className={getButtonClass('primary')}
    >
      <Icon name="plus" />
      {getNewEntryText(collection, t)}
    </Link>
  )
}

/** The delay between the last key press and the search, in milliseconds. */
const SEARCH_MS = 200

/** A search field that updates the URL during typing. */
function ListSearchField({ view, label }: { readonly view: ListView; readonly label: string }): ReactNode {
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
