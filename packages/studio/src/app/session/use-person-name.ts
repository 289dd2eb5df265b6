import { useQueries } from '@tanstack/react-query'
import type { Messages } from '../messages/en.ts'
import { useTexts } from '../messages/messages.tsx'
import { keys } from '../talk/keys.ts'
import { namesOf } from '../talk/name-loader.ts'
import { useStudio } from '../talk/studio.ts'
import { useSession } from './use-session.ts'

/** The format of the subjects of tokens, whose names the service knows until they are revoked. */
const TOKEN = /^[0-9a-f]{12}$/

/** Names what is no person and has no account or token; `undefined` for other subjects. */
function programName(subject: string, { people }: Messages): string | undefined {
  if (subject === 'service' || subject === 'system') return people.service
  if (subject === 'migrate') return people.migrations
  if (subject.startsWith('config (')) return people.config
  const [, kind, name = ''] = /^(migration|plugin):([^ ]+)/.exec(subject) ?? []
  if (kind === 'migration') return people.migration(name)
  return kind === 'plugin' ? people.plugin(name) : undefined
}

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
    (one): one is string => one !== undefined && one !== own && programName(one, t) === undefined,
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
    const program = programName(subject, t)
    if (program !== undefined) return program
    const answer = answers[asked.indexOf(subject)]
    if (answer?.isPending) return '…'
    return answer?.data ?? (TOKEN.test(subject) ? t.people.token : t.people.other(subject.slice(0, 6)))
  }
}
