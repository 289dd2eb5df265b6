import type { ReactNode } from 'react'
import { useTexts } from '../messages/messages.tsx'
import { labelOf } from '../model/studio-model.ts'
import { useModel } from '../model/use-model.ts'
import { errorText } from '../talk/error-texts.ts'
import { Waiting } from '../ui/waiting.tsx'
import { DocumentLink } from './document-link.tsx'
import { type LastChange, lastChanges } from './journal-tail.ts'
import styles from './overview.module.css'
import { useActorName } from './use-actor-name.ts'
import { type PresentDocument, useDocuments } from './use-documents.ts'
import { useJournal } from './use-journal.ts'

/** How many lines a list has. */
const SHOWN = 12

/** What changed lately, by whom; what others do appears. */
export function RecentChanges(): ReactNode {
  const { t, formats } = useTexts()
  const { records, error } = useJournal('all')
  const { collections, globals } = useModel()
  const isKnown = ({ collection, id }: { readonly collection: string; readonly id: string }): boolean =>
    collection === 'globals' ? globals.has(id) : collections.has(collection)
  const changes = lastChanges(records ?? [], isKnown).slice(0, SHOWN)
  const documents = useDocuments(changes)
  const actorName = useActorName(changes.map(({ actor }) => actor))
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
            {actor !== undefined && ` · ${actorName(actor)}`} ·{' '}
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
  const { records } = useJournal('all')
  const changes = lastChanges(records ?? [], ({ action }) => action === 'schedule')
  const documents = useDocuments(changes)
  const nextOf = (change: LastChange): string => {
    const { publishAt, unpublishAt } = documents.get(change.name) ?? {}
    return [publishAt, unpublishAt].filter((one) => one !== undefined).sort()[0] ?? ''
  }
  const planned = changes
    .filter((one) => nextOf(one) !== '')
    .sort((one, other) => (nextOf(one) < nextOf(other) ? -1 : 1))
  if (planned.length === 0) return null
  return (
    <Section title={t.overview.scheduled}>
      <Rows
        changes={planned.slice(0, SHOWN)}
        documents={documents}
        note={(change) => {
          const { publishAt, unpublishAt } = documents.get(change.name) ?? {}
          return [
            publishAt !== undefined && t.overview.publishAt(formats.moment(publishAt)),
            unpublishAt !== undefined && t.overview.unpublishAt(formats.moment(unpublishAt)),
          ]
            .filter(Boolean)
            .join(' · ')
        }}
      />
    </Section>
  )
}

/** Entries whose working copies the person changed, and that are not published. */
export function OwnDrafts(): ReactNode {
  const { t, formats } = useTexts()
  const { records } = useJournal('own')
  const changes = lastChanges(records ?? [], ({ action }) => action === 'draft').slice(0, 4 * SHOWN)
  const documents = useDocuments(changes)
  const drafts = changes.filter(({ name }) => documents.get(name)?.hasDraft).slice(0, SHOWN)
  if (drafts.length === 0) return null
  return (
    <Section title={t.overview.drafts}>
      <Rows changes={drafts} documents={documents} note={({ at }) => formats.ago(at)} />
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
