import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import type { StudioCollection } from '../../model/studio-model.ts'
import { ASSETS } from '../../model/studio-model.ts'
import { useEntryRights } from '../../model/use-entry-rights.ts'
import { useCollection, useModel } from '../../model/use-model.ts'
import { MissingPage } from '../../shell/missing-page.tsx'
import { Page } from '../../shell/page.tsx'
import { errorText } from '../../talk/error-texts.ts'
import { keys } from '../../talk/keys.ts'
import { useStudio } from '../../talk/studio.ts'
import link from '../../ui/back.module.css'
import { Button, buttonClass } from '../../ui/controls/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Waiting } from '../../ui/waiting.tsx'
import { AltFields } from './alt-fields.tsx'
import { AssetFacts } from './asset-facts.tsx'
import { AssetPreview } from './asset-preview.tsx'
import { DeleteFiles } from './delete-files.tsx'
import styles from './details.module.css'
import { useAssetForm, type WholeAsset } from './use-asset-form.ts'
import { UsedIn } from './used-in.tsx'

const route = getRouteApi('/assets/$id')

/** One file: `/assets/:id`. */
export function AssetPage(): ReactNode {
  const { id } = route.useParams()
  const collection = useCollection(ASSETS)
  return collection ? <StoredAsset key={id} id={id} collection={collection} /> : <MissingPage />
}

function StoredAsset({ id, collection }: { readonly id: string; readonly collection: StudioCollection }): ReactNode {
  const { client } = useStudio()
  const { t } = useTexts()
  const { locales } = useModel()
  const { data: asset } = useSuspenseQuery({
    queryKey: keys.entry(ASSETS, id),
    queryFn: async ({ signal }) =>
      (await client.assets.get(id, (locales ? { locale: 'all' } : {}) as object, {
        signal,
      })) as unknown as WholeAsset | null,
    // A file remembers its tag; a copy of it would not.
    structuralSharing: false,
  })
  if (!asset) return <MissingPage title={t.assets.missing} text={t.assets.missingText} />
  return <AssetEditor asset={asset} collection={collection} />
}

interface AssetEditorProps {
  readonly asset: WholeAsset
  readonly collection: StudioCollection
}

function AssetEditor({ asset, collection }: AssetEditorProps): ReactNode {
  const { t } = useTexts()
  const navigate = useNavigate()
  const form = useAssetForm(asset)
  const [isDeleting, setIsDeleting] = useState(false)
  const rights = useEntryRights(collection, asset.id, null)
  if (rights.isLoading) return <Waiting label={t.common.loading} />
  const mayWrite = rights.edit
  return (
    <Page
      title={asset.originalName}
      isWide
      above={
        <Link to="/assets" className={link.back}>
          <Icon name="back" />
          {t.assets.title}
        </Link>
      }
      actions={
        <>
          <a href={asset.url} download={asset.originalName} className={buttonClass()}>
            <Icon name="download" />
            {t.assets.download}
          </a>
          {rights.delete && (
            <Button icon="trash" onPress={() => setIsDeleting(true)}>
              {t.assets.delete}
            </Button>
          )}
          {mayWrite && (
            <Button variant="primary" onPress={form.save} isDisabled={!form.isChanged} isPending={form.isSaving}>
              {t.common.save}
            </Button>
          )}
        </>
      }
    >
      <div className={styles.columns}>
        <AssetPreview asset={asset} point={form.focalPoint} onChange={mayWrite ? form.setFocalPoint : undefined} />
        <div className={styles.side}>
          {!mayWrite && <p>{t.editor.readOnly}</p>}
          {form.error !== null && <Problem>{errorText(form.error, t)}</Problem>}
          <AltFields form={form} isReadOnly={!mayWrite} />
          <AssetFacts asset={asset} mayMove={mayWrite} />
          <UsedIn id={asset.id} />
        </div>
      </div>
      {isDeleting && (
        <DeleteFiles
          assets={[asset]}
          onClose={() => setIsDeleting(false)}
          onDone={() => void navigate({ to: '/assets' })}
        />
      )}
    </Page>
  )
}
