import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import type { StudioCollection } from '../../model/studio-model.ts'
import { useSession } from '../../session/use-session.ts'
import { IconButton } from '../../ui/controls/button.tsx'
import { findOrphanedCopies, type OrphanedCopy } from '../saving/local-copies.ts'
import { Banner } from '../status/saving-notice.tsx'
import { browserCopies, browserEditors } from './open-document.ts'
import styles from './unsaved-entries.module.css'

/** What {@link UnsavedEntries} take. */
export interface UnsavedEntriesProps {
  readonly collection: StudioCollection
  /** The name of the new entry that is open. */
  readonly newId: string
}

/** New entries that were begun in this browser, and that no tab has open: they have no address that anybody would remember. */
export function UnsavedEntries({ collection, newId: copy }: UnsavedEntriesProps): ReactNode {
  const { t, formats } = useTexts()
  const { identity } = useSession()
  const [left, setLeft] = useState<readonly OrphanedCopy[]>([])
  const person = identity?.subject ?? ''
  useEffect(() => {
    const prefix = `${[person, collection.key, 'new:'].map(encodeURIComponent).join('/')}`
    let isEnded = false
    findOrphanedCopies(browserCopies, browserEditors, prefix).then(
      (found) => {
        if (!isEnded) setLeft(found.filter((one) => one.copy.document.newId !== copy))
      },
      // A browser that keeps nothing has left nothing behind.
      () => undefined,
    )
    return () => {
      isEnded = true
    }
  }, [person, collection.key, copy])
  const forget = (one: OrphanedCopy): void => {
    setLeft((before) => before.filter((other) => other !== one))
    browserCopies.delete(one.key).catch(() => undefined)
  }
  if (left.length === 0) return null
  return (
    <Banner tone="told" text={t.saving.begun.title}>
      <ul className={styles.list}>
        {left.map((one) => (
          <li key={one.key} className={styles.one}>
            <Link
              to="/c/$collection/$id"
              params={{ collection: collection.key, id: 'new' }}
              search={searchOf(one)}
              dir="auto"
            >
              {titleIn(one, collection) ?? t.lists.untitled}
            </Link>
            <span className={styles.when}>{formats.ago(new Date(one.copy.savedAt).toISOString())}</span>
            <IconButton icon="close" label={t.saving.begun.forget} onPress={() => forget(one)} />
          </li>
        ))}
      </ul>
    </Banner>
  )
}

function searchOf({ copy: { document } }: OrphanedCopy): { readonly copy?: string; readonly locale?: string } {
  const { newId, locale } = document
  return { ...(newId === undefined ? {} : { copy: newId }), ...(locale === undefined ? {} : { locale }) }
}

function titleIn({ copy }: OrphanedCopy, { titleField }: StudioCollection): string | undefined {
  const title = copy.edits.find(({ path }) => path === titleField)?.mine
  return typeof title === 'string' && title.trim() !== '' ? title : undefined
}
