import { useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import { queryKeys } from '../../api/query-keys.ts'
import { useStudio } from '../../api/studio.ts'
import { useTexts } from '../../messages/messages.tsx'
import type { StudioCollection, StudioGlobal } from '../../model/studio-model.ts'
import { useEntryRights } from '../../model/use-entry-rights.ts'
import { useCollection, useGlobal } from '../../model/use-model.ts'
import { NotFoundPage, Page } from '../../shell/page.tsx'
import link from '../../ui/back-link.module.css'
import { Icon } from '../../ui/icon.tsx'
import { createEntryHistory, createGlobalHistory } from './history-calls.ts'
import { HistoryView, type HistoryViewProps } from './history-view.tsx'

const entryRoute = getRouteApi('/c/$collection/$id/history')
const globalRoute = getRouteApi('/g/$global/history')

export function EntryHistoryPage(): ReactNode {
  const { collection: key } = entryRoute.useParams()
  const collection = useCollection(key)
  return collection ? <EntryHistory collection={collection} /> : <NotFoundPage />
}

function EntryHistory({ collection }: { readonly collection: StudioCollection }): ReactNode {
  const { key, fields, statusField } = collection
  const { id } = entryRoute.useParams()
  const rights = useEntryRights(collection, id, null)
  const { version, against, locale = '' } = entryRoute.useSearch()
  const navigate = entryRoute.useNavigate()
  const { client } = useStudio()
  const { t } = useTexts()
  const calls = useMemo(() => createEntryHistory(client, key, id, locale), [client, key, id, locale])
  return (
    <DocumentHistory
      back={{ to: '/c/$collection/$id', params: { collection: key, id } }}
      backLabel={t.history.back}
      locale={locale}
      lists={queryKeys.lists(key)}
      name={['history', key, id, locale]}
      calls={calls}
      fields={fields}
      version={version}
      against={against}
      onShow={(shown) => void navigate({ search: (before) => ({ ...before, ...shown }), replace: true })}
      hasDrafts={statusField !== null}
      canRestore={rights.restore && !rights.isLoading}
    />
  )
}

export function GlobalHistoryPage(): ReactNode {
  const { global: key } = globalRoute.useParams()
  const global = useGlobal(key)
  return global ? <GlobalHistory global={global} /> : <NotFoundPage />
}

function GlobalHistory({ global }: { readonly global: StudioGlobal }): ReactNode {
  const { key, label, fields, permissions } = global
  const { version, against, locale = '' } = globalRoute.useSearch()
  const navigate = globalRoute.useNavigate()
  const { client } = useStudio()
  const calls = useMemo(() => createGlobalHistory(client, key, fields, locale), [client, key, fields, locale])
  return (
    <DocumentHistory
      back={{ to: '/g/$global', params: { global: key } }}
      backLabel={label}
      locale={locale}
      name={['history', 'globals', key, locale]}
      calls={calls}
      fields={fields}
      version={version}
      against={against}
      onShow={(shown) => void navigate({ search: (before) => ({ ...before, ...shown }), replace: true })}
      hasDrafts={false}
      canRestore={permissions.update !== false}
    />
  )
}

interface DocumentHistoryProps extends Omit<HistoryViewProps, 'onRestored'> {
  /** The link to the document's editor. */
  readonly back:
    | { readonly to: '/c/$collection/$id'; readonly params: { readonly collection: string; readonly id: string } }
    | { readonly to: '/g/$global'; readonly params: { readonly global: string } }
  readonly backLabel: string
  /** The language of the content; empty if it has only one. */
  readonly locale: string
  /** The query key of the lists that contain the document. @default none */
  readonly lists?: readonly unknown[]
}

function DocumentHistory({ back, backLabel, locale, lists, ...view }: DocumentHistoryProps): ReactNode {
  const { t } = useTexts()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const editorLink = { ...back, search: locale === '' ? {} : { locale } }
  const handleRestored = (): void => {
    if (lists) void queries.invalidateQueries({ queryKey: lists })
    void navigate(editorLink)
  }
  return (
    <Page
      title={t.history.title}
      isWide
      above={
        <Link {...editorLink} className={link.back}>
          <Icon name="back" />
          {backLabel}
        </Link>
      }
    >
      <HistoryView {...view} onRestored={handleRestored} />
    </Page>
  )
}
