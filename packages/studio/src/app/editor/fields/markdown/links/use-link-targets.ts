import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useStudio } from '../../../../api/studio.ts'
import type { Asset } from '../../../../assets/media/asset.ts'
import { useTexts } from '../../../../messages/messages.tsx'
import { ASSETS } from '../../../../model/studio-model.ts'
import { useModel } from '../../../../model/use-model.ts'
import { useDebounced } from '../../../../ui/use-debounced.ts'
import { useTitle } from '../../relations/use-title.ts'
import { readAddress } from './link-markdown.ts'

/** An entry, a file or an address that a text can link to. */
export interface LinkTarget {
  readonly url: string
  readonly label: string
  /** The kind of target, in words. */
  readonly kind: string
}

const SEARCH_MS = 150
const MAX_TARGETS = 20
const INTERNAL = /^daybook:([a-z]\w*)\/([\w-]+)$/i

/** Finds what a typed text can mean: an address, or entries and files that have its words. */
export function useLinkTargets(typed: string): {
  readonly targets: readonly LinkTarget[]
  readonly isSearching: boolean
} {
  const { t } = useTexts()
  const { client } = useStudio()
  const { collections } = useModel()
  const words = useDebounced(typed.trim(), SEARCH_MS)
  const { data, isFetching } = useQuery({
    queryKey: ['link-targets', words],
    queryFn: ({ signal }) => client.search({ q: words, limit: MAX_TARGETS, signal }),
    enabled: words.length > 1,
    placeholderData: keepPreviousData,
  })
  const address = readAddress(typed)
  const items = words === '' ? [] : (data?.items ?? [])
  const matches = items.flatMap(({ collection: key, id, title }): readonly LinkTarget[] => {
    const collection = collections.get(key)
    if (!collection) return []
    const kind = key === ASSETS ? t.fields.links.file : collection.label
    return [{ url: `daybook:${key}/${id}`, label: title ?? id, kind }]
  })
  const direct = address === undefined ? [] : [{ url: address, label: address, kind: t.fields.links.address }]
  return { targets: [...direct, ...matches], isSearching: words !== typed.trim() || isFetching }
}

/** Describes the target of a link in a text. */
export function useLinkTarget(url: string): LinkTarget {
  const { t } = useTexts()
  const { client } = useStudio()
  const { collections } = useModel()
  const [, collection = '', id = ''] = INTERNAL.exec(url) ?? []
  const isFile = collection === ASSETS
  const title = useTitle({ collection: isFile ? '' : collection, id })
  const { data: file } = useQuery({
    queryKey: ['link-file', id],
    queryFn: async ({ signal }) => (await client.assets.get(id, {}, { signal })) as unknown as Asset | null,
    enabled: isFile,
  })
  if (collection === '') return { url, label: url, kind: t.fields.links.address }
  if (isFile)
    return { url, label: file === null ? t.assets.missing : (file?.originalName ?? '…'), kind: t.fields.links.file }
  return { url, label: title.text, kind: collections.get(collection)?.label ?? collection }
}
