import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { StudioClient } from '../../api/client.ts'
import { useStudio } from '../../api/studio.ts'
import { useTexts } from '../../messages/messages.tsx'
import {
  formatPath,
  getEntryTitle,
  type StudioCollection,
  type StudioModel,
  toLabel,
} from '../../model/studio-model.ts'
import { useModel } from '../../model/use-model.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import type { EditorState } from '../saving/editor-state.ts'
import styles from './actions.module.css'
import { type EntryWork, getEntryCalls, type Referrer } from './use-entry-work.ts'

/** The maximum number of referring documents that the dialog lists. */
const MAX_REFERRERS = 10

export interface DeleteDialogProps {
  readonly isOpen: boolean
  readonly collection: StudioCollection
  readonly state: EditorState
  readonly work: EntryWork
  readonly onClose: () => void
}

/** Asks for confirmation before an entry is deleted, and lists the documents that refer to it. */
export function DeleteDialog({ isOpen, collection, state, work, onClose }: DeleteDialogProps): ReactNode {
  const { t } = useTexts()
  const navigate = useNavigate()
  const remove = async (): Promise<void> => {
    const isDone = await work.run({
      name: 'delete',
      successText: t.publishing.deleted,
      savesFirst: false,
      call: (calls, { id }) => calls.delete(id, {}),
    })
    onClose()
    if (isDone)
      void navigate({
        to: '/c/$collection',
        params: { collection: collection.key },
        ignoreBlocker: true,
        replace: true,
      })
  }
  const title = getEntryTitle(collection, state.values) ?? t.lists.untitled
  return (
    <Dialog title={t.publishing.deleteTitle(title)} isOpen={isOpen} onClose={onClose}>
      <p>{t.publishing.deleteText}</p>
      {isOpen && <Referrers collection={collection} id={state.document.id ?? ''} />}
      <div className={styles.buttons}>
        <Button onPress={onClose} autoFocus>
          {t.common.cancel}
        </Button>
        <Button variant="danger" isPending={work.pending === 'delete'} onPress={() => void remove()}>
          {t.publishing.deleteNow}
        </Button>
      </div>
    </Dialog>
  )
}

interface NamedReferrer extends Referrer {
  readonly title: string | undefined
}

function Referrers({ collection, id }: { readonly collection: StudioCollection; readonly id: string }): ReactNode {
  const { client } = useStudio()
  const { collections } = useModel()
  const { t } = useTexts()
  const { data } = useQuery({
    queryKey: ['references', collection.key, id],
    queryFn: async () => {
      const { total, items } = await getEntryCalls(client, collection).references(id, { limit: MAX_REFERRERS })
      return { total, items: await addTitles(client, collections, items) }
    },
    staleTime: 0,
  })
  if (!data || data.total === 0) return null
  return (
    <div className={styles.form}>
      <p>{t.publishing.referrers(data.total)}</p>
      <ul className={styles.list}>
        {data.items.map((referrer) => (
          <li key={`${referrer.collection}/${referrer.id}/${referrer.field}`}>
            <ReferrerLink referrer={referrer} />
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Loads the titles with one request per collection. A document whose title cannot be read gets none. */
async function addTitles(
  client: StudioClient,
  collections: StudioModel['collections'],
  referrers: readonly Referrer[],
): Promise<readonly NamedReferrer[]> {
  const titles = new Map<string, string | undefined>()
  for (const [key, entries] of Map.groupBy(referrers, (referrer) => referrer.collection)) {
    const collection = collections.get(key)
    if (!collection) continue
    const ids = entries.map((entry) => entry.id)
    const { items } = await getEntryCalls(client, collection).findMany({
      where: { id: { in: ids } },
      limit: ids.length,
    })
    for (const item of items) titles.set(`${key}/${item.id}`, getEntryTitle(collection, item))
  }
  return referrers.map((referrer) => ({ ...referrer, title: titles.get(`${referrer.collection}/${referrer.id}`) }))
}

function ReferrerLink({ referrer }: { readonly referrer: NamedReferrer }): ReactNode {
  const { collections, globals } = useModel()
  const { collection, id, field, title } = referrer
  const document = collections.get(collection) ?? globals.get(collection)
  const name = document?.label ?? toLabel(collection)
  const text = [name, title, formatPath(field, document?.fields)].filter((part) => part !== undefined).join(' · ')
  if (!collections.has(collection)) {
    return (
      <Link to="/g/$global" params={{ global: collection }} search={{ field }}>
        {text}
      </Link>
    )
  }
  return (
    <Link to="/c/$collection/$id" params={{ collection, id }} search={{ field }}>
      {text}
    </Link>
  )
}
