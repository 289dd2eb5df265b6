import { DaybookError, type JournalRecord } from '@daybook/client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useStudio } from '../talk/studio.ts'
import { type JournalTail, readOn, readTail } from './journal-tail.ts'

const JOURNAL = ['journal']

/** How many of the newest changes are looked at. */
const RECENT = 500

/** The newest changes as far as the session may read them; `undefined`: not known yet. */
export function useJournal(): {
  readonly records: readonly JournalRecord[] | undefined
  readonly error: unknown
} {
  const { client, changes } = useStudio()
  const queries = useQueryClient()
  const { data, error } = useQuery({
    queryKey: JOURNAL,
    queryFn: ({ signal }) => {
      const read = (query: { readonly since: number; readonly limit: number }) => client.journal({ ...query, signal })
      const before = queries.getQueryData<JournalTail>(JOURNAL)
      return before ? readOn(read, before, floorOf) : readTail(read, RECENT, floorOf)
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
