import type { Studio } from '../talk/studio.ts'

/** Ends the session, and forgets all that it could see. */
export async function signOut({ client, token, settings }: Studio): Promise<void> {
  // A pasted token has no session to end.
  if (token.get() === undefined) await client.auth.logout()
  token.set(undefined)
  location.assign(settings.path)
}
