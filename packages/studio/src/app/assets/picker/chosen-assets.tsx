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

/** What {@link ChosenAssets} take. */
export interface ChosenAssetsProps {
  readonly ids: readonly string[]
  /** Absent: they cannot be changed. */
  readonly onChange?: ((ids: readonly string[]) => void) | undefined
}

/** How many files are shown at first. */
const SHOWN = 40

/** The files of a field, in their order. */
export function ChosenAssets({ ids, onChange }: ChosenAssetsProps): ReactNode {
  const { t } = useTexts()
  const [isWhole, setIsWhole] = useState(false)
  const shown = isWhole ? ids : ids.slice(0, SHOWN)
  const assets = useAssetsById(shown)
  const [moved, setMoved] = useState<{ readonly id: string; readonly by: 1 | -1 }>()
  const list = useRef<HTMLUListElement>(null)
  useEffect(() => {
    // A file that moves takes the focus along; at the end, the way back is what is left.
    if (!moved) return
    const row = list.current?.querySelector(`[data-chosen="${CSS.escape(moved.id)}"]`)
    const [up, down] = row?.querySelectorAll<HTMLElement>('[data-move] button') ?? []
    const button = moved.by < 0 ? up : down
    const other = moved.by < 0 ? down : up
    ;(button?.matches(':disabled') ? other : button)?.focus()
  }, [moved])
  if (ids.length === 0) return null
  const move = (index: number, by: 1 | -1): void => {
    const next = [...ids]
    const [id = ''] = next.splice(index, 1)
    next.splice(index + by, 0, id)
    onChange?.(next)
    setMoved({ id, by })
  }
  const at = moved ? ids.indexOf(moved.id) : -1
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
                  label={t.assets.moveUp(nameOf(assets.get(id), id))}
                  isDisabled={index === 0}
                  onPress={() => move(index, -1)}
                />
                <IconButton
                  icon="down"
                  label={t.assets.moveDown(nameOf(assets.get(id), id))}
                  isDisabled={index === ids.length - 1}
                  onPress={() => move(index, 1)}
                />
              </span>
            )}
            {onChange && (
              <IconButton
                icon="close"
                label={t.assets.takeOut(nameOf(assets.get(id), id))}
                onPress={() => onChange(ids.filter((one) => one !== id))}
              />
            )}
          </li>
        ))}
      </ul>
      <p role="status" className={unseen.unseen}>
        {at >= 0 && t.assets.movedTo(at + 1, ids.length)}
      </p>
      {shown.length < ids.length && (
        <div>
          <Button onPress={() => setIsWhole(true)}>{t.assets.showOthers(ids.length - shown.length)}</Button>
        </div>
      )}
    </>
  )
}

const nameOf = (asset: Asset | null | undefined, id: string): string => asset?.originalName ?? id

/** @param asset `undefined`: it is not known yet; `null`: it is not there, or may not be seen */
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

/** How many files one request asks for. */
const AT_ONCE = 50

/** Files by their ids: one request for each fifty. A file that is not there, or may not be seen, is `null`; one that is not known yet is absent. */
function useAssetsById(ids: readonly string[]): ReadonlyMap<string, Asset | null> {
  const { client } = useStudio()
  const chunks = Array.from({ length: Math.ceil(ids.length / AT_ONCE) }, (_, at) =>
    ids.slice(at * AT_ONCE, (at + 1) * AT_ONCE),
  )
  const answers = useQueries({
    queries: chunks.map((chunk) => {
      // Files that change places are no other files.
      const named = [...chunk].sort()
      return {
        queryKey: ['files', named],
        queryFn: async ({ signal }: { readonly signal: AbortSignal }) => {
          const query = { where: { id: { in: named } }, select: ASSET_FIELDS, limit: AT_ONCE }
          const { items } = await client.assets.list(query as object, { signal })
          const found = new Map((items as unknown as readonly Asset[]).map((one) => [one.id, one]))
          return named.map((id): readonly [string, Asset | null] => [id, found.get(id) ?? null])
        },
        // While one more is looked up, the others stay.
        placeholderData: (before: readonly (readonly [string, Asset | null])[] | undefined) => before,
      }
    }),
  })
  return new Map(answers.flatMap(({ data = [] }) => data))
}
