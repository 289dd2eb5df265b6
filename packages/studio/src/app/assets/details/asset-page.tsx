import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { getErrorText } from '../../api/error-texts.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { useStudio } from '../../api/studio.ts'
import { useTexts } from '../../messages/messages.tsx'
import { ASSETS, type StudioCollection } from '../../model/studio-model.ts'
import { useEntryRights } from '../../model/use-entry-rights.ts'
import { useCollection, useModel } from '../../model/use-model.ts'
import { NotFoundPage, Page } from '../../shell/page.tsx'
import link from '../../ui/back-link.module.css'
import { Button, getButtonClass } from '../../ui/controls/button.tsx'
import { TextField } from '../../ui/controls/text-field.tsx'
import { FormError } from '../../ui/form-error.tsx'
import { Icon } from '../../ui/icon.tsx'
import { LoadingPlaceholder } from '../../ui/loading-placeholder.tsx'
import { AssetMetadata } from './asset-metadata.tsx'
import { AssetPreview } from './asset-preview.tsx'
import { AssetUsages } from './asset-usages.tsx'
import { DeleteFilesDialog } from './delete-files.tsx'
import styles from './details.module.css'
import { type AssetForm, type LocalizedAsset, useAssetForm } from './use-asset-form.ts'

const route = getRouteApi('/assets/$id')

/** The page of a file: `/assets/:id`. */
export function AssetPage(): ReactNode {
  const { id } = route.useParams()
  const collection = useCollection(ASSETS)
  return collection ? <StoredAsset key={id} id={id} collection={collection} /> : <NotFoundPage />
}

function StoredAsset({ id, collection }: { readonly id: string; readonly collection: StudioCollection }): ReactNode {
  const { client } = useStudio()
  const { t } = useTexts()
  const { locales } = useModel()
  const { data: asset } = useSuspenseQuery({
    queryKey: queryKeys.entry(ASSETS, id),
    queryFn: async ({ signal }) =>
      (await client.assets.get(id, (locales ? { locale: 'all' } : {}) as object, {
        signal,
      })) as unknown as LocalizedAsset | null,
    // The client remembers the entity tag of this object, which a copy would lose.
    structuralSharing: false,
  })
  if (!asset) return <NotFoundPage title={t.assets.missing} text={t.assets.missingText} />
  return <AssetEditor asset={asset} collection={collection} />
}

interface AssetEditorProps {
  readonly asset: LocalizedAsset
  readonly collection: StudioCollection
}

function AssetEditor({ asset, collection }: AssetEditorProps): ReactNode {
  const { t } = useTexts()
  const navigate = useNavigate()
  const form = useAssetForm(asset)
  const [isDeleting, setIsDeleting] = useState(false)
  const rights = useEntryRights(collection, asset.id, null)
  if (rights.isLoading) return <LoadingPlaceholder label={t.common.loading} />
  const canEdit = rights.edit
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
          <a href={asset.url} download={asset.originalName} className={getButtonClass()}>
            <Icon name="download" />
            {t.assets.download}
          </a>
          {rights.delete && (
            <Button icon="trash" onPress={() => setIsDeleting(true)}>
              {t.assets.delete}
            </Button>
          )}
          {canEdit && (
            <Button variant="primary" onPress={form.save} isDisabled={!form.isChanged} isPending={form.isSaving}>
              {t.common.save}
            </Button>
          )}
        </>
      }
    >
      <div className={styles.columns}>
        <AssetPreview asset={asset} point={form.focalPoint} onChange={canEdit ? form.setFocalPoint : undefined} />
        <div className={styles.side}>
          {!canEdit && <p>{t.editor.readOnly}</p>}
          {form.error !== null && <FormError>{getErrorText(form.error, t)}</FormError>}
          <AltFields form={form} isReadOnly={!canEdit} />
          <AssetMetadata asset={asset} canMove={canEdit} />
          <AssetUsages id={asset.id} />
        </div>
      </div>
      {isDeleting && (
        <DeleteFilesDialog
          assets={[asset]}
          onClose={() => setIsDeleting(false)}
          onDone={() => void navigate({ to: '/assets' })}
        />
      )}
    </Page>
  )
}

function AltFields({ form, isReadOnly }: { readonly form: AssetForm; readonly isReadOnly: boolean }): ReactNode {
  const { t, language } = useTexts()
  const getLanguageName = (locale: string): string =>
    new Intl.DisplayNames(language, { type: 'language' }).of(locale) ?? locale
  return form.locales.map((locale, index) => (
    <TextField
      key={locale ?? ''}
      label={locale === undefined ? t.assets.alt : t.assets.altIn(getLanguageName(locale))}
      description={index === 0 ? t.assets.altText : undefined}
      value={form.alt(locale)}
      onChange={(text) => form.setAlt(locale, text)}
      isReadOnly={isReadOnly}
      isMultiline
    />
  ))
}
