import type { ListedDraft, ListedSchedule } from '@daybook/client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { DaybookConfig } from 'daybook'
import { useEffect } from 'react'
import { useSession } from '../session/use-session.ts'
import { useStudio } from '../talk/studio.ts'

const DRAFTS = 'drafts'
const SCHEDULES = 'schedules'
const NOTHING: readonly never[] = []

/** The entries whose working copies the person saved last. */
export function useOwnDrafts(limit: number): readonly ListedDraft<DaybookConfig>[] {
  const { client } = useStudio()
  const { identity } = useSession()
  const actor = identity?.subject ?? ''
  useAskedAnew(DRAFTS)
  const { data } = useQuery({
    queryKey: [DRAFTS, actor],
    queryFn: ({ signal }) => client.drafts({ actor, limit, signal }),
    staleTime: 0,
  })
  return data?.items ?? NOTHING
}

/** What is to be published or unpublished, the soonest first. */
export function useSchedules(limit: number): readonly ListedSchedule<DaybookConfig>[] {
  const { client } = useStudio()
  useAskedAnew(SCHEDULES)
  const { data } = useQuery({
    queryKey: [SCHEDULES],
    queryFn: ({ signal }) => client.schedules({ limit, signal }),
    staleTime: 0,
  })
  return data?.items ?? NOTHING
}

/** Asks anew when something changes; what is asked already is not asked anew with each of many changes. */
function useAskedAnew(name: string): void {
  const { changes } = useStudio()
  const queries = useQueryClient()
  useEffect(
    () => changes.subscribe(() => void queries.invalidateQueries({ queryKey: [name] }, { cancelRefetch: false })),
    [changes, queries, name],
  )
}
