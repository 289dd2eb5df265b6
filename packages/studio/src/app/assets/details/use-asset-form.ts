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

/** A file with its texts in all languages: by locale where there are any. */
export interface LocalizedAsset extends Omit<Asset, 'alt'> {
  readonly alt: string | null | Readonly<Record<string, string | null>>
  readonly sha256: string
}

/** What can be said of a file, and what was not saved yet. */
export interface AssetForm {
  /** The languages that have a text of their own; `undefined` stands for the only one. */
  readonly locales: readonly (string | undefined)[]
  alt(locale: string | undefined): string
  setAlt(locale: string | undefined, text: string): void
  readonly focalPoint: FocalPoint | null
  readonly setFocalPoint: (point: FocalPoint | null) => void
  readonly isChanged: boolean
  readonly isSaving: boolean
  /** What the last save failed with; `null`: it did not. */
  readonly error: unknown
  readonly save: () => void
}

/** Changes that are not saved: texts by locale, `''` for the only one. */
interface Changes {
  readonly alt: Readonly<Record<string, string>>
  readonly focalPoint?: FocalPoint | null
}

const NOTHING: Changes = { alt: {} }

/** Keeps what somebody changes about a file, and saves it on the condition that nobody else has meanwhile. */
export function useAssetForm(asset: LocalizedAsset): AssetForm {
  const { client } = useStudio()
  const { locales } = useModel()
  const { t } = useTexts()
  const queries = useQueryClient()
  const toast = useToast()
  const [changes, setChanges] = useState(NOTHING)
  const save = useMutation({
    mutationFn: async ({ alt, focalPoint }: Changes) => {
      let tag = etagOf(asset)
      for (const { data, options } of writesOf(alt, focalPoint)) {
        const stored = (await client.assets.update(asset.id, data, { ...options, ifMatch: tag } as object)) as object
        tag = etagOf(stored)
      }
    },
    onSuccess: (_, saved) => {
      // What was typed meanwhile stays.
      setChanges((now) => (now === saved ? NOTHING : now))
      toast({ text: t.assets.saved })
    },
    onSettled: async () => {
      await queries.invalidateQueries({ queryKey: queryKeys.entry(ASSETS, asset.id) })
      void queries.invalidateQueries({ queryKey: queryKeys.lists(ASSETS) })
    },
  })
  const stored = (locale: string | undefined): string => textIn(asset.alt, locale)
  return {
    locales: locales?.available ?? [undefined],
    alt: (locale) => changes.alt[locale ?? ''] ?? stored(locale),
    setAlt: (locale, text) =>
      setChanges((before) => {
        const { [locale ?? '']: _, ...others } = before.alt
        return { ...before, alt: text === stored(locale) ? others : { ...others, [locale ?? '']: text } }
      }),
    focalPoint: changes.focalPoint === undefined ? asset.focalPoint : changes.focalPoint,
    setFocalPoint: (focalPoint) => setChanges((before) => ({ ...before, focalPoint })),
    isChanged: Object.keys(changes.alt).length > 0 || changes.focalPoint !== undefined,
    isSaving: save.isPending,
    error: save.error,
    save: () => save.mutate(changes),
  }
}

function textIn(alt: LocalizedAsset['alt'], locale: string | undefined): string {
  if (alt === null || typeof alt === 'string') return alt ?? ''
  return (locale === undefined ? undefined : alt[locale]) ?? ''
}

/** A change of a file in one language. */
interface Write {
  readonly data: Readonly<Record<string, unknown>>
  readonly options: { readonly locale?: string }
}

/** The writes that save changes: one for each language, as a write is in one. */
function writesOf(alt: Changes['alt'], focalPoint: Changes['focalPoint']): readonly Write[] {
  const shared = focalPoint === undefined ? {} : { focalPoint }
  const texts = Object.entries(alt).map(([locale, text]) => ({
    data: { alt: text.trim() === '' ? null : text },
    options: locale === '' ? {} : { locale },
  }))
  const [first, ...others] = texts
  return first ? [{ ...first, data: { ...first.data, ...shared } }, ...others] : [{ data: shared, options: {} }]
}
