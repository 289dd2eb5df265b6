import type { JournalPage, JournalRecord } from '@daybook/client'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useStudio } from '../api/studio.ts'
import { useAdministrationTexts } from '../messages/messages.tsx'
import { useModel } from '../model/use-model.ts'
import { useActorName } from '../session/use-actor-name.ts'
import { ErrorNotice, Page } from '../shell/page.tsx'
import { Button } from '../ui/controls/button.tsx'
import { ChoiceField } from '../ui/controls/choice-field.tsx'
import { TextField } from '../ui/controls/text-field.tsx'
import { LoadingPlaceholder } from '../ui/loading-placeholder.tsx'
import styles from './administration.module.css'
import { type AuditSearch, getTimes } from './audit-search.ts'
import { UndoDialog } from './undo-dialog.tsx'

const PAGE_SIZE = 50
/** The id of the option that removes a filter. No subject, collection or action is empty. */
const ANY = '*'

/** The journal, the newest change first, with filters and undo. */
export function AuditPage(): ReactNode {
  const { t } = useAdministrationTexts()
  const search = useSearch({ from: '/audit' })
  const [undoing, setUndoing] = useState<JournalRecord>()
  const list = useAudit(search)
  const records = list.data?.pages.flatMap(({ items }) => items) ?? []
  const getName = useActorName(records.map(({ actor }) => actor))
  return (
    <Page title={t.administration.audit}>
      <Filters search={search} records={records} getName={getName} />
      {list.isPending && <LoadingPlaceholder label={t.common.loading} lines={6} />}
      {list.error && <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />}
      {list.isSuccess && records.length === 0 && !list.hasNextPage && <p className={styles.note}>{t.audit.none}</p>}
      <ul className={styles.list}>
        {records.map((record) => (
          <AuditRow key={record.seq} record={record} getName={getName} onUndo={() => setUndoing(record)} />
        ))}
      </ul>
      {list.hasNextPage && (
        <div>
          <Button onPress={() => void list.fetchNextPage()} isPending={list.isFetchingNextPage}>
            {t.audit.older}
          </Button>
        </div>
      )}
      {undoing && <UndoDialog record={undoing} getName={getName} onClose={() => setUndoing(undefined)} />}
    </Page>
  )
}

function useAudit(search: AuditSearch) {
  const { client } = useStudio()
  const { actor, collection, action } = search
  const filter = {
    ...(actor === undefined ? {} : { actor }),
    ...(collection === undefined ? {} : { collections: [collection] }),
    ...(action === undefined ? {} : { actions: [action] }),
    ...getTimes(search),
  }
  return useInfiniteQuery({
    queryKey: ['audit', filter],
    queryFn: ({ pageParam, signal }): Promise<JournalPage> =>
      client.journal({ ...filter, before: pageParam, limit: PAGE_SIZE, signal }),
    initialPageParam: Number.MAX_SAFE_INTEGER,
    getNextPageParam: ({ next }, _pages, before) => (next < before && next > 1 ? next : undefined),
    staleTime: 0,
  })
}

type GetName = (subject: string | undefined) => string

interface FiltersProps {
  readonly search: AuditSearch
  readonly records: readonly JournalRecord[]
  readonly getName: GetName
}

function Filters({ search, records, getName }: FiltersProps): ReactNode {
  const { t } = useAdministrationTexts()
  const { collections } = useModel()
  const navigate = useNavigate({ from: '/audit' })
  // The choice keeps the actors that were shown before a filter left one of them.
  const [subjects, setSubjects] = useState<ReadonlySet<string>>(new Set())
  const shown = [search.actor, ...records.map(({ actor }) => actor)].filter((actor) => actor !== undefined)
  if (shown.some((actor) => !subjects.has(actor))) setSubjects(new Set([...subjects, ...shown]))
  const change = (part: AuditSearch): void =>
    void navigate({ search: (current) => ({ ...current, ...part }), replace: true })
  const choose = (key: keyof AuditSearch) => (value: string) => change({ [key]: value === ANY ? undefined : value })
  const hasFilter = Object.values(search).some((value) => value !== undefined)
  return (
    <section className={styles.filters} aria-label={t.audit.filters}>
      <ChoiceField
        label={t.audit.person}
        value={search.actor ?? ANY}
        options={[{ id: ANY, label: t.audit.any }, ...[...subjects].map((id) => ({ id, label: getName(id) }))]}
        onChange={choose('actor')}
      />
      <ChoiceField
        label={t.audit.collection}
        value={search.collection ?? ANY}
        options={[
          { id: ANY, label: t.audit.any },
          ...[...collections.values()].map(({ key, label }) => ({ id: key, label })),
          { id: 'globals', label: t.shell.globals },
        ]}
        onChange={choose('collection')}
      />
      <ChoiceField
        label={t.audit.action}
        value={search.action ?? ANY}
        options={[
          { id: ANY, label: t.audit.any },
          ...Object.entries(t.overview.actions).map(([id, label]) => ({ id, label })),
        ]}
        onChange={choose('action')}
      />
      <DayField label={t.audit.from} value={search.from} onChange={(from) => change({ from })} />
      <DayField label={t.audit.until} value={search.until} onChange={(until) => change({ until })} />
      {hasFilter && <Button onPress={() => void navigate({ search: {}, replace: true })}>{t.audit.clear}</Button>}
    </section>
  )
}

interface DayFieldProps {
  readonly label: string
  readonly value: string | undefined
  readonly onChange: (value: string | undefined) => void
}

const DayField = ({ label, value, onChange }: DayFieldProps): ReactNode => (
  <TextField label={label} type="date" value={value ?? ''} onChange={(text) => onChange(text || undefined)} />
)

interface AuditRowProps {
  readonly record: JournalRecord
  readonly getName: GetName
  readonly onUndo: () => void
}

function AuditRow({ record, getName, onUndo }: AuditRowProps): ReactNode {
  const { t, formats } = useAdministrationTexts()
  const { collections, globals } = useModel()
  const { seq, at, actor, action, collection, id } = record
  const label = collection === 'globals' ? globals.get(id)?.label : collections.get(collection)?.label
  const name = t.overview.actions[action as keyof typeof t.overview.actions] ?? action
  const canUndo = action !== 'erase' && action !== 'scheduleFailed'
  return (
    <li className={styles.row}>
      <div className={styles.what}>
        <p>
          {name} ·{' '}
          {collection === 'globals' ? (
            <Link to="/g/$global" params={{ global: id }}>
              {label ?? id}
            </Link>
          ) : (
            <>
              {label ?? collection}{' '}
              <Link to="/c/$collection/$id/history" params={{ collection, id }} search={{}}>
                {t.audit.history(seq)}
              </Link>
            </>
          )}
        </p>
        <p className={styles.note}>
          {getName(actor)} ·{' '}
          <time dateTime={at} title={formats.moment(at)}>
            {formats.ago(at)}
          </time>
        </p>
      </div>
      {canUndo && (
        <Button onPress={onUndo} label={t.audit.undoOne(seq)}>
          {t.audit.undo}
        </Button>
      )}
    </li>
  )
}
