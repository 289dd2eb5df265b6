import { useTexts } from '../messages/messages.tsx'
import { usePersonName } from '../session/use-person-name.ts'
import { useSession } from '../session/use-session.ts'

/** The subject of changes that the service made by itself, such as those of its first start. */
const SYSTEM = 'system'

/** Names who made changes; of one's own changes, it does not matter from which tab they came. */
export function useActorName(subjects: readonly (string | undefined)[]): (subject: string) => string {
  const { identity } = useSession()
  const { t } = useTexts()
  const personName = usePersonName(subjects)
  return (subject) => {
    if (subject === identity?.subject) return t.people.you
    return subject === SYSTEM ? t.people.service : personName(subject)
  }
}
