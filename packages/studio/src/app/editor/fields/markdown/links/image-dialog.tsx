import { type ReactNode, Suspense, useState } from 'react'
import { useStudio } from '../../../../api/studio.ts'
import type { Asset } from '../../../../assets/media/asset.ts'
import { AssetPicker } from '../../../../assets/picker/asset-picker.tsx'
import { ChooseFiles } from '../../../../assets/uploads/file-inputs.tsx'
import { useTexts } from '../../../../messages/messages.tsx'
import { ASSETS } from '../../../../model/studio-model.ts'
import { useCollection } from '../../../../model/use-model.ts'
import { Button } from '../../../../ui/controls/button.tsx'
import { Checkbox } from '../../../../ui/controls/checkbox.tsx'
import { ChoiceField } from '../../../../ui/controls/choice-field.tsx'
import fieldStyles from '../../../../ui/controls/field.module.css'
import { TextField } from '../../../../ui/controls/text-field.tsx'
import { Dialog, DialogButtons } from '../../../../ui/overlays/dialog.tsx'
import type { TextLink } from '../text-links.ts'
import { joinWidth, readAddress, splitWidth, toImageMarkdown, unescapeMarkdown } from './link-markdown.ts'
import styles from './links.module.css'

export interface ImageDialogProps {
  readonly image: TextLink
  /** Uploads a file. Resolves to `undefined` if it fails. */
  readonly store: (file: File) => Promise<Asset | undefined>
  readonly error: string | undefined
  /** Receives the Markdown of each image. */
  readonly onApply: (images: readonly string[], hasCaption: boolean) => void
  readonly onClose: () => void
}

/** An image as the dialog edits it. */
interface EditedImage {
  readonly url: string
  readonly alt: string
  readonly isDecorative: boolean
  readonly caption: string
  readonly width: number | undefined
}

const WIDTHS = { small: 320, medium: 640, large: 960 } as const

/** Chooses images from the library, from this computer or by their address, and edits how a text shows them. */
export function ImageDialog({ image, store, error, onApply, onClose }: ImageDialogProps): ReactNode {
  const { t } = useTexts()
  const words = t.fields.images
  const isNew = image.url === ''
  const [images, setImages] = useState<readonly EditedImage[]>(isNew ? [] : [readImage(image)])
  const add = (assets: readonly Asset[]): void =>
    setImages((current) => [...current, ...assets.map((asset) => toEditedImage(asset, isNew ? image.text : ''))])
  const apply = (): void => {
    const hasCaption = images.some(({ caption }) => caption.trim() !== '')
    onApply(images.map(formatImage), hasCaption)
  }
  return (
    <Dialog title={isNew ? words.add : words.edit} isOpen onClose={onClose}>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault()
          apply()
        }}
      >
        {images.length === 0 && (
          <ImageSources
            store={store}
            onAssets={add}
            onAddress={(url) => setImages([{ ...EMPTY, url, alt: image.text }])}
          />
        )}
        {images.map((edited, index) => (
          <ImageFields
            key={edited.url}
            image={edited}
            onChange={(next) => setImages(images.map((current, at) => (at === index ? next : current)))}
          />
        ))}
        <p role="alert" className={fieldStyles.error} hidden={error === undefined}>
          {error}
        </p>
        <DialogButtons>
          {!isNew && (
            <Button variant="danger" onPress={() => onApply([], false)}>
              {words.remove}
            </Button>
          )}
          {images.length > 0 && <Button onPress={() => setImages([])}>{words.another}</Button>}
          <Button onPress={onClose}>{t.common.cancel}</Button>
          <Button type="submit" variant="primary" isDisabled={images.length === 0}>
            {isNew ? words.insert : words.apply}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  )
}

const EMPTY: EditedImage = { url: '', alt: '', isDecorative: false, caption: '', width: undefined }

function readImage({ text, url: address, title }: TextLink): EditedImage {
  const { url, width } = splitWidth(address)
  const alt = unescapeMarkdown(text)
  return { url, width, alt, isDecorative: alt === '', caption: unescapeMarkdown(title) }
}

const toEditedImage = ({ url, alt }: Asset, selectedText: string): EditedImage => ({
  ...EMPTY,
  url,
  alt: alt ?? selectedText,
})

const formatImage = ({ url, alt, isDecorative, caption, width }: EditedImage): string =>
  toImageMarkdown({ text: isDecorative ? '' : alt.trim(), url: joinWidth(url, width), title: caption })

interface ImageSourcesProps {
  readonly store: ImageDialogProps['store']
  readonly onAssets: (assets: readonly Asset[]) => void
  readonly onAddress: (url: string) => void
}

function ImageSources({ store, onAssets, onAddress }: ImageSourcesProps): ReactNode {
  const { t } = useTexts()
  const { client } = useStudio()
  const canUpload = useCollection(ASSETS)?.permissions.create !== false
  const [isPicking, setIsPicking] = useState(false)
  const [uploading, setUploading] = useState(0)
  const [address, setAddress] = useState('')
  const url = readAddress(address)
  const upload = async (files: readonly File[]): Promise<void> => {
    setUploading(files.length)
    const assets = await Promise.all(files.map(store))
    setUploading(0)
    onAssets(assets.filter((asset) => asset !== undefined))
  }
  const pick = async (ids: readonly string[]): Promise<void> => {
    setIsPicking(false)
    // The types do not know the fields of files.
    const assets = await Promise.all(ids.map((id) => client.assets.get(id)))
    onAssets(assets.filter((asset) => asset !== null) as unknown as readonly Asset[])
  }
  return (
    <>
      <div className={styles.sources}>
        <Button icon="image" variant="primary" autoFocus onPress={() => setIsPicking(true)}>
          {t.fields.images.fromLibrary}
        </Button>
        {canUpload && <ChooseFiles onFiles={(files) => void upload(files)}>{t.assets.upload}</ChooseFiles>}
      </div>
      <p role="status" className={fieldStyles.description} hidden={uploading === 0}>
        {t.fields.uploading(uploading)}
      </p>
      <div className={styles.address}>
        <TextField label={t.fields.images.address} value={address} onChange={setAddress} inputMode="url" />
        <Button isDisabled={url === undefined} onPress={() => url !== undefined && onAddress(url)}>
          {t.fields.images.useAddress}
        </Button>
      </div>
      {isPicking && (
        <Suspense>
          <AssetPicker
            title={t.fields.images.fromLibrary}
            isMany
            chosen={[]}
            constraints={{ accept: ['image/*'] }}
            onClose={() => setIsPicking(false)}
            onChoose={(ids) => void pick(ids)}
          />
        </Suspense>
      )}
    </>
  )
}

interface ImageFieldsProps {
  readonly image: EditedImage
  readonly onChange: (image: EditedImage) => void
}

function ImageFields({ image, onChange }: ImageFieldsProps): ReactNode {
  const { t } = useTexts()
  const words = t.fields.images
  const { url, alt, isDecorative, caption, width } = image
  const sizes = [
    { id: '', label: words.sizes.original },
    ...Object.entries(WIDTHS).map(([name, pixels]) => ({
      id: String(pixels),
      label: words.size(words.sizes[name as keyof typeof WIDTHS], pixels),
    })),
  ]
  const isOther = width !== undefined && !sizes.some(({ id }) => id === String(width))
  return (
    <div className={styles.image}>
      <img src={url} alt="" className={styles.picture} />
      <div className={styles.fields}>
        {!isDecorative && (
          <TextField
            label={words.alt}
            description={alt.trim() === '' ? words.altMissing : words.altHint}
            value={alt}
            onChange={(next) => onChange({ ...image, alt: next })}
          />
        )}
        <Checkbox
          label={words.decorative}
          isSelected={isDecorative}
          onChange={(next) => onChange({ ...image, isDecorative: next })}
        />
        <TextField
          label={words.caption}
          description={words.captionHint}
          value={caption}
          onChange={(next) => onChange({ ...image, caption: next })}
        />
        <ChoiceField
          label={words.sizeLabel}
          value={width === undefined ? '' : String(width)}
          options={isOther ? [...sizes, { id: String(width), label: words.pixels(width) }] : sizes}
          onChange={(next) => onChange({ ...image, width: next === '' ? undefined : Number(next) })}
        />
      </div>
    </div>
  )
}
