import { type ReactNode, useEffect, useState } from 'react'
import { useStudio } from '../api/studio.ts'
import { useTexts } from '../messages/messages.tsx'
import { useActorName } from '../session/use-actor-name.ts'
import { useSession } from '../session/use-session.ts'
import type { DocumentEditor } from './saving/document-editor.ts'
import { Banner } from './status/saving-notice.tsx'

/** Says who else has a document open. */
export function PresenceBanner({ subjects }: { readonly subjects: readonly string[] }): ReactNode {
  const { t } = useTexts()
  const personName = useActorName(subjects)
  return (
    <div role="status">
      {subjects.length > 0 && <Banner tone="told" text={t.people.present(subjects.map(personName).join(', '))} />}
    </div>
  )
}

/** How often this page says that it is there, in milliseconds; the service forgets those who were silent for 30 seconds. */
const BEAT_MS = 12_000

interface PresenceCalls {
  enter(id: string): Promise<readonly { readonly subject: string }[]>
  leave(id: string): Promise<void>
}

/**
 * Says that this person has an entry open, and hears who else has. While somebody has, the entry is read again at each beat: nobody is told of
 * working copies that others save.
 *
 * @returns the subjects of the others
 */
export function usePresence(editor: DocumentEditor, collection: string, id: string | null): readonly string[] {
  const { clientWithoutRenewal: ownClient } = useStudio()
  const { identity } = useSession()
  const [others, setOthers] = useState<readonly string[]>([])
  const own = identity?.subject
  useEffect(() => {
    if (id === null) return undefined
    const calls = ownClient.collections[collection] as unknown as PresenceCalls
    let isEnded = false
    const beat = async (): Promise<void> => {
      if (document.visibilityState === 'hidden') return
      const present = await calls.enter(id)
      if (isEnded) return
      const found = present.map(({ subject }) => subject).filter((subject) => subject !== own)
      setOthers((before) => (before.join() === found.join() ? before : found))
      if (found.length > 0) await editor.refresh()
    }
    // What says who is there is no reason to disturb anybody when it fails.
    const tryBeat = (): void => void beat().catch(() => undefined)
    tryBeat()
    const timer = setInterval(tryBeat, BEAT_MS)
    return () => {
      isEnded = true
      clearInterval(timer)
      calls.leave(id).catch(() => undefined)
    }
  }, [editor, ownClient, collection, id, own])
  return others
}
