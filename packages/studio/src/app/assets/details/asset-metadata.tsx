import { Link } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { useToast } from '../../ui/overlays/toasts.tsx'
import { formatBytes } from '../media/asset.ts'
import styles from './details.module.css'
import type { LocalizedAsset } from './use-asset-form.ts'

const MoveFiles = lazy(() => import('./move-files.tsx'))

/** What {@link AssetMetadata} take. */
export interface AssetMetadataProps {
  readonly asset: LocalizedAsset
  /** Whether the session may put the file into another folder. */
  readonly mayMove: boolean
}

/** What is known of a file. */
export function AssetMetadata({ asset, mayMove }: AssetMetadataProps): ReactNode {
  const { t, formats, locale } = useTexts()
  const toast = useToast()
  const { mimeType, size, width, height, directory, url, createdAt } = asset
  const address = new URL(url, location.origin).href
  const [isMoving, setIsMoving] = useState(false)
  const close = (): void => setIsMoving(false)
  const copy = (): void => {
    void navigator.clipboard.writeText(address).then(() => toast({ text: t.common.copied }))
  }
  return (
    <section className={styles.section}>
      <h2>{t.assets.facts}</h2>
      <dl className={styles.facts}>
        <Fact name={t.assets.kind}>{mimeType}</Fact>
        <Fact name={t.assets.size}>{formatBytes(size, locale)}</Fact>
        {width !== null && height !== null && <Fact name={t.assets.dimensions}>{t.assets.pixels(width, height)}</Fact>}
        <Fact name={t.assets.uploaded}>
          <time dateTime={createdAt}>{formats.moment(createdAt)}</time>
        </Fact>
        {directory !== '' && (
          <Fact name={t.assets.folder}>
            <Link to="/assets" search={{ folder: directory }}>
              {directory}
            </Link>
          </Fact>
        )}
        <Fact name={t.assets.address}>
          <a href={url} target="_blank" rel="noopener">
            {url}
          </a>
        </Fact>
      </dl>
      <div className={styles.buttons}>
        <Button icon="copy" onPress={copy}>
          {t.assets.copyAddress}
        </Button>
        {mayMove && (
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

const Fact = ({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode => (
  <div className={styles.fact}>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)
