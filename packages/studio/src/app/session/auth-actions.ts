import type { AuthActionDescription } from '@daybook/client'
import { useSuspenseQuery } from '@tanstack/react-query'
import { queryKeys } from '../api/query-keys.ts'
import { useStudio } from '../api/studio.ts'

/** The actions of the service, by name. */
export type AuthActions = Readonly<Record<string, AuthActionDescription>>

/** What the auth adapter of the service can do. */
export function useAuthActions(): AuthActions {
  const { client } = useStudio()
  const { data } = useSuspenseQuery({
    queryKey: queryKeys.actions,
    queryFn: ({ signal }) => client.auth.actions({ signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return data
}

/** Whether an account is made by an invitation. */
export const acceptsInvitation = (input: AuthActionDescription['input']): boolean =>
  Object.hasOwn((input?.properties as object | undefined) ?? {}, 'invitation')

/** Whether people register with invitations. */
export const useAcceptsInvitations = (): boolean => acceptsInvitation(useAuthActions().register?.input)

/** An invitation, as its link has it. */
export interface InvitationFromLink {
  readonly email: string
  readonly invitation: string
}

/**
 * The link that somebody makes an account by. Its secret stands behind `#`, which browsers send to no server.
 *
 * @param path where the Studio is
 */
export const makeInvitationLink = (
  path: string,
  { email, secret }: { readonly email: string; readonly secret: string },
): string => `${location.origin}${path}#${new URLSearchParams({ email, invitation: secret })}`

/** Reads what {@link makeInvitationLink} wrote; `undefined`: the address has no invitation. */
export function readInvitation(hash: string): InvitationFromLink | undefined {
  const said = new URLSearchParams(hash.replace(/^#/, ''))
  const [email, invitation] = [said.get('email'), said.get('invitation')]
  return email === null || invitation === null ? undefined : { email, invitation }
}
