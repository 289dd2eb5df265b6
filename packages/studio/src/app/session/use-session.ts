import type { Session } from '@daybook/client'
import { useSuspenseQuery } from '@tanstack/react-query'
import { queryKeys } from '../api/query-keys.ts'
import { useStudio } from '../api/studio.ts'

/** The interval of session checks, in milliseconds: requests for public content do not fail when the session has expired. */
const CHECK_MS = 5 * 60_000

/** Returns the session; suspends until it is loaded. */
export function useSession(): Session {
  const { client } = useStudio()
  const { data } = useSuspenseQuery({
    queryKey: queryKeys.session,
    queryFn: ({ signal }) => client.auth.session({ signal }),
    refetchInterval: CHECK_MS,
  })
  return data
}

/** Returns the name of the user, else the e-mail address, else the subject. */
export function getUserName({ principal, identity }: Session): string {
  const candidates = [principal?.name, principal?.email, identity?.subject]
  return candidates.find((name): name is string => typeof name === 'string' && name !== '') ?? ''
}
