import { useQueries } from '@tanstack/react-query'
import { getActorNameLoader } from '../api/actor-name-loader.ts'
import { queryKeys } from '../api/query-keys.ts'
import { useStudio } from '../api/studio.ts'
import type { Messages } from '../messages/en.ts'
import { useTexts } from '../messages/messages.tsx'
import { useSession } from './use-session.ts'

/** The format of token subjects; a token has a name until it is revoked. */
const TOKEN = /^[0-9a-f]{12}$/

/** Returns the name of an actor without an account or token, such as a plugin; `undefined` for other subjects. */
function getProgramName(subject: string, { people }: Messages): string | undefined {
  if (subject === 'service' || subject === 'system') return people.service
  if (subject === 'migrate') return people.migrations
  if (subject.startsWith('config (')) return people.config
  const [, kind, name = ''] = /^(migration|plugin):([^ ]+)/.exec(subject) ?? []
  if (kind === 'migration') return people.migration(name)
  return kind === 'plugin' ? people.plugin(name) : undefined
}

/** The time in which a name counts as fresh, in milliseconds: names seldom change. */
const NAME_FRESH_MS = 10 * 60_000

export interface ActorNameOptions {
  /** True if the user's own actions happened in another tab. @default false */
  readonly isOtherTab?: boolean
}

/** Returns a function that names actors by their subjects. The subjects of a page share one request. */
export function useActorName(
  subjects: readonly (string | undefined)[],
  { isOtherTab = false }: ActorNameOptions = {},
): (subject: string | undefined) => string {
  const { clientWithoutRenewal } = useStudio()
  const { identity } = useSession()
  const { t } = useTexts()
  const userSubject = identity?.subject
  const loaded = [...new Set(subjects)].filter(
    (subject): subject is string =>
      subject !== undefined && subject !== userSubject && getProgramName(subject, t) === undefined,
  )
  const names = useQueries({
    queries: loaded.map((subject) => ({
      queryKey: queryKeys.actorName(subject),
      queryFn: () => getActorNameLoader(clientWithoutRenewal).load(subject),
      staleTime: NAME_FRESH_MS,
    })),
  })
  return (subject) => {
    if (subject === undefined) return t.people.somebody
    if (subject === userSubject) return isOtherTab ? t.people.youElsewhere : t.people.you
    const program = getProgramName(subject, t)
    if (program !== undefined) return program
    const name = names[loaded.indexOf(subject)]
    if (name?.isPending) return '…'
    return name?.data ?? (TOKEN.test(subject) ? t.people.token : t.people.other(subject.slice(0, 6)))
  }
}
