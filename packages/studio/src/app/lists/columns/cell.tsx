import { lazy, type ReactNode, Suspense } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { getEntryTitle, getOptionLabel, type StudioCollection } from '../../model/studio-model.ts'
import { Badge } from '../../ui/badge.tsx'
import { Icon } from '../../ui/icon.tsx'
import type { ListField } from '../list-fields.ts'
import styles from './cell.module.css'

// Few lists show actors.
const ActorName = lazy(() => import('./actor-name.tsx'))

/** The maximum length of a text, longer than any column is wide. */
const MAX_CHARACTERS = 240
const MAX_VALUES = 3

export interface CellProps {
  readonly field: ListField
  readonly value: unknown
  readonly collections: ReadonlyMap<string, StudioCollection>
}

/** A value in a row, formatted by the type of its field; invalid values are shown unformatted. */
export function Cell({ field, value, collections }: CellProps): ReactNode {
  if (value === null || value === undefined || value === '') return <span className={styles.none}>–</span>
  if (!Array.isArray(value)) return <SingleValue field={field} value={value} collections={collections} />
  if (value.length === 0) return <span className={styles.none}>–</span>
  return (
    <span className={styles.several}>
      {value.slice(0, MAX_VALUES).map((item, index) => (
        <SingleValue key={`${index.toString()}`} field={field} value={item} collections={collections} />
      ))}
      {value.length > MAX_VALUES && <span className={styles.none}>+{value.length - MAX_VALUES}</span>}
    </span>
  )
}

function SingleValue({ field, value, collections }: CellProps): ReactNode {
  const { t, formats } = useTexts()
  const { type } = field
  if (typeof value === 'boolean') return value ? <YesIcon label={t.lists.yes} /> : t.lists.no
  if (typeof value === 'number') return <span className={styles.number}>{formats.number(value)}</span>
  if (typeof value === 'object' && value !== null) return <Text text={getTargetTitle(field, value, collections)} />
  const text = String(value)
  if (type === 'status')
    return <Badge tone={text === 'published' ? 'good' : 'neutral'}>{getOptionLabel(text, field, t)}</Badge>
  if (type === 'select') return <Badge>{getOptionLabel(text, field, t)}</Badge>
  if (type === 'datetime' && isTime(text)) return <Moment timestamp={text} />
  if (type === 'date' && isTime(text)) return <time dateTime={text}>{formats.calendarDay(text)}</time>
  if (type === 'person') {
    return (
      <Suspense fallback="…">
        <bdi className={styles.text}>
          <ActorName subject={text} />
        </bdi>
      </Suspense>
    )
  }
  return <Text text={text} />
}

const isTime = (text: string): boolean => !Number.isNaN(Date.parse(text))

function Moment({ timestamp }: { readonly timestamp: string }): ReactNode {
  const { formats } = useTexts()
  return (
    <time dateTime={timestamp} title={formats.moment(timestamp)}>
      {formats.ago(timestamp)}
    </time>
  )
}

const YesIcon = ({ label }: { readonly label: string }): ReactNode => (
  <span role="img" aria-label={label} className={styles.yes}>
    <Icon name="check" />
  </span>
)

/** A text whose direction does not affect its neighbours. */
const Text = ({ text }: { readonly text: string }): ReactNode => (
  <bdi className={styles.text}>{text.slice(0, MAX_CHARACTERS)}</bdi>
)

function getTargetTitle({ to }: ListField, value: object, collections: ReadonlyMap<string, StudioCollection>): string {
  const entry = value as Readonly<Record<string, unknown>>
  const key = typeof entry.collection === 'string' && to.length > 1 ? entry.collection : to[0]
  const collection = key === undefined ? undefined : collections.get(key)
  const title = collection && getEntryTitle(collection, entry)
  if (title !== undefined) return title
  return typeof entry.id === 'string' ? entry.id : JSON.stringify(value)
}
