import { getRouteApi, Navigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { StudioCollection } from '../model/studio-model.ts'
import { useCollection } from '../model/use-model.ts'
import { NotFoundPage } from '../shell/page.tsx'
import { generateName } from './document/open-document.ts'
import { EntryEditor } from './entry-editor.tsx'
import { useContentLocale } from './languages/use-languages.ts'

const route = getRouteApi('/c/$collection/$id')

/** The `id` in the address of an entry that is not stored yet. */
const NEW = 'new'

/** One entry: `/c/:collection/:id`; a new one at `/c/:collection/new`. */
export function EntryPage(): ReactNode {
  const { collection: key, id } = route.useParams()
  const { copy } = route.useSearch()
  const collection = useCollection(key)
  if (!collection) return <NotFoundPage />
  if (id === NEW && copy === undefined) return <NamedCopy collection={collection} />
  return <PlacedEditor collection={collection} id={id} />
}

/** Gives a new entry a name in this browser, so that a tab that is reopened finds what was typed. */
function NamedCopy({ collection: { key } }: { readonly collection: StudioCollection }): ReactNode {
  const [copy] = useState(generateName)
  return (
    <Navigate
      from="/c/$collection/$id"
      to="/c/$collection/$id"
      params={{ collection: key, id: NEW }}
      search={(before) => ({ ...before, copy })}
      replace
    />
  )
}

/** Which editor stays while its entry gets an address. */
interface Birth {
  readonly id: string
  readonly place: string
}

function PlacedEditor({ collection, id }: { readonly collection: StudioCollection; readonly id: string }): ReactNode {
  const { copy = '', beside, field, ...search } = route.useSearch()
  const locale = useContentLocale(search.locale)
  const navigate = route.useNavigate()
  const [birth, setBirth] = useState<Birth>()
  const isNew = id === NEW
  const own = [collection.key, isNew ? `new:${copy}` : id, locale].join('/')
  const place = birth?.id === [id, locale].join('/') ? birth.place : own
  const show = (isBeside: boolean): void => {
    const next = isBeside ? { beside: 'source' } : {}
    void navigate({ search: ({ beside: _, ...before }) => ({ ...before, ...next }), replace: true, resetScroll: false })
  }
  const stored = (newId: string): void => {
    if (newId === id) return
    setBirth({ id: [newId, locale].join('/'), place })
    void navigate({
      params: { collection: collection.key, id: newId },
      search: ({ copy: _, ...search }) => search,
      replace: true,
      resetScroll: false,
      ignoreBlocker: true,
    })
  }
  return (
    <EntryEditor
      key={place}
      collection={collection}
      id={isNew ? null : id}
      newId={copy}
      locale={locale}
      field={field}
      isSourceShown={beside !== undefined}
      onShowSource={show}
      onStored={stored}
    />
  )
}
