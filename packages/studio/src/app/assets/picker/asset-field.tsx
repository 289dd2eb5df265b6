import { type ReactNode, Suspense, useCallback, useEffect, useId, useRef, useState } from 'react'
import type { FieldEditorProps } from '../../editor/fields/field-editor.ts'
import { useTexts } from '../../messages/messages.tsx'
import { ASSETS } from '../../model/studio-model.ts'
import { useCollection } from '../../model/use-model.ts'
import { Button } from '../../ui/controls/button.tsx'
import field from '../../ui/controls/field.module.css'
import { useToast } from '../../ui/overlays/toasts.tsx'
import { preloadable, runWhenIdle } from '../../ui/preloadable.tsx'
import type { Asset } from '../media/asset.ts'
import { type AssetConstraints, isAcceptedAsset } from '../media/asset-search.ts'
import { ChooseFiles, DropZone } from '../uploads/file-inputs.tsx'
import { UploadList } from '../uploads/upload-list.tsx'
import { useUploads } from '../uploads/use-uploads.ts'
import { ChosenAssets } from './chosen-assets.tsx'
import styles from './picker.module.css'

const { Component: AssetPicker, preload } = preloadable(async () => (await import('./asset-picker.tsx')).AssetPicker)

/** The files that a field holds: chosen among those of the service, uploaded here, or dropped on it. */
export function AssetField(props: FieldEditorProps): ReactNode {
  const { field: description, label, value, onChange, error, isReadOnly } = props
  const { t } = useTexts()
  const id = useId()
  const [isPicking, setIsPicking] = useState(false)
  useEffect(() => runWhenIdle(() => void preload()), [])
  const { many, required } = description
  const ids = idsIn(value)
  const demands: AssetConstraints = description.relation ?? {}
  const change = (next: readonly string[]): void => onChange(toValue(next, many))
  const uploads = useFieldUploads(ids, many, demands, change)
  const mayUpload = useCollection(ASSETS)?.permissions.create !== false
  return (
    <DropZone label={t.assets.dropField} onFiles={isReadOnly || !mayUpload ? undefined : uploads.add}>
      <div
        role="group"
        aria-labelledby={`${id}-label`}
        aria-describedby={`${id}-note ${id}-error`}
        className={`${field.field} ${styles.field}`}
      >
        <p id={`${id}-label`} className={field.label}>
          {label}
          {required && <span className={field.needed}> · {t.common.required}</span>}
        </p>
        <p id={`${id}-note`} className={field.description} hidden={description.description === undefined}>
          {description.description}
        </p>
        <ChosenAssets ids={ids} onChange={isReadOnly ? undefined : change} />
        <UploadList queue={uploads.queue} only={uploads.keys} />
        {!isReadOnly && (
          <div className={styles.buttons}>
            <Button icon="image" onPress={() => setIsPicking(true)}>
              {many ? t.assets.pickMany : t.assets.pickOne}
            </Button>
            {mayUpload && (
              <ChooseFiles isMany={many} variant="quiet" onFiles={uploads.add}>
                {t.assets.upload}
              </ChooseFiles>
            )}
          </div>
        )}
        <p id={`${id}-error`} className={field.error} hidden={error === undefined}>
          {error}
        </p>
      </div>
      {isPicking && (
        <Suspense>
          <AssetPicker
            title={label}
            isMany={many}
            chosen={ids}
            demands={demands}
            onClose={() => setIsPicking(false)}
            onChoose={(next) => {
              setIsPicking(false)
              change(next)
            }}
          />
        </Suspense>
      )}
    </DropZone>
  )
}

/** Ids in a value; what an older config may have left is not taken for one. */
const idsIn = (value: unknown): readonly string[] =>
  [value].flat().filter((one): one is string => typeof one === 'string' && one !== '')

const toValue = (ids: readonly string[], many: boolean): unknown => (many ? ids : (ids.at(-1) ?? null))

/** Uploads whose files go into the field; one that the field does not take stays in the library. */
function useFieldUploads(
  ids: readonly string[],
  many: boolean,
  demands: AssetConstraints,
  change: (ids: readonly string[]) => void,
) {
  const queue = useUploads()
  const toast = useToast()
  const { t } = useTexts()
  const [keys, setKeys] = useState<readonly number[]>([])
  // Files that are stored one after another each find those before them.
  const present = useRef({ ids, change })
  present.current = { ids, change }
  const add = useCallback(
    (files: readonly File[]): void => {
      const take = (asset: Asset): void => {
        if (!isAcceptedAsset(demands, asset)) {
          toast({ kind: 'failed', text: t.assets.notTaken(asset.originalName) })
          return
        }
        const next = [...present.current.ids.filter((one) => one !== asset.id), asset.id]
        present.current.ids = next
        present.current.change(next)
      }
      const added = queue.add(many ? files : files.slice(0, 1), undefined, take)
      setKeys((before) => [...before, ...added])
    },
    [queue, many, demands, toast, t],
  )
  return { queue, keys, add }
}
