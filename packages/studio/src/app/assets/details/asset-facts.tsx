import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { useToast } from '../../ui/overlays/toasts.tsx'
import { folderOf } from '../media/asset.ts'
import { byteText } from '../media/byte-text.ts'
import styles from './details.module.css'
import type { WholeAsset } from './use-asset-form.ts'

/** What is known of a file. */
export function AssetFacts({ asset }: { readonly asset: WholeAsset }): ReactNode {
  const { t, formats, locale } = useTexts()
  const toast = useToast()
  const { mimeType, size, width, height, path, url, createdAt } = asset
  const folder = folderOf(path)
  const address = new URL(url, location.origin).href
  const copy = (): void => {
    void navigator.clipboard.writeText(address).then(() => toast({ text: t.common.copied }))
  }
  return (
    <section className={styles.section}>
      <h2>{t.assets.facts}</h2>
      <dl className={styles.facts}>
        <Fact name={t.assets.kind}>{mimeType}</Fact>
        <Fact name={t.assets.size}>{byteText(size, locale)}</Fact>
        {width !== null && height !== null && <Fact name={t.assets.dimensions}>{t.assets.pixels(width, height)}</Fact>}
        <Fact name={t.assets.uploaded}>
          <time dateTime={createdAt}>{formats.moment(createdAt)}</time>
        </Fact>
        {folder !== '' && (
          <Fact name={t.assets.folder}>
            <Link to="/assets" search={{ folder }}>
              {folder}
            </Link>
          </Fact>
        )}
        <Fact name={t.assets.address}>
          <a href={url} target="_blank" rel="noopener">
            {url}
          </a>
        </Fact>
      </dl>
      <div>
        <Button icon="copy" onPress={copy}>
          {t.assets.copyAddress}
        </Button>
      </div>
    </section>
  )
}

const Fact = ({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode => (
  <div className={styles.fact}>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)
