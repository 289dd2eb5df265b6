import { type CursorPage, DaybookError, type DeletedEntry } from '@daybook/client'
import { type InfiniteData, useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import type { DaybookConfig } from 'daybook'
import type { ReactNode } from 'react'
import { queryKeys } from '../api/query-keys.ts'
import { useStudio } from '../api/studio.ts'
import type { Messages } from '../messages/en.ts'
import { useTexts } from '../messages/messages.tsx'
import { ASSETS, formatPath, type StudioCollection } from '../model/studio-model.ts'
import { useCollection } from '../model/use-model.ts'
import { useActorName } from '../session/use-actor-name.ts'
import { ErrorNotice, NotFoundPage, Page } from '../shell/page.tsx'
import link from '../ui/back-link.module.css'
import { Button } from '../ui/controls/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { LoadingPlaceholder } from '../ui/loading-placeholder.tsx'
import { Notice } from '../ui/notice.tsx'
import { useToast } from '../ui/overlays/toasts.tsx'
import { formatFailure } from './bulk/refusals.tsx'
import styles from './trash.module.css'

const PAGE = 50

type Deleted = DeletedEntry<DaybookConfig>
type DeletedPage = CursorPage<Deleted>

const route = getRouteApi('/c/$collection/trash')

export function TrashPage(): ReactNode {
  const { collection } = route.useParams()
  return <CollectionTrash key={collection} collectionKey={collection} />
}

export function FileTrashPage(): ReactNode {
  return <CollectionTrash collectionKey={ASSETS} />
}

function CollectionTrash({ collectionKey }: { readonly collectionKey: string }): ReactNode {
  const collection = useCollection(collectionKey)
  if (!collection || collection.permissions.restore === false) return <NotFoundPage />
  return <Trash collection={collection} />
}

function Trash({ collection }: { readonly collection: StudioCollection }): ReactNode {
  const { key, label } = collection
  const { t } = useTexts()
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useDeleted(key)
  const items = data?.pages.flatMap((page) => page.items) ?? []
  const isOfFiles = key === ASSETS
  const isEmpty = data !== undefined && items.length === 0 && !hasNextPage
  return (
    <Page
      title={t.trash.title}
      above={
        <Link to="/c/$collection" params={{ collection: key }} className={link.back}>
          <Icon name="back" />
          {isOfFiles ? t.assets.title : label}
        </Link>
      }
    >
      {isPending && <LoadingPlaceholder label={t.common.loading} />}
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {isEmpty && (
        <Notice icon="trash" title={t.trash.none} text={isOfFiles ? t.trash.noFilesText : t.trash.noneText} />
      )}
      {items.length > 0 && (
        <ul className={styles.rows}>
          {items.map((entry) => (
            <DeletedRow collection={collection} key={entry.id} entry={entry} />
          ))}
        </ul>
      )}
      {hasNextPage && !error && (
        <div>
          <Button isPending={isFetchingNextPage} onPress={() => void fetchNextPage()}>
            {t.trash.more}
          </Button>
        </div>
      )}
    </Page>
  )
}

function useDeleted(collection: string) {
  const { client } = useStudio()
  return useInfiniteQuery<DeletedPage, Error, InfiniteData<DeletedPage>, readonly string[], string | null>({
    queryKey: queryKeys.deleted(collection),
    queryFn: async ({ pageParam, signal }) => {
      const entries = client.collections[collection]
      if (!entries) throw new Error(`There is no collection ${collection}.`)
      return entries.listDeleted({ limit: PAGE, cursor: pageParam }, { signal })
    },
    initialPageParam: null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    staleTime: 0,
  })
}

function DeletedRow({
  collection,
  entry,
}: {
  readonly collection: StudioCollection
  readonly entry: Deleted
}): ReactNode {
  const { t, formats } = useTexts()
  const { title, deletedAt, deletedBy } = entry
  const actor = deletedBy ?? undefined
  const getName = useActorName([actor])
  const restore = useRestore(entry)
  const refusal = restore.error && getRefusalText(collection, restore.error, t)
  const name = title ?? t.lists.untitled
  return (
    <li className={styles.row}>
      <div className={styles.what}>
        <p className={styles.name} dir="auto">
          {name}
        </p>
        <p className={styles.note}>
          {t.trash.deleted}{' '}
          <time dateTime={deletedAt} title={formats.moment(deletedAt)}>
            {formats.ago(deletedAt)}
          </time>
          {deletedBy !== undefined && ` · ${t.history.by(getName(actor))}`}
        </p>
        {refusal && <p role="alert">{refusal}</p>}
      </div>
      <Button isPending={restore.isPending} label={t.trash.restoreOf(name)} onPress={() => restore.mutate()}>
        {t.trash.restore}
      </Button>
    </li>
  )
}

/** Restores a deleted entry, and opens it. */
function useRestore({ collection, id }: Deleted) {
  const { client } = useStudio()
  const { t } = useTexts()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const toast = useToast()
  return useMutation({
    mutationFn: async () => client.collections[collection]?.restore(id),
    onSuccess: () => {
      toast({ text: t.history.restored })
      for (const queryKey of [queryKeys.lists(collection), queryKeys.entry(collection, id)])
        void queries.invalidateQueries({ queryKey })
      void navigate({ to: '/c/$collection/$id', params: { collection, id } })
    },
  })
}

/** Explains a rejected restore; a conflict names the field whose value another entry has taken. */
function getRefusalText(collection: StudioCollection, error: unknown, t: Messages): string {
  const { code, details } = error instanceof DaybookError ? error : { code: undefined, details: {} }
  const field: unknown = 'field' in details ? details.field : undefined
  if (code === 'CONFLICT' && collection.key === ASSETS) return t.trash.fileTaken
  return code === 'CONFLICT' && typeof field === 'string'
    ? t.trash.conflict(formatPath(field, collection.fields))
    : formatFailure(error, t, collection)
}
