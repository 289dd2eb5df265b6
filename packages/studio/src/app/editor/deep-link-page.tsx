import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Navigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { getErrorText } from '../api/error-texts.ts'
import { useStudio } from '../api/studio.ts'
import { useTexts } from '../messages/messages.tsx'
import { useCollection, useGlobal, useModel } from '../model/use-model.ts'
import { NotFoundPage } from '../shell/page.tsx'
import { LoadingPlaceholder } from '../ui/loading-placeholder.tsx'
import { Notice } from '../ui/notice.tsx'

const route = getRouteApi('/go/edit/$collection/$id')

/** Matches ids of the service; anything else is a slug. */
const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Redirects deep links such as those on pages of the site, `/go/edit/:collection/:id?field=path`, to the editor. The id may be a slug. */
export function DeepLinkPage(): ReactNode {
  const { collection: key, id } = route.useParams()
  const search = route.useSearch()
  const collection = useCollection(key)
  const global = useGlobal(id)
  if (key === 'globals' && global) return <Navigate to="/g/$global" params={{ global: id }} search={search} replace />
  if (!collection) return <NotFoundPage />
  if (!ID.test(id)) return <GoBySlug collection={key} slug={id} />
  return <Navigate to="/c/$collection/$id" params={{ collection: key, id }} search={search} replace />
}

interface EntryId {
  readonly id: string
}

interface SlugCalls {
  findBySlug(
    slug: string,
    query: { readonly locale?: string; readonly select: readonly ['id'] },
  ): Promise<EntryId | null>
}

function GoBySlug({ collection, slug }: { readonly collection: string; readonly slug: string }): ReactNode {
  const { client } = useStudio()
  const { t } = useTexts()
  const { locales } = useModel()
  const search = route.useSearch()
  const { locale } = search
  const calls = client.collections[collection] as unknown as SlugCalls
  const { data, error, isPending } = useQuery({
    queryKey: ['slug', collection, slug, locale ?? ''],
    // A page in another language links here with its slug in that language.
    queryFn: async () => {
      if (!locales) return calls.findBySlug(slug, { select: ['id'] })
      for (const candidate of new Set([locale ?? locales.default, ...locales.available])) {
        const entry = await calls.findBySlug(slug, { locale: candidate, select: ['id'] })
        if (entry) return entry
      }
      return null
    },
  })
  if (error) return <Notice title={t.errors.title} text={getErrorText(error, t)} />
  if (isPending) return <LoadingPlaceholder label={t.common.loading} />
  if (!data) return <NotFoundPage title={t.editor.missing} text={t.editor.missingText} />
  return <Navigate to="/c/$collection/$id" params={{ collection, id: data.id }} search={search} replace />
}
