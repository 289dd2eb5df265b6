/** An invitation, as its link has it. */
export interface InvitationInLink {
  readonly email: string
  readonly invitation: string
}

/**
 * The link that somebody makes an account by. Its secret stands behind `#`, which browsers send to no server.
 *
 * @param path where the Studio is
 */
export const invitationLink = (
  path: string,
  { email, secret }: { readonly email: string; readonly secret: string },
): string => `${location.origin}${path}#${new URLSearchParams({ email, invitation: secret })}`

/** Reads what {@link invitationLink} wrote; `undefined`: the address has no invitation. */
export function readInvitation(hash: string): InvitationInLink | undefined {
  const said = new URLSearchParams(hash.replace(/^#/, ''))
  const [email, invitation] = [said.get('email'), said.get('invitation')]
  return email === null || invitation === null ? undefined : { email, invitation }
}
