import { etagOf } from '@daybook/client'
import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useTexts } from '../messages/messages.tsx'
import { type StudioCollection, titleOf } from '../model/studio-model.ts'
import { useCollection } from '../model/use-model.ts'
import { MissingPage } from '../shell/missing-page.tsx'
import { issuesByPath } from '../talk/error-texts.ts'
import { keys } from '../talk/keys.ts'
import { useStudio } from '../talk/studio.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { useToast } from '../ui/toasts.tsx'
import styles from './editor.module.css'
import { EditorFrame } from './editor-frame.tsx'
import { type EntryApi, entryApi, type StoredEntry } from './entry-api.ts'
import { FieldList } from './field-list.tsx'
import type { Values } from './saving/saved-field.ts'
import { useDocumentForm } from './use-document-form.ts'

const route = getRouteApi('/c/$collection/$id')

/** The `id` in the address of an entry that is not stored yet. */
const NEW = 'new'

/** One entry: `/c/:collection/:id`; a new one at `/c/:collection/new`. */
export function EntryPage(): ReactNode {
  const { collection: key, id } = route.useParams()
  const { client } = useStudio()
  const collection = useCollection(key)
  if (!collection) return <MissingPage />
  const api = entryApi(client, collection)
  const place = `${key}/${id}`
  if (id === NEW) return <EntryEditor key={place} collection={collection} api={api} entry={null} />
  return <StoredEditor key={place} collection={collection} api={api} id={id} />
}

interface EditorProps {
  readonly collection: StudioCollection
  readonly api: EntryApi
}

function StoredEditor({ collection, api, id }: EditorProps & { readonly id: string }): ReactNode {
  const { t } = useTexts()
  const { data: entry } = useSuspenseQuery({
    queryKey: keys.entry(collection.key, id),
    queryFn: ({ signal }) => api.read(id, signal),
    // An entry remembers its tag; a copy of it would not.
    structuralSharing: false,
  })
  if (!entry) return <MissingPage title={t.editor.missing} text={t.editor.missingText} />
  return <EntryEditor collection={collection} api={api} entry={entry} />
}

const NOTHING: Values = {}

/** @param entry `null`: it is not stored yet */
function EntryEditor({ collection, api, entry }: EditorProps & { readonly entry: StoredEntry | null }): ReactNode {
  const { t } = useTexts()
  const { key, label, permissions, statusField, fields } = collection
  const form = useDocumentForm({ collection: key, id: entry?.id ?? null }, entry ?? NOTHING)
  const [title] = useState(() => (entry ? (titleOf(collection, entry) ?? t.lists.untitled) : t.editor.create))
  const { save, publish } = useStoring(collection, api, entry, form.settle)
  const mayWrite = (entry ? permissions.update : permissions.create) !== false
  const isPublishable =
    entry !== null && statusField !== null && (entry.hasDraft === true || entry[statusField] === 'draft')
  return (
    <EditorFrame
      title={title}
      above={
        <Link to="/c/$collection" params={{ collection: key }} className={styles.back}>
          <Icon name="back" />
          {label}
        </Link>
      }
      isChanged={form.isChanged}
      isSaving={save.isPending || publish.isPending}
      error={save.error ?? publish.error}
      onSave={mayWrite ? () => save.mutate(form.changes) : undefined}
      actions={
        isPublishable && (
          <Button onPress={() => publish.mutate()} isDisabled={form.isChanged} isPending={publish.isPending}>
            {t.editor.publish}
          </Button>
        )
      }
    >
      <FieldList
        fields={fields.filter((one) => one.key !== statusField)}
        form={form}
        issues={issuesByPath(save.error ?? publish.error)}
        isReadOnly={!mayWrite}
      />
    </EditorFrame>
  )
}

/** Saves and publishes an entry, and keeps what is answered. */
function useStoring(
  { key }: StudioCollection,
  api: EntryApi,
  entry: StoredEntry | null,
  settle: (stored: Values) => void,
) {
  const queries = useQueryClient()
  const navigate = route.useNavigate()
  const toast = useToast()
  const { t } = useTexts()
  const keep = (stored: StoredEntry): void => {
    queries.setQueryData(keys.entry(key, stored.id), stored)
    void queries.invalidateQueries({ queryKey: keys.lists(key) })
  }
  const save = useMutation({
    mutationFn: (changes: Values) => (entry ? api.save(entry, changes, etagOf(entry)) : api.create(changes)),
    onSuccess: (stored, changes) => {
      keep(stored)
      settle(changes)
      toast({ text: t.editor.saved })
      if (!entry) void navigate({ params: { collection: key, id: stored.id }, replace: true, ignoreBlocker: true })
    },
  })
  const publish = useMutation({
    mutationFn: () => api.publish(entry?.id ?? ''),
    onSuccess: (stored) => {
      keep(stored)
      toast({ text: t.editor.published })
    },
  })
  return { save, publish }
}
