import { useQueries } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useStudio } from '../../api/studio.ts'
import { useTexts } from '../../messages/messages.tsx'
import { Button, IconButton } from '../../ui/controls/button.tsx'
import unseen from '../../ui/visually-hidden.module.css'
import { ASSET_FIELDS, type Asset, formatBytes } from '../media/asset.ts'
import { Thumbnail } from '../media/thumbnail.tsx'
import styles from './picker.module.css'

export interface ChosenAssetsProps {
  readonly ids: readonly string[]
  /** If absent, the files cannot be changed. */
  readonly onChange?: ((ids: readonly string[]) => void) | undefined
}

/** The number of files that are shown at first. */
const SHOWN = 40

export function ChosenAssets({ ids, onChange }: ChosenAssetsProps): ReactNode {
  const { t } = useTexts()
  const [showsAll, setShowsAll] = useState(false)
  const shown = showsAll ? ids : ids.slice(0, SHOWN)
  const assets = useAssetsById(shown)
  const [moved, setMoved] = useState<{ readonly id: string; readonly by: 1 | -1 }>()
  const list = useRef<HTMLUListElement>(null)
  useEffect(() => {
    // The focus follows a moved file; at the end of the list, the button in the other direction gets it.
    if (!moved) return
    const row = list.current?.querySelector(`[data-chosen="${CSS.escape(moved.id)}"]`)
    const [up, down] = row?.querySelectorAll<HTMLElement>('[data-move] button') ?? []
    const button = moved.by < 0 ? up : down
    const opposite = moved.by < 0 ? down : up
    ;(button?.matches(':disabled') ? opposite : button)?.focus()
  }, [moved])
  if (ids.length === 0) return null
  const move = (index: number, by: 1 | -1): void => {
    const next = [...ids]
    const [id = ''] = next.splice(index, 1)
    next.splice(index + by, 0, id)
    onChange?.(next)
    setMoved({ id, by })
  }
  const movedIndex = moved ? ids.indexOf(moved.id) : -1
  return (
    <>
      <ul ref={list} className={styles.chosen}>
        {shown.map((id, index) => (
          <li key={id} data-chosen={id} className={styles.row}>
            <ChosenAsset id={id} asset={assets.get(id)} />
            {onChange && ids.length > 1 && (
              <span data-move className={styles.moves}>
                <IconButton
                  icon="up"
                  label={t.assets.moveUp(getName(assets.get(id), id))}
                  isDisabled={index === 0}
                  onPress={() => move(index, -1)}
                />
                <IconButton
                  icon="down"
                  label={t.assets.moveDown(getName(assets.get(id), id))}
                  isDisabled={index === ids.length - 1}
                  onPress={() => move(index, 1)}
                />
              </span>
            )}
            {onChange && (
              <IconButton
                icon="close"
                label={t.assets.remove(getName(assets.get(id), id))}
                onPress={() => onChange(ids.filter((other) => other !== id))}
              />
            )}
          </li>
        ))}
      </ul>
      <p role="status" className={unseen.unseen}>
        {movedIndex >= 0 && t.assets.movedTo(movedIndex + 1, ids.length)}
      </p>
      {shown.length < ids.length && (
        <div>
          <Button onPress={() => setShowsAll(true)}>{t.assets.showOthers(ids.length - shown.length)}</Button>
        </div>
      )}
    </>
  )
}

const getName = (asset: Asset | null | undefined, id: string): string => asset?.originalName ?? id

/** @param asset `undefined` while it loads; `null` if it does not exist or may not be read */
function ChosenAsset({ id, asset }: { readonly id: string; readonly asset: Asset | null | undefined }): ReactNode {
  const { t, locale } = useTexts()
  if (asset === undefined) return <span className={styles.what}>{t.common.loading}</span>
  if (asset === null) {
    return (
      <span className={styles.what}>
        <span className={styles.lacking}>{t.assets.missing}</span>
        <code className={styles.detail}>{id}</code>
      </span>
    )
  }
  const { originalName, size, alt, mimeType } = asset
  const lacksAlt = mimeType.startsWith('image/') && !alt
  return (
    <>
      <span className={styles.thumbnail}>
        <Thumbnail asset={asset} width={128} />
      </span>
      <span className={styles.what}>
        <Link to="/assets/$id" params={{ id }} target="_blank" className={styles.name} dir="auto">
          {originalName}
        </Link>
        <span className={lacksAlt ? styles.lacking : styles.detail} dir="auto">
          {lacksAlt ? t.assets.noAlt : (alt ?? formatBytes(size, locale))}
        </span>
      </span>
    </>
  )
}

const CHUNK_SIZE = 50

/** Loads files by id. A file that does not exist or may not be read is `null`; one that is loading is absent. */
function useAssetsById(ids: readonly string[]): ReadonlyMap<string, Asset | null> {
  const { client } = useStudio()
  const chunks = Array.from({ length: Math.ceil(ids.length / CHUNK_SIZE) }, (_, index) =>
    ids.slice(index * CHUNK_SIZE, (index + 1) * CHUNK_SIZE),
  )
  const results = useQueries({
    queries: chunks.map((chunk) => {
      // Reordering the files must not load them again.
      const sortedIds = [...chunk].sort()
      return {
        queryKey: ['files', sortedIds],
        queryFn: async ({ signal }: { readonly signal: AbortSignal }) => {
          const query = { where: { id: { in: sortedIds } }, select: ASSET_FIELDS, limit: CHUNK_SIZE }
          const { items } = await client.assets.list(query as object, { signal })
          const byId = new Map((items as unknown as readonly Asset[]).map((asset) => [asset.id, asset]))
          return sortedIds.map((id): readonly [string, Asset | null] => [id, byId.get(id) ?? null])
        },
        // While a new file loads, the others stay.
        placeholderData: (previous: readonly (readonly [string, Asset | null])[] | undefined) => previous,
      }
    }),
  })
  return new Map(results.flatMap(({ data = [] }) => data))
}
