import type { ListedDraft, ListedSchedule } from '@daybook/client'
import { type QueryKey, useQuery, useQueryClient } from '@tanstack/react-query'
import type { DaybookConfig } from 'daybook'
import { useEffect } from 'react'
import { useSession } from '../session/use-session.ts'
import { useStudio } from '../talk/studio.ts'

const NOTHING: readonly never[] = []

/** The entries whose working copies the person saved last. */
export function useOwnDrafts(limit: number): readonly ListedDraft<DaybookConfig>[] {
  const { client } = useStudio()
  const { identity } = useSession()
  const actor = identity?.subject ?? ''
  const queryKey = ['drafts', actor]
  useAskedAnew(queryKey)
  const { data } = useQuery({
    queryKey,
    queryFn: ({ signal }) => client.drafts({ actor, limit, signal }),
    staleTime: 0,
  })
  return data?.items ?? NOTHING
}

/** What is to be published or unpublished, the soonest first. */
export function useSchedules(limit: number): readonly ListedSchedule<DaybookConfig>[] {
  const { client } = useStudio()
  const queryKey = ['schedules']
  useAskedAnew(queryKey)
  const { data } = useQuery({ queryKey, queryFn: ({ signal }) => client.schedules({ limit, signal }), staleTime: 0 })
  return data?.items ?? NOTHING
}

/** Asks anew when something changes; what is asked already is not asked anew with each of many changes. */
function useAskedAnew(queryKey: QueryKey): void {
  const { changes } = useStudio()
  const queries = useQueryClient()
  const name = queryKey.join(' ')
  useEffect(
    () =>
      changes.subscribe(() => void queries.invalidateQueries({ queryKey: name.split(' ') }, { cancelRefetch: false })),
    [changes, queries, name],
  )
}
