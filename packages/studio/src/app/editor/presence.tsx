import { type ReactNode, useEffect, useState } from 'react'
import { useStudio } from '../api/studio.ts'
import { useTexts } from '../messages/messages.tsx'
import { useActorName } from '../session/use-actor-name.ts'
import { useSession } from '../session/use-session.ts'
import type { DocumentEditor } from './saving/document-editor.ts'
import { Banner } from './saving-status.tsx'

/** Names the other users who have a document open. */
export function PresenceBanner({ subjects }: { readonly subjects: readonly string[] }): ReactNode {
  const { t } = useTexts()
  const getActorName = useActorName(subjects)
  return (
    <div role="status">
      {subjects.length > 0 && <Banner tone="info" text={t.people.present(subjects.map(getActorName).join(', '))} />}
    </div>
  )
}

/** The interval of presence signals, in milliseconds. The service drops users after 30 seconds of silence. */
const BEAT_MS = 12_000

interface PresenceCalls {
  enter(id: string): Promise<readonly { readonly subject: string }[]>
  leave(id: string): Promise<void>
}

/**
 * Signals that the user has an entry open, and loads who else has. While others do, it also refreshes the entry, since live events do not
 * report saved drafts.
 *
 * @returns the subjects of the other users
 */
export function usePresence(editor: DocumentEditor, collection: string, id: string | null): readonly string[] {
  const { clientWithoutRenewal } = useStudio()
  const { identity } = useSession()
  const [presentSubjects, setPresentSubjects] = useState<readonly string[]>([])
  const ownSubject = identity?.subject
  useEffect(() => {
    if (id === null) return undefined
    const calls = clientWithoutRenewal.collections[collection] as unknown as PresenceCalls
    let isEnded = false
    const beat = async (): Promise<void> => {
      if (document.visibilityState === 'hidden') return
      const sessions = await calls.enter(id)
      if (isEnded) return
      const subjects = sessions.map(({ subject }) => subject).filter((subject) => subject !== ownSubject)
      setPresentSubjects((before) => (before.join() === subjects.join() ? before : subjects))
      if (subjects.length > 0) await editor.refresh()
    }
    // Presence is optional, so failures are ignored.
    const tryBeat = (): void => void beat().catch(() => undefined)
    tryBeat()
    const timer = setInterval(tryBeat, BEAT_MS)
    return () => {
      isEnded = true
      clearInterval(timer)
      calls.leave(id).catch(() => undefined)
    }
  }, [editor, clientWithoutRenewal, collection, id, ownSubject])
  return presentSubjects
}
