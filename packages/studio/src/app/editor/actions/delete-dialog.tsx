import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { StudioClient } from '../../api/client.ts'
import { useStudio } from '../../api/studio.ts'
import { useTexts } from '../../messages/messages.tsx'
import { getEntryTitle, type StudioCollection, type StudioModel, toLabel } from '../../model/studio-model.ts'
import { useModel } from '../../model/use-model.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import type { EditorState } from '../saving/editor-state.ts'
import styles from './actions.module.css'
import { getEntryCalls, type Referrer } from './entry-calls.ts'
import type { EntryWork } from './use-entry-work.ts'

/** How many documents that refer to an entry are named. */
const MOST_NAMED = 10

/** What a {@link DeleteDialog} takes. */
export interface DeleteDialogProps {
  readonly isOpen: boolean
  readonly collection: StudioCollection
  readonly state: EditorState
  readonly work: EntryWork
  readonly onClose: () => void
}

/** Asks before an entry is deleted, and names what refers to it. */
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

/** A document that refers to an entry, with its title where it has one. */
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
      const { total, items } = await getEntryCalls(client, collection).references(id, { limit: MOST_NAMED })
      return { total, items: await withTitles(client, collections, items) }
    },
    staleTime: 0,
  })
  if (!data || data.total === 0) return null
  return (
    <div className={styles.form}>
      <p>{t.publishing.referrers(data.total)}</p>
      <ul className={styles.list}>
        {data.items.map((one) => (
          <li key={`${one.collection}/${one.id}/${one.field}`}>
            <ReferrerLink referrer={one} isGlobal={!collections.has(one.collection)} />
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Asks for the titles of each collection at once; a document whose title cannot be read has none. */
async function withTitles(
  client: StudioClient,
  collections: StudioModel['collections'],
  referrers: readonly Referrer[],
): Promise<readonly NamedReferrer[]> {
  const titles = new Map<string, string | undefined>()
  for (const [key, own] of Map.groupBy(referrers, (one) => one.collection)) {
    const collection = collections.get(key)
    if (!collection) continue
    const ids = own.map((one) => one.id)
    const { items } = await getEntryCalls(client, collection).findMany({
      where: { id: { in: ids } },
      limit: ids.length,
    })
    for (const item of items) titles.set(`${key}/${item.id}`, getEntryTitle(collection, item))
  }
  return referrers.map((one) => ({ ...one, title: titles.get(`${one.collection}/${one.id}`) }))
}

interface ReferrerLinkProps {
  readonly referrer: NamedReferrer
  readonly isGlobal: boolean
}

function ReferrerLink({ referrer: { collection, id, field, title }, isGlobal }: ReferrerLinkProps): ReactNode {
  const text = [toLabel(collection), title, toLabel(field)].filter((one) => one !== undefined).join(' · ')
  if (isGlobal) {
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
