import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTexts } from '../messages/messages.tsx'
import type { StudioCollection } from '../model/studio-model.ts'
import { useActorName } from '../session/use-actor-name.ts'
import type { EditorState } from './saving/editor-state.ts'
import styles from './side-panel.module.css'

export interface SidePanelProps {
  readonly collection: StudioCollection
  readonly state: EditorState
  /** The publishing status. */
  readonly status: ReactNode
  /** The fields that the config places here. */
  readonly children: ReactNode
}

/** The panel beside the text: status, last change, history, and the fields that the config places there. */
export function SidePanel({ collection, state, status, children }: SidePanelProps): ReactNode {
  const { t } = useTexts()
  const { id, locale = '' } = state.document
  return (
    <aside className={styles.panel} aria-label={t.editor.side.title}>
      {id !== null && (
        <div className={styles.facts}>
          {status}
          <LastChange values={state.values} />
          <Link
            to="/c/$collection/$id/history"
            params={{ collection: collection.key, id }}
            search={locale === '' ? {} : { locale }}
          >
            {t.history.title}
          </Link>
        </div>
      )}
      {children}
    </aside>
  )
}

function LastChange({ values }: Pick<EditorState, 'values'>): ReactNode {
  const { t, formats } = useTexts()
  const { updatedAt, updatedBy } = values
  const author = typeof updatedBy === 'string' ? updatedBy : undefined
  const getActorName = useActorName(author === undefined ? [] : [author])
  if (typeof updatedAt !== 'string') return null
  return (
    <p className={styles.change}>
      <time dateTime={updatedAt} title={formats.moment(updatedAt)}>
        {t.editor.side.changed(formats.ago(updatedAt))}
      </time>
      {author !== undefined && ` · ${t.history.by(getActorName(author))}`}
    </p>
  )
}
