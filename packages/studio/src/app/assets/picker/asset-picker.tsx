import { type ReactNode, useCallback, useState } from 'react'
import { getErrorText } from '../../api/error-texts.ts'
import { useTexts } from '../../messages/messages.tsx'
import { ASSETS } from '../../model/studio-model.ts'
import { useCollection } from '../../model/use-model.ts'
import { Button } from '../../ui/controls/button.tsx'
import { LoadingPlaceholder } from '../../ui/loading-placeholder.tsx'
import { Dialog, DialogButtons } from '../../ui/overlays/dialog.tsx'
import { ScrollRegion } from '../../ui/scroll-region.tsx'
import type { Asset } from '../media/asset.ts'
import { AssetCard } from '../media/asset-card.tsx'
import { AssetGrid } from '../media/asset-grid.tsx'
import { type AssetConstraints, type AssetSearch, isAcceptedAsset } from '../media/asset-search.ts'
import { AssetToolbar } from '../media/asset-toolbar.tsx'
import { TickBox } from '../media/tick-box.tsx'
import { useAssets } from '../media/use-assets.ts'
import { ChooseFiles, DropZone } from '../uploads/file-inputs.tsx'
import { UploadList } from '../uploads/upload-list.tsx'
import { useUploads } from '../uploads/use-uploads.ts'
import styles from './picker.module.css'

export interface AssetPickerProps {
  readonly title: string
  readonly isMany: boolean
  readonly chosen: readonly string[]
  /** Only files that satisfy these are shown. */
  readonly constraints: AssetConstraints
  readonly onClose: () => void
  /** Called with the selected ids, new ones at the end. */
  readonly onChoose: (ids: readonly string[]) => void
}

export function AssetPicker(props: AssetPickerProps): ReactNode {
  const { title, isMany, chosen, constraints, onClose, onChoose } = props
  const { t } = useTexts()
  const [search, setSearch] = useState<AssetSearch>({})
  const [ids, setIds] = useState(chosen)
  const [keys, setKeys] = useState<readonly number[]>([])
  const list = useAssets(search, constraints)
  const queue = useUploads()
  const canUpload = useCollection(ASSETS)?.permissions.create !== false
  const toggle = useCallback((id: string): void => {
    setIds((current) => (current.includes(id) ? current.filter((other) => other !== id) : [...current, id]))
  }, [])
  const upload = (files: readonly File[]): void => {
    const select = (asset: Asset): void => {
      if (isMany && isAcceptedAsset(constraints, asset)) toggle(asset.id)
    }
    const added = queue.add(files, undefined, select)
    setKeys((current) => [...current, ...added])
  }
  return (
    <Dialog title={title} isOpen isWide onClose={onClose}>
      <DropZone label={t.assets.drop(undefined)} onFiles={canUpload ? upload : undefined}>
        <div className={styles.tools}>
          <AssetToolbar search={search} total={list.total} onChange={setSearch} />
          {canUpload && <ChooseFiles onFiles={upload}>{t.assets.upload}</ChooseFiles>}
        </div>
        <UploadList queue={queue} only={keys} />
        <ScrollRegion className={styles.scroller} label={t.assets.title}>
          {list.isLoading && <LoadingPlaceholder label={t.common.loading} />}
          {list.error !== null && <p role="alert">{getErrorText(list.error, t)}</p>}
          {!list.isLoading && list.error === null && list.items.length === 0 && (
            <p className={styles.none}>{t.assets.noneToPick}</p>
          )}
          {list.items.length > 0 && (
            <AssetGrid
              label={t.assets.title}
              list={list}
              isList={false}
              renderAsset={(asset) => (
                <Choice
                  asset={asset}
                  isMany={isMany}
                  isChosen={ids.includes(asset.id)}
                  onChoose={() => (isMany ? toggle(asset.id) : onChoose([asset.id]))}
                />
              )}
            />
          )}
        </ScrollRegion>
      </DropZone>
      <DialogButtons>
        <Button onPress={onClose}>{t.common.cancel}</Button>
        {isMany && (
          <Button variant="primary" onPress={() => onChoose(ids)}>
            {t.assets.take(ids.length)}
          </Button>
        )}
      </DialogButtons>
    </Dialog>
  )
}

interface ChoiceProps {
  readonly asset: Asset
  readonly isMany: boolean
  readonly isChosen: boolean
  readonly onChoose: () => void
}

function Choice({ asset, isMany, isChosen, onChoose }: ChoiceProps): ReactNode {
  const { t } = useTexts()
  return (
    <AssetCard
      asset={asset}
      isRow={false}
      isSelected={isChosen}
      mark={
        isMany ? (
          <TickBox label={t.assets.select(asset.originalName)} isTicked={isChosen} onTick={onChoose} />
        ) : undefined
      }
      renderTitle={(title, className) => (
        <button
          type="button"
          data-stop
          className={className}
          dir="auto"
          title={title}
          {...(isMany && { 'aria-pressed': isChosen })}
          onClick={onChoose}
        >
          {title}
        </button>
      )}
    />
  )
}
