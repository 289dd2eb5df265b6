import { useTexts } from '../messages/messages.tsx'
import { useSession } from './use-session.ts'

/** The subject of the token that the service itself is run with. */
const SERVICE = 'service'

/** Names people by their subjects, as far as this session may know. The service tells the names of others to administrators alone. */
export function usePersonName(): (subject: string | undefined) => string {
  const { identity } = useSession()
  const { t } = useTexts()
  return (subject) => {
    if (subject === undefined) return t.people.somebody
    if (subject === identity?.subject) return t.people.you
    return subject === SERVICE ? t.people.service : t.people.other(subject.slice(0, 6))
  }
}
