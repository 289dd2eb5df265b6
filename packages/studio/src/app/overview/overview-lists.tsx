import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { getErrorText } from '../api/error-texts.ts'
import { useTexts } from '../messages/messages.tsx'
import { toLabel } from '../model/studio-model.ts'
import { useModel } from '../model/use-model.ts'
import { useActorName } from '../session/use-actor-name.ts'
import { LoadingPlaceholder } from '../ui/loading-placeholder.tsx'
import { getLastChanges, type LastChange } from './journal-tail.ts'
import styles from './overview.module.css'
import { type CurrentDocument, useChangedDocuments, useJournal, useMyDrafts, useSchedules } from './overview-queries.ts'

const MAX_ROWS = 12

/** The documents that changed last, updated live. */
export function RecentChanges(): ReactNode {
  const { t, formats } = useTexts()
  const { records, error } = useJournal()
  const { collections, globals } = useModel()
  const isReadable = ({ collection, id }: { readonly collection: string; readonly id: string }): boolean =>
    collection === 'globals' ? globals.has(id) : collections.has(collection)
  const changes = getLastChanges(records ?? [], isReadable).slice(0, MAX_ROWS)
  const documents = useChangedDocuments(changes)
  const personName = useActorName(changes.map(({ actor }) => actor))
  return (
    <Section title={t.overview.recent}>
      {error !== null && <p role="alert">{getErrorText(error, t)}</p>}
      {records === undefined && error === null && <LoadingPlaceholder label={t.common.loading} lines={4} />}
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

/** Scheduled publications and unpublications, the next one first. */
export function Scheduled(): ReactNode {
  const { t, formats } = useTexts()
  const schedules = useSchedules(MAX_ROWS)
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

/** Unpublished drafts that the user saved last. */
export function MyDrafts(): ReactNode {
  const { t, formats } = useTexts()
  const drafts = useMyDrafts(MAX_ROWS)
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
  readonly documents: ReadonlyMap<string, CurrentDocument>
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
        {collections.get(collection)?.label ?? toLabel(collection)} · {note}
      </p>
    </li>
  )
}

function Rows({ changes, documents, note }: RowsProps): ReactNode {
  const { collections } = useModel()
  return (
    <ul className={styles.rows}>
      {changes.map((change) => (
        <li key={change.documentKey} className={styles.row}>
          <DocumentLink change={change} document={documents.get(change.documentKey)} />
          <p className={styles.note}>
            {change.collection !== 'globals' &&
              `${collections.get(change.collection)?.label ?? toLabel(change.collection)} · `}
            {note(change)}
          </p>
        </li>
      ))}
    </ul>
  )
}

interface DocumentLinkProps {
  readonly change: LastChange
  /** `undefined` if it is deleted or not loaded yet. */
  readonly document: CurrentDocument | undefined
}

function DocumentLink({ change, document }: DocumentLinkProps): ReactNode {
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
