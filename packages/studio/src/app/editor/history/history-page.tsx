import { useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import type { StudioCollection, StudioGlobal } from '../../model/studio-model.ts'
import { useCollection, useGlobal } from '../../model/use-model.ts'
import { MissingPage } from '../../shell/missing-page.tsx'
import { Page } from '../../shell/page.tsx'
import { keys } from '../../talk/keys.ts'
import { useStudio } from '../../talk/studio.ts'
import link from '../../ui/back.module.css'
import { Icon } from '../../ui/icon.tsx'
import { entryHistory, globalHistory } from './history-calls.ts'
import { HistoryView } from './history-view.tsx'

const entryRoute = getRouteApi('/c/$collection/$id/history')
const globalRoute = getRouteApi('/g/$global/history')

/** The history of an entry: `/c/:collection/:id/history`. */
export function EntryHistoryPage(): ReactNode {
  const { collection: key } = entryRoute.useParams()
  const collection = useCollection(key)
  return collection ? <EntryHistory collection={collection} /> : <MissingPage />
}

function EntryHistory({ collection }: { readonly collection: StudioCollection }): ReactNode {
  const { key, fields, permissions, statusField } = collection
  const { id } = entryRoute.useParams()
  const { version, locale = '' } = entryRoute.useSearch()
  const navigate = entryRoute.useNavigate()
  const queries = useQueryClient()
  const { client } = useStudio()
  const { t } = useTexts()
  const calls = useMemo(() => entryHistory(client, key, id, locale), [client, key, id, locale])
  const back = {
    to: '/c/$collection/$id',
    params: { collection: key, id },
    search: locale === '' ? {} : { locale },
  } as const
  const restored = (): void => {
    void queries.invalidateQueries({ queryKey: keys.lists(key) })
    void navigate(back)
  }
  return (
    <Page
      title={t.history.title}
      isWide
      above={
        <Link {...back} className={link.back}>
          <Icon name="back" />
          {t.history.back}
        </Link>
      }
    >
      <HistoryView
        name={['history', key, id, locale]}
        calls={calls}
        fields={fields}
        version={version}
        onShow={(revision) => void navigate({ search: (before) => ({ ...before, version: revision }), replace: true })}
        hasDrafts={statusField !== null}
        mayRestore={permissions.update !== false}
        onRestored={restored}
      />
    </Page>
  )
}

/** The history of a global: `/g/:global/history`. */
export function GlobalHistoryPage(): ReactNode {
  const { global: key } = globalRoute.useParams()
  const global = useGlobal(key)
  return global ? <GlobalHistory global={global} /> : <MissingPage />
}

function GlobalHistory({ global }: { readonly global: StudioGlobal }): ReactNode {
  const { key, label, fields, permissions } = global
  const { version, locale = '' } = globalRoute.useSearch()
  const navigate = globalRoute.useNavigate()
  const { client } = useStudio()
  const { t } = useTexts()
  const calls = useMemo(() => globalHistory(client, key, fields, locale), [client, key, fields, locale])
  const back = { to: '/g/$global', params: { global: key }, search: locale === '' ? {} : { locale } } as const
  return (
    <Page
      title={t.history.title}
      isWide
      above={
        <Link {...back} className={link.back}>
          <Icon name="back" />
          {label}
        </Link>
      }
    >
      <HistoryView
        name={['history', 'globals', key, locale]}
        calls={calls}
        fields={fields}
        version={version}
        onShow={(revision) => void navigate({ search: (before) => ({ ...before, version: revision }), replace: true })}
        hasDrafts={false}
        mayRestore={permissions.update !== false}
        onRestored={() => void navigate(back)}
      />
    </Page>
  )
}
