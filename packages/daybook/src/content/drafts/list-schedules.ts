import { DEFAULT_SEARCH_LIMIT, parsePosition, type SchedulesParameters } from '../../query/cross-collection.ts'
import type { Schedule } from '../../store/records/schedules.ts'
import type { Access } from '../access/access.ts'
import type { ContentContext } from '../context.ts'
import type { TitledEntry } from '../reads/titled-entry.ts'
import { type CursorPage, DraftScope } from './list-drafts.ts'

const SCHEDULES_PER_READ = 100
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
  context: ContentContext,
  access: Access,
  parameters: SchedulesParameters,
): Promise<CursorPage<ListedSchedule>> {
  const { limit = DEFAULT_SEARCH_LIMIT, cursor } = parameters
  const scope = await DraftScope.create(context, access, parameters)
  const [due = 0, seq = 0] = cursor === undefined ? [] : parsePosition(cursor)
  const items: ListedSchedule[] = []
  let last: Pick<Schedule, 'due' | 'seq'> = { due, seq }
  for (let reads = 0; reads < MAX_READS; reads += 1) {
    const schedules = await context.store.read.schedules.after(last, SCHEDULES_PER_READ)
    const visible = await readVisibleSchedules(context, scope, schedules)
    const listed = visible.slice(0, limit - items.length)
    items.push(...listed.map(({ item }) => item))
    const isCut = listed.length < visible.length
    if (!isCut && schedules.length < SCHEDULES_PER_READ) return { items, nextCursor: null }
    last = (isCut ? listed.at(-1)?.schedule : schedules.at(-1)) ?? last
    if (items.length === limit) break
  }
  return { items, nextCursor: `${last.due}-${last.seq}` }
}

interface VisibleSchedule {
  readonly schedule: Schedule
  readonly item: ListedSchedule
}

async function readVisibleSchedules(
  context: ContentContext,
  scope: DraftScope,
  schedules: readonly Schedule[],
): Promise<readonly VisibleSchedule[]> {
  const titles = new Map<string, TitledEntry>()
  for (const [key, group] of Map.groupBy(schedules, (schedule) => schedule.collection)) {
    const draftCollection = scope.collections.get(key)
    if (!draftCollection) continue
    const { collection, where } = draftCollection
    const ids = [...new Set(group.map(({ id }) => id))]
    const readable = await context.store.read.entries.statuses(collection, ids, where)
    const titledEntries = await scope.readTitles(
      collection,
      readable.map(({ id }) => id),
    )
    for (const [id, entry] of titledEntries) titles.set(`${key} ${id}`, entry)
  }
  return schedules.flatMap((schedule) => {
    const entry = titles.get(`${schedule.collection} ${schedule.id}`)
    return entry ? [{ schedule, item: toListed(scope, entry, schedule) }] : []
  })
}

function toListed(scope: DraftScope, entry: TitledEntry, schedule: Schedule): ListedSchedule {
  const { collection: key, action, at, actor, locales } = schedule
  const collection = scope.collections.get(key)?.collection
  return {
    ...entry,
    action,
    at,
    ...(collection && scope.canSeeAuthors(collection) ? { actor } : {}),
    ...(locales === null ? {} : { locales: JSON.parse(locales) }),
  }
}
