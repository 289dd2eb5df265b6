import { getRouteApi, Link } from '@tanstack/react-router'
import { type ReactNode, useMemo, useState } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { ASSETS, type StudioCollection } from '../../model/studio-model.ts'
import { useCollection } from '../../model/use-model.ts'
import { ErrorNotice, NotFoundPage, Page } from '../../shell/page.tsx'
import { Button, getButtonClass, IconButton } from '../../ui/controls/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { LoadingPlaceholder } from '../../ui/loading-placeholder.tsx'
import { Notice } from '../../ui/notice.tsx'
import type { Asset } from '../media/asset.ts'
import { AssetCard } from '../media/asset-card.tsx'
import { AssetGrid } from '../media/asset-grid.tsx'
import { isFiltered, type LibrarySearch } from '../media/asset-search.ts'
import { AssetToolbar } from '../media/asset-toolbar.tsx'
import { TickBox } from '../media/tick-box.tsx'
import { type LoadedAssets, useAssets } from '../media/use-assets.ts'
import { ChooseFiles, DropZone } from '../uploads/file-inputs.tsx'
import { UploadList } from '../uploads/upload-list.tsx'
import { useUploads } from '../uploads/use-uploads.ts'
import { type AssetSelection, BulkBar, useSelection } from './bulk-bar.tsx'
import { FolderPath } from './folder-path.tsx'
import styles from './library.module.css'

const route = getRouteApi('/assets')

/** The page of files: `/assets?q=&kind=&folder=&sort=&view=`. */
export function LibraryPage(): ReactNode {
  const collection = useCollection(ASSETS)
  return collection ? <Library collection={collection} /> : <NotFoundPage />
}

/** The scroll positions of lists when they were left, by search. */
const offsets = new Map<string, number>()

function Library({ collection }: { readonly collection: StudioCollection }): ReactNode {
  const { t } = useTexts()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const list = useAssets(search)
  const queue = useUploads()
  const selection = useSelection(list.items)
  const { permissions } = collection
  const canUpload = permissions.create !== false
  const isList = search.view === 'list'
  const upload = (files: readonly File[]): void => void queue.add(files, search.folder)
  const change = (next: LibrarySearch): void => {
    selection.clear()
    void navigate({ search: next, replace: true })
  }
  return (
    <Page
      title={t.assets.title}
      isWide
      actions={
        <>
          <IconButton
            icon={isList ? 'grid' : 'list'}
            label={isList ? t.assets.asGrid : t.assets.asList}
            onPress={() => change({ ...search, view: isList ? undefined : 'list' })}
          />
          {permissions.restore !== false && (
            <Link to="/assets/trash" className={getButtonClass()}>
              <Icon name="trash" />
              {t.trash.title}
            </Link>
          )}
          {canUpload && (
            <ChooseFiles variant="primary" onFiles={upload}>
              {t.assets.upload}
            </ChooseFiles>
          )}
        </>
      }
    >
      <DropZone label={t.assets.drop(search.folder)} onFiles={canUpload ? upload : undefined}>
        <AssetToolbar search={search} total={list.total} onChange={(next) => change({ ...next, view: search.view })} />
        <FolderPath search={search} />
        <UploadList queue={queue} />
        <Outdated list={list} />
        <BulkBar selection={selection} permissions={permissions} />
        <LibraryContent list={list} search={search} selection={selection} canUpload={canUpload} onClear={change} />
      </DropZone>
    </Page>
  )
}

/** Offers to show new files, which would move the visible ones. */
function Outdated({ list }: { readonly list: LoadedAssets }): ReactNode {
  const { t } = useTexts()
  return (
    <div role="status" className={styles.outdated}>
      {list.isOutdated && (
        <Button variant="quiet" icon="retry" onPress={list.reload}>
          {t.assets.showNew}
        </Button>
      )}
    </div>
  )
}

interface LibraryContentProps {
  readonly list: LoadedAssets
  readonly search: LibrarySearch
  readonly selection: AssetSelection
  readonly canUpload: boolean
  readonly onClear: (search: LibrarySearch) => void
}

function LibraryContent({ list, search, selection, canUpload, onClear }: LibraryContentProps): ReactNode {
  const { t } = useTexts()
  const searchKey = useMemo(() => JSON.stringify(search), [search])
  const [offset] = useState(() => offsets.get(searchKey) ?? 0)
  const isList = search.view === 'list'
  if (list.isLoading) return <LoadingPlaceholder label={t.common.loading} lines={8} />
  if (list.items.length === 0 && list.error) return <ErrorNotice error={list.error} onRetry={list.reload} />
  if (list.items.length === 0) {
    return isFiltered(search) ? (
      <Notice title={t.assets.noneFound} text={t.assets.noneFoundText}>
        <Button onPress={() => onClear({ view: search.view })}>{t.assets.showAll}</Button>
      </Notice>
    ) : (
      <Notice title={t.assets.none} text={canUpload ? t.assets.noneText : undefined} />
    )
  }
  const renderCard = (asset: Asset, index: number): ReactNode => (
    <AssetCard
      asset={asset}
      isRow={isList}
      isSelected={selection.has(asset.id)}
      mark={
        <TickBox
          label={t.assets.select(asset.originalName)}
          isTicked={selection.has(asset.id)}
          onTick={(isTicked, isRange) => selection.tick(index, isTicked, isRange)}
        />
      }
      renderTitle={(title, className) => (
        <Link to="/assets/$id" params={{ id: asset.id }} data-stop className={className} dir="auto" title={title}>
          {title}
        </Link>
      )}
    />
  )
  return (
    <>
      <AssetGrid
        key={isList ? 'list' : 'grid'}
        label={t.assets.title}
        list={list}
        isList={isList}
        renderAsset={renderCard}
        initialOffset={offset}
        onLeave={(position) => offsets.set(searchKey, position)}
      />
      {list.error !== null && (
        <p role="alert" className={styles.more}>
          <button type="button" className={getButtonClass()} onClick={list.loadMore}>
            {t.common.retry}
          </button>
        </p>
      )}
    </>
  )
}
