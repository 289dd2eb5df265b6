import type { AuthActionDescription } from '@daybook/client'
import { useSuspenseQuery } from '@tanstack/react-query'
import { keys } from '../talk/keys.ts'
import { useStudio } from '../talk/studio.ts'

/** The actions of the service, by name. */
export type Actions = Readonly<Record<string, AuthActionDescription>>

/** What the auth adapter of the service can do. */
export function useActions(): Actions {
  const { client } = useStudio()
  const { data } = useSuspenseQuery({
    queryKey: keys.actions,
    queryFn: ({ signal }) => client.auth.actions({ signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return data
}

/** Whether an account is made by an invitation. */
export const takesInvitation = (input: AuthActionDescription['input']): boolean =>
  Object.hasOwn((input?.properties as object | undefined) ?? {}, 'invitation')

/** Whether people register with invitations. */
export const useTakesInvitations = (): boolean => takesInvitation(useActions().register?.input)
