import { DEFAULT_SEARCH_LIMIT, parsePosition, type SchedulesParameters } from '../../query/cross-collection.ts'
import type { Schedule } from '../../store/records/schedules.ts'
import type { Access } from '../access/access.ts'
import type { ContentContext } from '../context.ts'
import type { TitledEntry } from '../reads/titled-entry.ts'
import type { CursorPage } from './list-drafts.ts'
import { DraftScope } from './list-drafts.ts'

/** The number of schedules that are read together. */
const RECORDS = 100
/** The maximum number of reads for one page. */
const MAX_READS = 10

/** An entry that is scheduled to be published or unpublished. */
export interface ListedSchedule extends TitledEntry {
  readonly action: Schedule['action']
  /** The scheduled time; ISO 8601 in UTC. */
  readonly at: string
  /** The author of the schedule; absent if the caller may not see authors. */
  readonly actor?: string
  /** The locales to publish. @default all */
  readonly locales?: readonly string[]
}

/**
 * Lists the schedules of entries whose drafts exist for a caller, the soonest first. A failed schedule is listed by the time of its next
 * attempt.
 *
 * @returns a page, which may have fewer items than the limit if it has a cursor
 * @throws VALIDATION_ERROR; INTERNAL_ERROR if a rule fails
 */
export async function listSchedules(
  engine: ContentContext,
  access: Access,
  asked: SchedulesParameters,
): Promise<CursorPage<ListedSchedule>> {
  const { limit = DEFAULT_SEARCH_LIMIT, cursor } = asked
  const scope = await DraftScope.create(engine, access, asked)
  const [due = 0, seq = 0] = cursor === undefined ? [] : parsePosition(cursor)
  const items: ListedSchedule[] = []
  let last: Pick<Schedule, 'due' | 'seq'> = { due, seq }
  for (let reads = 0; reads < MAX_READS; reads += 1) {
    const schedules = await engine.store.read.schedules.after(last, RECORDS)
    const shown = await showSchedules(engine, scope, schedules)
    const taken = shown.slice(0, limit - items.length)
    items.push(...taken.map(({ item }) => item))
    const isCut = taken.length < shown.length
    if (!isCut && schedules.length < RECORDS) return { items, nextCursor: null }
    last = (isCut ? taken.at(-1)?.schedule : schedules.at(-1)) ?? last
    if (items.length === limit) break
  }
  return { items, nextCursor: `${last.due}-${last.seq}` }
}

interface ShownSchedule {
  readonly schedule: Schedule
  readonly item: ListedSchedule
}

async function showSchedules(
  engine: ContentContext,
  scope: DraftScope,
  schedules: readonly Schedule[],
): Promise<readonly ShownSchedule[]> {
  const titles = new Map<string, TitledEntry>()
  for (const [key, own] of Map.groupBy(schedules, (one) => one.collection)) {
    const edited = scope.collections.get(key)
    if (!edited) continue
    const { collection, where } = edited
    const ids = [...new Set(own.map(({ id }) => id))]
    const readable = await engine.store.read.entries.statuses(collection, ids, where)
    const titled = await scope.readTitles(
      collection,
      readable.map(({ id }) => id),
    )
    for (const [id, one] of titled) titles.set(`${key} ${id}`, one)
  }
  return schedules.flatMap((schedule) => {
    const titled = titles.get(`${schedule.collection} ${schedule.id}`)
    return titled ? [{ schedule, item: toListed(scope, titled, schedule) }] : []
  })
}

function toListed(scope: DraftScope, titled: TitledEntry, schedule: Schedule): ListedSchedule {
  const { collection: key, action, at, actor, locales } = schedule
  const collection = scope.collections.get(key)?.collection
  return {
    ...titled,
    action,
    at,
    ...(collection && scope.seesPeople(collection) ? { actor } : {}),
    ...(locales === null ? {} : { locales: JSON.parse(locales) }),
  }
}
