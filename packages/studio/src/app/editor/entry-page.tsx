import { getRouteApi } from '@tanstack/react-router'
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react'
import { useTexts } from '../messages/messages.tsx'
import type { StudioCollection } from '../model/studio-model.ts'
import { useCollection } from '../model/use-model.ts'
import { useSession } from '../session/use-session.ts'
import { NotFoundPage } from '../shell/page.tsx'
import { LoadingPlaceholder } from '../ui/loading-placeholder.tsx'
import { beginEntry } from './document/begin-entry.ts'
import { generateName } from './document/open-document.ts'
import { EntryEditor } from './entry-editor.tsx'
import { useContentLocale } from './languages/use-languages.ts'

const route = getRouteApi('/c/$collection/$id')

/** The `id` in the URL of an entry that is not stored yet. */
const NEW = 'new'

/** The page of an entry, `/c/:collection/:id`, or of a new one, `/c/:collection/new`. */
export function EntryPage(): ReactNode {
  const { collection: key, id } = route.useParams()
  const { copy, title } = route.useSearch()
  const collection = useCollection(key)
  if (!collection) return <NotFoundPage />
  if (id === NEW && copy === undefined)
    return <NewEntryRedirect key={`${key} ${title}`} collection={collection} title={title} />
  return <KeyedEditor collection={collection} id={id} />
}

interface NewEntryProps {
  readonly collection: StudioCollection
  /** The first value of its title. */
  readonly title: string | undefined
}

/** Adds a name for the new entry to the URL, so that a reopened tab finds its edits. */
function NewEntryRedirect({ collection, title }: NewEntryProps): ReactNode {
  const { identity } = useSession()
  const { t } = useTexts()
  const navigate = route.useNavigate()
  const begin = useEffectEvent(async (): Promise<void> => {
    const { titleField } = collection
    const isTitled = title !== undefined && titleField !== undefined
    const copy = isTitled
      ? await beginEntry(collection, new Map([[titleField, title]]), identity?.subject ?? '')
      : generateName()
    await navigate({
      params: { collection: collection.key, id: NEW },
      search: ({ title: _, ...before }) => ({ ...before, copy }),
      replace: true,
    })
  })
  useEffect(() => void begin(), [])
  return <LoadingPlaceholder label={t.common.loading} />
}

/** Keeps the editor mounted while the URL of a new entry changes to its id. */
interface CreatedEntry {
  readonly id: string
  readonly editorKey: string
}

function KeyedEditor({ collection, id }: { readonly collection: StudioCollection; readonly id: string }): ReactNode {
  const { copy = '', beside: sideColumn, field, ...search } = route.useSearch()
  const locale = useContentLocale(search.locale)
  const navigate = route.useNavigate()
  const [createdEntry, setCreatedEntry] = useState<CreatedEntry>()
  const isNew = id === NEW
  const ownKey = [collection.key, isNew ? `new:${copy}` : id, locale].join('/')
  const editorKey = createdEntry?.id === [id, locale].join('/') ? createdEntry.editorKey : ownKey
  const showSource = (isShown: boolean): void => {
    const next = isShown ? { beside: 'source' } : {}
    void navigate({ search: ({ beside: _, ...before }) => ({ ...before, ...next }), replace: true, resetScroll: false })
  }
  const followStored = (storedId: string): void => {
    if (storedId === id) return
    setCreatedEntry({ id: [storedId, locale].join('/'), editorKey })
    void navigate({
      params: { collection: collection.key, id: storedId },
      search: ({ copy: _, ...search }) => search,
      replace: true,
      resetScroll: false,
      ignoreBlocker: true,
    })
  }
  return (
    <EntryEditor
      key={editorKey}
      collection={collection}
      id={isNew ? null : id}
      newId={copy}
      locale={locale}
      field={field}
      isSourceShown={sideColumn !== undefined}
      onShowSource={showSource}
      onStored={followStored}
    />
  )
}
