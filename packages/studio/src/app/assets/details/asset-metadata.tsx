import { Link } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { useToast } from '../../ui/overlays/toasts.tsx'
import { formatBytes } from '../media/asset.ts'
import styles from './details.module.css'
import type { LocalizedAsset } from './use-asset-form.ts'

const MoveFiles = lazy(() => import('./move-files.tsx'))

export interface AssetMetadataProps {
  readonly asset: LocalizedAsset
  /** True if the user may move the file to another folder. */
  readonly canMove: boolean
}

export function AssetMetadata({ asset, canMove }: AssetMetadataProps): ReactNode {
  const { t, formats, locale } = useTexts()
  const toast = useToast()
  const { mimeType, size, width, height, directory, url, createdAt } = asset
  const absoluteUrl = new URL(url, location.origin).href
  const [isMoving, setIsMoving] = useState(false)
  const close = (): void => setIsMoving(false)
  const copy = (): void => {
    void navigator.clipboard.writeText(absoluteUrl).then(() => toast({ text: t.common.copied }))
  }
  return (
    <section className={styles.section}>
      <h2>{t.assets.facts}</h2>
      <dl className={styles.facts}>
        <Property name={t.assets.kind}>{mimeType}</Property>
        <Property name={t.assets.size}>{formatBytes(size, locale)}</Property>
        {width !== null && height !== null && (
          <Property name={t.assets.dimensions}>{t.assets.pixels(width, height)}</Property>
        )}
        <Property name={t.assets.uploaded}>
          <time dateTime={createdAt}>{formats.moment(createdAt)}</time>
        </Property>
        {directory !== '' && (
          <Property name={t.assets.folder}>
            <Link to="/assets" search={{ folder: directory }}>
              {directory}
            </Link>
          </Property>
        )}
        <Property name={t.assets.address}>
          <a href={url} target="_blank" rel="noopener">
            {url}
          </a>
        </Property>
      </dl>
      <div className={styles.buttons}>
        <Button icon="copy" onPress={copy}>
          {t.assets.copyAddress}
        </Button>
        {canMove && (
          <Button icon="folder" onPress={() => setIsMoving(true)}>
            {t.assets.move}
          </Button>
        )}
      </div>
      {isMoving && (
        <Suspense>
          <MoveFiles assets={[asset]} onClose={close} onDone={close} />
        </Suspense>
      )}
    </section>
  )
}

const Property = ({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode => (
  <div className={styles.fact}>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)
