import { useQueries } from '@tanstack/react-query'
import { useTexts } from '../messages/messages.tsx'
import { keys } from '../talk/keys.ts'
import { namesOf } from '../talk/name-loader.ts'
import { useStudio } from '../talk/studio.ts'
import { useSession } from './use-session.ts'

/** The subjects of what is no person: the token that a service is run with, and the service itself. */
const PROGRAMS: readonly string[] = ['service', 'system']
/** How long a name counts as new, in milliseconds: people seldom change theirs. */
const NAME_FRESH_MS = 10 * 60_000

/** Where people are named. */
export interface NamedWhere {
  /** Whether what this person did was done in another tab. @default false */
  readonly isElsewhere?: boolean
}

/**
 * Names people by their subjects: by what their accounts are called, where the service knows that. All subjects that a page shows take one
 * request.
 */
export function usePersonName(
  subjects: readonly (string | undefined)[],
  { isElsewhere = false }: NamedWhere = {},
): (subject: string | undefined) => string {
  const { ownClient } = useStudio()
  const { identity } = useSession()
  const { t } = useTexts()
  const own = identity?.subject
  const asked = [...new Set(subjects)].filter(
    (one): one is string => one !== undefined && one !== own && !PROGRAMS.includes(one),
  )
  const answers = useQueries({
    queries: asked.map((subject) => ({
      queryKey: keys.person(subject),
      queryFn: () => namesOf(ownClient).load(subject),
      staleTime: NAME_FRESH_MS,
    })),
  })
  return (subject) => {
    if (subject === undefined) return t.people.somebody
    if (subject === own) return isElsewhere ? t.people.youElsewhere : t.people.you
    if (PROGRAMS.includes(subject)) return t.people.service
    const answer = answers[asked.indexOf(subject)]
    return answer?.isPending ? '…' : (answer?.data ?? t.people.other(subject.slice(0, 6)))
  }
}
