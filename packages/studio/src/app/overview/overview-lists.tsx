import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTexts } from '../messages/messages.tsx'
import { labelOf } from '../model/studio-model.ts'
import { useModel } from '../model/use-model.ts'
import { usePersonName } from '../session/use-person-name.ts'
import { errorText } from '../talk/error-texts.ts'
import { Waiting } from '../ui/waiting.tsx'
import { DocumentLink } from './document-link.tsx'
import { type LastChange, lastChanges } from './journal-tail.ts'
import styles from './overview.module.css'
import { useOwnDrafts, useSchedules } from './use-across.ts'
import { type PresentDocument, useDocuments } from './use-documents.ts'
import { useJournal } from './use-journal.ts'

/** How many lines a list has. */
const SHOWN = 12

/** What changed lately, by whom; what others do appears. */
export function RecentChanges(): ReactNode {
  const { t, formats } = useTexts()
  const { records, error } = useJournal()
  const { collections, globals } = useModel()
  const isKnown = ({ collection, id }: { readonly collection: string; readonly id: string }): boolean =>
    collection === 'globals' ? globals.has(id) : collections.has(collection)
  const changes = lastChanges(records ?? [], isKnown).slice(0, SHOWN)
  const documents = useDocuments(changes)
  const personName = usePersonName(changes.map(({ actor }) => actor))
  return (
    <Section title={t.overview.recent}>
      {error !== null && <p role="alert">{errorText(error, t)}</p>}
      {records === undefined && error === null && <Waiting label={t.common.loading} lines={4} />}
      {records !== undefined && changes.length === 0 && <p className={styles.note}>{t.overview.recentNone}</p>}
      <Rows
        changes={changes}
        documents={documents}
        note={({ action, actor, at }) => (
          <>
            {t.overview.actions[action as keyof typeof t.overview.actions] ?? action}
            {actor !== undefined && ` · ${personName(actor)}`} ·{' '}
            <time dateTime={at} title={formats.moment(at)}>
              {formats.ago(at)}
            </time>
          </>
        )}
      />
    </Section>
  )
}

/** What is to be published or taken back, the soonest first. */
export function Scheduled(): ReactNode {
  const { t, formats } = useTexts()
  const schedules = useSchedules(SHOWN)
  if (schedules.length === 0) return null
  return (
    <Section title={t.overview.scheduled}>
      <ul className={styles.rows}>
        {schedules.map(({ action, at, ...entry }) => (
          <EntryRow
            key={`${entry.collection} ${entry.id} ${action}`}
            entry={entry}
            note={
              action === 'publish'
                ? t.overview.publishAt(formats.moment(at))
                : t.overview.unpublishAt(formats.moment(at))
            }
          />
        ))}
      </ul>
    </Section>
  )
}

/** Entries whose working copies the person saved last, and that are not published. */
export function OwnDrafts(): ReactNode {
  const { t, formats } = useTexts()
  const drafts = useOwnDrafts(SHOWN)
  if (drafts.length === 0) return null
  return (
    <Section title={t.overview.drafts}>
      <ul className={styles.rows}>
        {drafts.map(({ at, ...entry }) => (
          <EntryRow key={`${entry.collection} ${entry.id}`} entry={entry} note={formats.ago(at)} />
        ))}
      </ul>
    </Section>
  )
}

const Section = ({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactNode => (
  <section className={styles.section}>
    <h2>{title}</h2>
    {children}
  </section>
)

interface RowsProps {
  readonly changes: readonly LastChange[]
  readonly documents: ReadonlyMap<string, PresentDocument>
  readonly note: (change: LastChange) => ReactNode
}

interface EntryRowProps {
  readonly entry: { readonly collection: string; readonly id: string; readonly title: string | null }
  readonly note: string
}

function EntryRow({ entry: { collection, id, title }, note }: EntryRowProps): ReactNode {
  const { t } = useTexts()
  const { collections } = useModel()
  return (
    <li className={styles.row}>
      <Link to="/c/$collection/$id" params={{ collection, id }} className={styles.name} dir="auto">
        {title ?? t.lists.untitled}
      </Link>
      <p className={styles.note}>
        {collections.get(collection)?.label ?? labelOf(collection)} · {note}
      </p>
    </li>
  )
}

function Rows({ changes, documents, note }: RowsProps): ReactNode {
  const { collections } = useModel()
  return (
    <ul className={styles.rows}>
      {changes.map((change) => (
        <li key={change.name} className={styles.row}>
          <DocumentLink change={change} document={documents.get(change.name)} />
          <p className={styles.note}>
            {change.collection !== 'globals' &&
              `${collections.get(change.collection)?.label ?? labelOf(change.collection)} · `}
            {note(change)}
          </p>
        </li>
      ))}
    </ul>
  )
}
