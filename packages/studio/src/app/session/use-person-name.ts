import { useTexts } from '../messages/messages.tsx'
import { useSession } from './use-session.ts'

/** The subjects of what is no person: the token that a service is run with, and the service itself. */
const PROGRAMS: readonly string[] = ['service', 'system']

/**
 * Names people by their subjects, as far as this session may know: the service tells nobody's name but one's own.
 *
 * @param isElsewhere whether what this person did was done in another tab
 */
export function usePersonName(isElsewhere = false): (subject: string | undefined) => string {
  const { identity } = useSession()
  const { t } = useTexts()
  return (subject) => {
    if (subject === undefined) return t.people.somebody
    if (subject === identity?.subject) return isElsewhere ? t.people.youElsewhere : t.people.you
    return PROGRAMS.includes(subject) ? t.people.service : t.people.other(subject.slice(0, 6))
  }
}
