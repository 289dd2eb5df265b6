import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTexts } from '../messages/messages.tsx'
import { useModel } from '../model/use-model.ts'
import type { LastChange } from './journal-tail.ts'
import styles from './overview.module.css'
import type { PresentDocument } from './use-documents.ts'

/** What a {@link DocumentLink} takes. */
export interface DocumentLinkProps {
  readonly change: LastChange
  /** `undefined`: it is gone, or not known yet. */
  readonly document: PresentDocument | undefined
}

/** The way to a document, with what it is called. */
export function DocumentLink({ change, document }: DocumentLinkProps): ReactNode {
  const { t } = useTexts()
  const { globals } = useModel()
  const { collection, id, action } = change
  const global = collection === 'globals' ? globals.get(id) : undefined
  if (global) {
    return (
      <Link to="/g/$global" params={{ global: id }} className={styles.name}>
        {global.label}
      </Link>
    )
  }
  if (action === 'delete') return <span className={styles.gone}>{document?.title ?? t.overview.deletedEntry}</span>
  return (
    <Link to="/c/$collection/$id" params={{ collection, id }} className={styles.name} dir="auto">
      {document?.title ?? t.lists.untitled}
    </Link>
  )
}
