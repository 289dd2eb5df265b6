import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import type { StudioCollection } from '../../model/studio-model.ts'
import { useSession } from '../../session/use-session.ts'
import { IconButton } from '../../ui/controls/button.tsx'
import { findOrphanedCopies, type OrphanedCopy } from '../saving/local-copies.ts'
import { Banner } from '../saving-status.tsx'
import { browserCopies, browserEditors } from './open-document.ts'
import styles from './unsaved-entries.module.css'

export interface UnsavedEntriesProps {
  readonly collection: StudioCollection
  /** The `newId` of the open entry. */
  readonly newId: string
}

/** New entries that were begun in this browser and are open in no tab. Nothing else links to them. */
export function UnsavedEntries({ collection, newId }: UnsavedEntriesProps): ReactNode {
  const { t, formats } = useTexts()
  const { identity } = useSession()
  const [orphans, setOrphans] = useState<readonly OrphanedCopy[]>([])
  const person = identity?.subject ?? ''
  useEffect(() => {
    const prefix = `${[person, collection.key, 'new:'].map(encodeURIComponent).join('/')}`
    let isEnded = false
    findOrphanedCopies(browserCopies, browserEditors, prefix).then(
      (copies) => {
        if (!isEnded) setOrphans(copies.filter(({ copy }) => copy.document.newId !== newId))
      },
      // A browser without a store has no copies.
      () => undefined,
    )
    return () => {
      isEnded = true
    }
  }, [person, collection.key, newId])
  const deleteOrphan = (orphan: OrphanedCopy): void => {
    setOrphans((before) => before.filter((candidate) => candidate !== orphan))
    browserCopies.delete(orphan.key).catch(() => undefined)
  }
  if (orphans.length === 0) return null
  return (
    <Banner tone="info" text={t.saving.begun.title}>
      <ul className={styles.list}>
        {orphans.map((orphan) => (
          <li key={orphan.key} className={styles.entry}>
            <Link
              to="/c/$collection/$id"
              params={{ collection: collection.key, id: 'new' }}
              search={toSearch(orphan)}
              dir="auto"
            >
              {getTitle(orphan, collection) ?? t.lists.untitled}
            </Link>
            <span className={styles.when}>{formats.ago(new Date(orphan.copy.savedAt).toISOString())}</span>
            <IconButton icon="close" label={t.saving.begun.forget} onPress={() => deleteOrphan(orphan)} />
          </li>
        ))}
      </ul>
    </Banner>
  )
}

function toSearch({ copy: { document } }: OrphanedCopy): { readonly copy?: string; readonly locale?: string } {
  const { newId, locale } = document
  return { ...(newId === undefined ? {} : { copy: newId }), ...(locale === undefined ? {} : { locale }) }
}

function getTitle({ copy }: OrphanedCopy, { titleField }: StudioCollection): string | undefined {
  const title = copy.edits.find(({ path }) => path === titleField)?.mine
  return typeof title === 'string' && title.trim() !== '' ? title : undefined
}
