import { DaybookError, type JournalRecord } from '@daybook/client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useSession } from '../session/use-session.ts'
import { useStudio } from '../talk/studio.ts'
import { type JournalTail, readOn, readTail } from './journal-tail.ts'

const JOURNAL = ['journal']

/** How many of the newest changes are looked at: of everybody, and of the person alone. */
const RECENT = 500
const OWN_RECENT = 10_000

/** The newest changes as far as the session may read them; `undefined`: not known yet. */
export function useJournal(whose: 'all' | 'own'): {
  readonly records: readonly JournalRecord[] | undefined
  readonly error: unknown
} {
  const { client, changes } = useStudio()
  const { identity } = useSession()
  const queries = useQueryClient()
  const actor = whose === 'own' ? identity?.subject : undefined
  const queryKey = [...JOURNAL, actor ?? '']
  const { data, error } = useQuery({
    queryKey,
    queryFn: ({ signal }) => {
      const read = (query: { readonly since: number; readonly limit: number }) =>
        client.journal({ ...query, ...(actor === undefined ? {} : { actor }), signal })
      const before = queries.getQueryData<JournalTail>(queryKey)
      return before ? readOn(read, before, floorOf) : readTail(read, actor === undefined ? RECENT : OWN_RECENT, floorOf)
    },
    staleTime: 0,
  })
  useEffect(
    // What is asked already is not asked anew with each of many changes.
    () => changes.subscribe(() => void queries.invalidateQueries({ queryKey: JOURNAL }, { cancelRefetch: false })),
    [changes, queries],
  )
  return { records: data?.records, error }
}

const floorOf = (error: unknown): number | undefined => {
  const floor = error instanceof DaybookError && error.code === 'GONE' ? error.details.restart : undefined
  return typeof floor === 'number' ? floor : undefined
}
