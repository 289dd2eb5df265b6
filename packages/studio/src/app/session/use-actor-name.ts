import { useQueries } from '@tanstack/react-query'
import { getActorNameLoader } from '../api/actor-name-loader.ts'
import { queryKeys } from '../api/query-keys.ts'
import { useStudio } from '../api/studio.ts'
import type { Messages } from '../messages/en.ts'
import { useTexts } from '../messages/messages.tsx'
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
export interface ActorNameOptions {
  /** Whether what this person did was done in another tab. @default false */
  readonly isOtherTab?: boolean
}

/**
 * Names people by their subjects: by what their accounts are called, where the service knows that. All subjects that a page shows take one
 * request.
 */
export function useActorName(
  subjects: readonly (string | undefined)[],
  { isOtherTab: isElsewhere = false }: ActorNameOptions = {},
): (subject: string | undefined) => string {
  const { clientWithoutRenewal: ownClient } = useStudio()
  const { identity } = useSession()
  const { t } = useTexts()
  const own = identity?.subject
  const asked = [...new Set(subjects)].filter(
    (one): one is string => one !== undefined && one !== own && programName(one, t) === undefined,
  )
  const answers = useQueries({
    queries: asked.map((subject) => ({
      queryKey: queryKeys.person(subject),
      queryFn: () => getActorNameLoader(ownClient).load(subject),
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
