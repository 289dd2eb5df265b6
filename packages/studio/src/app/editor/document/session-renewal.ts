import { DaybookError } from '@daybook/client'
import { useEffect } from 'react'
import type { StudioClient } from '../../api/client.ts'
import { type Studio, useStudio } from '../../api/studio.ts'
import { useSession } from '../../session/use-session.ts'
import type { DocumentEditor } from '../saving/document-editor.ts'

/** Asks for a new session over the page. @returns the subject of the person who signed in; `undefined`: nobody has */
async function askForSession({ renewal, clientWithoutRenewal: ownClient }: Studio): Promise<string | undefined> {
  if (!(await renewal.request())) return undefined
  return (await ownClient.auth.session()).identity?.subject
}

/** Asks for a new session, and goes on with it if the same person has signed in. */
export async function renewSession(studio: Studio, editor: DocumentEditor): Promise<void> {
  const subject = await askForSession(studio)
  if (subject !== undefined) await editor.signedIn(subject)
}

/** Calls the service in the name of one person; where the session has ended, again in that person's next one. */
export async function callAs<T>(
  studio: Studio,
  person: string,
  call: (client: StudioClient) => Promise<T>,
): Promise<T> {
  try {
    return await call(studio.clientWithoutRenewal)
  } catch (error) {
    const isOver = error instanceof DaybookError && error.status === 401
    if (!isOver || (await askForSession(studio)) !== person) throw error
    return call(studio.clientWithoutRenewal)
  }
}

/**
 * Tells an editor who is signed in, whatever on the page has noticed it, and asks for a new session once when one has ended; the state of saving
 * has a button to ask again.
 */
export function useSessionRenewal(editor: DocumentEditor | undefined): void {
  const studio = useStudio()
  const { identity } = useSession()
  const subject = identity?.subject
  useEffect(() => {
    if (subject !== undefined) void editor?.signedIn(subject)
  }, [editor, subject])
  useEffect(() => {
    if (!editor) return undefined
    const { isPending: isAsked } = studio.renewal
    let wasSignedOut = false
    const unsubscribe = editor.subscribe(() => {
      const isSignedOut = editor.getState().status.kind === 'signed-out'
      if (isSignedOut && !wasSignedOut) renewSession(studio, editor).catch(() => undefined)
      wasSignedOut = isSignedOut
    })
    // Another call may hear of it first: who signs in then is not known yet.
    const unsubscribeAsked = isAsked.subscribe(() => isAsked.get() && editor.signedOut())
    return () => {
      unsubscribe()
      unsubscribeAsked()
    }
  }, [editor, studio])
}
