import { DaybookError } from '@daybook/client'
import { useEffect } from 'react'
import type { StudioClient } from '../../api/client.ts'
import { type Studio, useStudio } from '../../api/studio.ts'
import { useSession } from '../../session/use-session.ts'
import type { DocumentEditor } from '../saving/document-editor.ts'

/** Asks the user to sign in again. @returns the subject of the new session, or `undefined` if the user declines */
async function requestSession({ renewal, clientWithoutRenewal }: Studio): Promise<string | undefined> {
  if (!(await renewal.request())) return undefined
  return (await clientWithoutRenewal.auth.session()).identity?.subject
}

/** Asks the user to sign in again, and resumes saving if it is the same user. */
export async function renewSession(studio: Studio, editor: DocumentEditor): Promise<void> {
  const subject = await requestSession(studio)
  if (subject !== undefined) await editor.signedIn(subject)
}

/** Calls the service in the name of one user. If the session has expired, it repeats the call once the same user has signed in again. */
export async function callAs<T>(
  studio: Studio,
  person: string,
  call: (client: StudioClient) => Promise<T>,
): Promise<T> {
  try {
    return await call(studio.clientWithoutRenewal)
  } catch (error) {
    const isExpired = error instanceof DaybookError && error.status === 401
    if (!isExpired || (await requestSession(studio)) !== person) throw error
    return call(studio.clientWithoutRenewal)
  }
}

/** Informs an editor about the session, and asks once for a new one when it expires. The saving status has a button to ask again. */
export function useSessionRenewal(editor: DocumentEditor | undefined): void {
  const studio = useStudio()
  const { identity } = useSession()
  const subject = identity?.subject
  useEffect(() => {
    if (subject !== undefined) void editor?.signedIn(subject)
  }, [editor, subject])
  useEffect(() => {
    if (!editor) return undefined
    const { isPending } = studio.renewal
    let wasSignedOut = false
    const unsubscribe = editor.subscribe(() => {
      const isSignedOut = editor.getState().status.kind === 'signed-out'
      if (isSignedOut && !wasSignedOut) renewSession(studio, editor).catch(() => undefined)
      wasSignedOut = isSignedOut
    })
    // Another request may notice the expired session first; the next user is not known yet.
    const unsubscribePending = isPending.subscribe(() => isPending.get() && editor.signedOut())
    return () => {
      unsubscribe()
      unsubscribePending()
    }
  }, [editor, studio])
}
