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

export function AssetField(props: FieldEditorProps): ReactNode {
  const { field: description, label, value, onChange, error, isReadOnly } = props
  const { t } = useTexts()
  const id = useId()
  const [isPicking, setIsPicking] = useState(false)
  useEffect(() => runWhenIdle(() => void preload()), [])
  const { many, required } = description
  const ids = parseIds(value)
  const constraints: AssetConstraints = description.relation ?? {}
  const change = (next: readonly string[]): void => onChange(toValue(next, many))
  const uploads = useFieldUploads(ids, many, constraints, change)
  const canUpload = useCollection(ASSETS)?.permissions.create !== false
  return (
    <DropZone label={t.assets.dropField} onFiles={isReadOnly || !canUpload ? undefined : uploads.add}>
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
            {canUpload && (
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
            constraints={constraints}
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

/** Returns the ids in a value, without invalid values that an older config may have left. */
const parseIds = (value: unknown): readonly string[] =>
  [value].flat().filter((id): id is string => typeof id === 'string' && id !== '')

const toValue = (ids: readonly string[], many: boolean): unknown => (many ? ids : (ids.at(-1) ?? null))

/** Uploads files into a field; a file that the field does not accept stays in the library. */
function useFieldUploads(
  ids: readonly string[],
  many: boolean,
  constraints: AssetConstraints,
  change: (ids: readonly string[]) => void,
) {
  const queue = useUploads()
  const toast = useToast()
  const { t } = useTexts()
  const [keys, setKeys] = useState<readonly number[]>([])
  // Uploads that finish one after another each extend the latest value.
  const latest = useRef({ ids, change })
  latest.current = { ids, change }
  const add = useCallback(
    (files: readonly File[]): void => {
      const addAsset = (asset: Asset): void => {
        if (!isAcceptedAsset(constraints, asset)) {
          toast({ kind: 'failed', text: t.assets.notTaken(asset.originalName) })
          return
        }
        const next = [...latest.current.ids.filter((id) => id !== asset.id), asset.id]
        latest.current.ids = next
        latest.current.change(next)
      }
      const added = queue.add(many ? files : files.slice(0, 1), undefined, addAsset)
      setKeys((current) => [...current, ...added])
    },
    [queue, many, constraints, toast, t],
  )
  return { queue, keys, add }
}
