import type { AuthActionDescription } from '@daybook/client'
import { useSuspenseQuery } from '@tanstack/react-query'
import { queryKeys } from '../api/query-keys.ts'
import { useStudio } from '../api/studio.ts'

export type AuthActions = Readonly<Record<string, AuthActionDescription>>

export function useAuthActions(): AuthActions {
  const { client } = useStudio()
  const { data } = useSuspenseQuery({
    queryKey: queryKeys.actions,
    queryFn: ({ signal }) => client.auth.actions({ signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return data
}

export const acceptsInvitation = (input: AuthActionDescription['input']): boolean =>
  Object.hasOwn((input?.properties as object | undefined) ?? {}, 'invitation')

/** True if people register with invitations. */
export const useAcceptsInvitations = (): boolean => acceptsInvitation(useAuthActions().register?.input)

export interface InvitationFromLink {
  readonly email: string
  readonly invitation: string
}

/**
 * Makes the link with which an invited person creates an account. The secret follows `#`, which browsers send to no server.
 *
 * @param path the path of the Studio
 */
export const makeInvitationLink = (
  path: string,
  { email, secret }: { readonly email: string; readonly secret: string },
): string => `${location.origin}${path}#${new URLSearchParams({ email, invitation: secret })}`

/** Reads the secret that creates the first account from the hash of the link that the start prints; `undefined` if it has none. */
export const readSetupSecret = (hash: string): string | undefined =>
  new URLSearchParams(hash.replace(/^#/, '')).get('setup') ?? undefined

/** Reads the invitation from the hash of a link; `undefined` if it has none. */
export function readInvitation(hash: string): InvitationFromLink | undefined {
  const params = new URLSearchParams(hash.replace(/^#/, ''))
  const [email, invitation] = [params.get('email'), params.get('invitation')]
  return email === null || invitation === null ? undefined : { email, invitation }
}
