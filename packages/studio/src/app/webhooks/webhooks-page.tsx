import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { FailedDelivery } from 'daybook'
import type { ReactNode } from 'react'
import { getErrorText } from '../api/error-texts.ts'
import { useStudio } from '../api/studio.ts'
import { useAdministrationTexts } from '../messages/messages.tsx'
import { toLabel } from '../model/studio-model.ts'
import { ErrorNotice, Page } from '../shell/page.tsx'
import { Button } from '../ui/controls/button.tsx'
import { LoadingPlaceholder } from '../ui/loading-placeholder.tsx'
import { Notice } from '../ui/notice.tsx'
import { useToast } from '../ui/overlays/toasts.tsx'
import styles from './webhooks.module.css'

/** An endpoint and its progress in the journal. */
interface Endpoint {
  readonly name: string
  readonly origin: string
  readonly seq: number
  readonly head: number
  readonly pending: number
  readonly parked: number
}

const PATH = ['api', 'cms', 'webhooks'] as const
const WEBHOOKS = ['webhooks']
/** The refresh interval, in milliseconds. */
const REFRESH_MS = 10_000

export function WebhooksPage(): ReactNode {
  const { client } = useStudio()
  const { t } = useAdministrationTexts()
  const list = useQuery({
    queryKey: WEBHOOKS,
    queryFn: ({ signal }) => client.request<{ readonly items: readonly Endpoint[] }>({ path: PATH, signal }),
    refetchInterval: REFRESH_MS,
  })
  const items = list.data?.items
  return (
    <Page title={t.overview.webhooks}>
      {list.isPending && <LoadingPlaceholder label={t.common.loading} />}
      {list.error && !items && <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />}
      {items?.length === 0 && <Notice title={t.webhooks.none} text={t.webhooks.noneText} />}
      {items?.map((endpoint) => (
        <EndpointSection key={endpoint.name} endpoint={endpoint} />
      ))}
    </Page>
  )
}

function EndpointSection({ endpoint }: { readonly endpoint: Endpoint }): ReactNode {
  const { t } = useAdministrationTexts()
  const { name, origin, seq, head, pending, parked } = endpoint
  const replay = useReplay(name)
  return (
    <section className={styles.endpoint} aria-label={name}>
      <div className={styles.head}>
        <div>
          <h2>{name}</h2>
          <p className={styles.note}>{origin}</p>
        </div>
        {parked > 0 && (
          <Button icon="retry" onPress={() => replay.mutate({ parked: true })} isPending={replay.isPending}>
            {t.webhooks.replayParked}
          </Button>
        )}
      </div>
      <p>{t.webhooks.state(Math.max(0, head - seq), pending, parked)}</p>
      {(['parked', 'pending'] as const).map(
        (state) => endpoint[state] > 0 && <Deliveries key={state} name={name} state={state} count={endpoint[state]} />,
      )}
    </section>
  )
}

function useReplay(name: string) {
  const { client } = useStudio()
  const { t } = useAdministrationTexts()
  const queries = useQueryClient()
  const toast = useToast()
  return useMutation({
    mutationFn: (body: { readonly parked: true } | { readonly seq: number }) =>
      client.request({ method: 'POST', path: [...PATH, name, 'replay'], body }),
    onSuccess: () => toast({ text: t.webhooks.replayed }),
    onError: (error) => toast({ kind: 'failed', text: getErrorText(error, t) }),
    onSettled: () => void queries.invalidateQueries({ queryKey: WEBHOOKS }),
  })
}

interface DeliveriesProps {
  readonly name: string
  readonly state: 'parked' | 'pending'
  readonly count: number
}

function Deliveries({ name, state, count }: DeliveriesProps): ReactNode {
  const { client } = useStudio()
  const { t, formats } = useAdministrationTexts()
  const replay = useReplay(name)
  const { data } = useQuery({
    queryKey: [...WEBHOOKS, name, state, count],
    queryFn: ({ signal }) =>
      client.request<{ readonly items: readonly FailedDelivery[] }>({
        path: [...PATH, name, 'deliveries'],
        query: { state },
        signal,
      }),
    placeholderData: (previous) => previous,
  })
  return (
    <div className={styles.deliveries}>
      <h3>{t.webhooks.states[state]}</h3>
      <ul>
        {data?.items.map(({ seq, action, collection, attempts, failedAt, dueAt, reason }) => (
          <li key={seq} className={styles.row}>
            <div className={styles.what}>
              <p>
                {t.overview.actions[action as keyof typeof t.overview.actions] ?? action}: {toLabel(collection)} · {seq}
              </p>
              <p className={styles.note}>
                {[
                  t.webhooks.attempts(attempts),
                  failedAt !== null && t.webhooks.failed(formats.moment(failedAt)),
                  state === 'pending' && dueAt !== null && t.webhooks.due(formats.moment(dueAt)),
                  reason,
                ]
                  .filter(Boolean)
                  .join(' · ')}
              </p>
            </div>
            <Button
              onPress={() => replay.mutate({ seq })}
              isPending={replay.isPending}
              label={t.webhooks.replayOne(seq)}
            >
              {t.webhooks.replay}
            </Button>
          </li>
        ))}
      </ul>
    </div>
  )
}
