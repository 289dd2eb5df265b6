import { getRouteApi, Link } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { useTexts } from '../messages/messages.tsx'
import type { StudioCollection } from '../model/studio-model.ts'
import { useCollection } from '../model/use-model.ts'
import { BrokenPage } from '../shell/broken-page.tsx'
import { MissingPage } from '../shell/missing-page.tsx'
import { Page } from '../shell/page.tsx'
import { Button, buttonClass } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Notice } from '../ui/notice.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { Waiting } from '../ui/waiting.tsx'
import styles from './list.module.css'
import { listPlaces } from './list-places.ts'
import { ListTable } from './list-table.tsx'
import { type LoadedList, useList } from './use-list.ts'

const route = getRouteApi('/c/$collection')

/** How long after the last key a search begins, in milliseconds. */
const SEARCH_MS = 200

/** The list of a collection: `/c/:collection?q=`. */
export function ListPage(): ReactNode {
  const { collection: key } = route.useParams()
  const collection = useCollection(key)
  return collection ? <CollectionList key={key} collection={collection} /> : <MissingPage />
}

function CollectionList({ collection }: { readonly collection: StudioCollection }): ReactNode {
  const { t } = useTexts()
  const { key, label, permissions, searchable, description } = collection
  const search = route.useSearch()
  const list = useList(collection, search)
  const address = `${key}?${search.q ?? ''}`
  const place = listPlaces.get(address)
  return (
    <Page
      title={label}
      isWide
      keepsFocus={place?.opened !== undefined}
      actions={permissions.create !== false && <CreateLink collection={key} />}
    >
      <div className={styles.tools}>
        {searchable && <ListSearchField label={t.lists.searchIn(label)} />}
        <p role="status" className={styles.count}>
          {list.total !== undefined && t.lists.entries(list.total)}
        </p>
      </div>
      <ListContent list={list} collection={collection} q={search.q} address={address} description={description} />
    </Page>
  )
}

interface ListContentProps {
  readonly list: LoadedList
  readonly collection: StudioCollection
  readonly q: string | undefined
  readonly address: string
  readonly description: string | undefined
}

function ListContent({ list, collection, q, address, description }: ListContentProps): ReactNode {
  const { t } = useTexts()
  const navigate = route.useNavigate()
  if (list.isLoading) return <Waiting label={t.common.loading} lines={8} />
  if (list.items.length > 0) return <ListTable list={list} collection={collection} address={address} />
  if (list.error) return <BrokenPage error={list.error} onRetry={list.reload} />
  if (q !== undefined) {
    return (
      <Notice title={t.lists.noneFound} text={t.lists.noneFoundText(q)}>
        <Button onPress={() => void navigate({ search: {}, replace: true })}>{t.lists.clearSearch}</Button>
      </Notice>
    )
  }
  return (
    <Notice title={t.lists.empty} text={description ?? t.lists.emptyText}>
      {collection.permissions.create !== false && <CreateLink collection={collection.key} />}
    </Notice>
  )
}

function CreateLink({ collection }: { readonly collection: string }): ReactNode {
  const { t } = useTexts()
  return (
    <Link to="/c/$collection/$id" params={{ collection, id: 'new' }} className={buttonClass('primary')}>
      <Icon name="plus" />
      {t.lists.create}
    </Link>
  )
}

/** Searches while somebody types; the address follows. */
function ListSearchField({ label }: { readonly label: string }): ReactNode {
  const { q = '' } = route.useSearch()
  const navigate = route.useNavigate()
  const [typed, setTyped] = useState(q)
  useEffect(() => setTyped(q), [q])
  useEffect(() => {
    if (typed.trim() === q.trim()) return
    const timer = setTimeout(() => {
      void navigate({ search: typed.trim() === '' ? {} : { q: typed }, replace: true })
    }, SEARCH_MS)
    return () => clearTimeout(timer)
  }, [typed, q, navigate])
  return <SearchField label={label} value={typed} onChange={setTyped} />
}
