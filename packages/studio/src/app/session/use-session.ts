import type { Session } from '@daybook/client'
import { useSuspenseQuery } from '@tanstack/react-query'
import { queryKeys } from '../api/query-keys.ts'
import { useStudio } from '../api/studio.ts'

/** How often it is asked whether the session still holds, in milliseconds: public reads alone would not tell. */
const ASK_MS = 5 * 60_000

/** The session; what draws it waits for the first answer. */
export function useSession(): Session {
  const { client } = useStudio()
  const { data } = useSuspenseQuery({
    queryKey: queryKeys.session,
    queryFn: ({ signal }) => client.auth.session({ signal }),
    refetchInterval: ASK_MS,
  })
  return data
}

/** What the person is called: by name, by address, or by what the provider knows. */
export function getUserName({ principal, identity }: Session): string {
  const named = [principal?.name, principal?.email, identity?.subject]
  return named.find((one): one is string => typeof one === 'string' && one !== '') ?? ''
}
