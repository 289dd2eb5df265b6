import { etagOf } from '@daybook/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { queryKeys } from '../../api/query-keys.ts'
import { useStudio } from '../../api/studio.ts'
import { useTexts } from '../../messages/messages.tsx'
import { ASSETS } from '../../model/studio-model.ts'
import { useModel } from '../../model/use-model.ts'
import { useToast } from '../../ui/overlays/toasts.tsx'
import type { Asset, FocalPoint } from '../media/asset.ts'

/** A file with its alt text in all languages: an object by locale if content has locales. */
export interface LocalizedAsset extends Omit<Asset, 'alt'> {
  readonly alt: string | null | Readonly<Record<string, string | null>>
  readonly sha256: string
}

export interface AssetForm {
  /** The locales of the alt text; `[undefined]` if content has no locales. */
  readonly locales: readonly (string | undefined)[]
  alt(locale: string | undefined): string
  setAlt(locale: string | undefined, text: string): void
  readonly focalPoint: FocalPoint | null
  readonly setFocalPoint: (point: FocalPoint | null) => void
  readonly isChanged: boolean
  readonly isSaving: boolean
  readonly error: unknown
  readonly save: () => void
}

/** Unsaved changes; texts by locale, `''` if content has no locales. */
interface Changes {
  readonly alt: Readonly<Record<string, string>>
  readonly focalPoint?: FocalPoint | null
}

const NO_CHANGES: Changes = { alt: {} }

/** A save fails if somebody else has changed the file. */
export function useAssetForm(asset: LocalizedAsset): AssetForm {
  const { client } = useStudio()
  const { locales } = useModel()
  const { t } = useTexts()
  const queries = useQueryClient()
  const toast = useToast()
  const [changes, setChanges] = useState(NO_CHANGES)
  const save = useMutation({
    mutationFn: async ({ alt, focalPoint }: Changes) => {
      let tag = etagOf(asset)
      for (const { data, options } of listWrites(alt, focalPoint)) {
        const stored = (await client.assets.update(asset.id, data, { ...options, ifMatch: tag } as object)) as object
        tag = etagOf(stored)
      }
    },
    onSuccess: (_, saved) => {
      // Keep changes that were made during the save.
      setChanges((current) => (current === saved ? NO_CHANGES : current))
      toast({ text: t.assets.saved })
    },
    onSettled: async () => {
      await queries.invalidateQueries({ queryKey: queryKeys.entry(ASSETS, asset.id) })
      void queries.invalidateQueries({ queryKey: queryKeys.lists(ASSETS) })
    },
  })
  const getStored = (locale: string | undefined): string => getAlt(asset.alt, locale)
  return {
    locales: locales?.available ?? [undefined],
    alt: (locale) => changes.alt[locale ?? ''] ?? getStored(locale),
    setAlt: (locale, text) =>
      setChanges((current) => {
        const { [locale ?? '']: _, ...otherTexts } = current.alt
        return { ...current, alt: text === getStored(locale) ? otherTexts : { ...otherTexts, [locale ?? '']: text } }
      }),
    focalPoint: changes.focalPoint === undefined ? asset.focalPoint : changes.focalPoint,
    setFocalPoint: (focalPoint) => setChanges((current) => ({ ...current, focalPoint })),
    isChanged: Object.keys(changes.alt).length > 0 || changes.focalPoint !== undefined,
    isSaving: save.isPending,
    error: save.error,
    save: () => save.mutate(changes),
  }
}

function getAlt(alt: LocalizedAsset['alt'], locale: string | undefined): string {
  if (alt === null || typeof alt === 'string') return alt ?? ''
  return (locale === undefined ? undefined : alt[locale]) ?? ''
}

interface Write {
  readonly data: Readonly<Record<string, unknown>>
  readonly options: { readonly locale?: string }
}

/** Lists the updates that save changes, one for each language. */
function listWrites(alt: Changes['alt'], focalPoint: Changes['focalPoint']): readonly Write[] {
  const shared = focalPoint === undefined ? {} : { focalPoint }
  const texts = Object.entries(alt).map(([locale, text]) => ({
    data: { alt: text.trim() === '' ? null : text },
    options: locale === '' ? {} : { locale },
  }))
  const [first, ...rest] = texts
  return first ? [{ ...first, data: { ...first.data, ...shared } }, ...rest] : [{ data: shared, options: {} }]
}
