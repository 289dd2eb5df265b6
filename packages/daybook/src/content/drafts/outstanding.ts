import { SYSTEM } from '../../auth/adapter.ts'
import type { AuthRecord } from '../../auth/records.ts'
import type { Schedule } from '../../store/records/schedules.ts'
import type { Store } from '../../store/store.ts'
import { getActor } from '../context.ts'
import { PREVIEW } from './preview.ts'

/** The maximum number of previews, and of schedules, in a list. */
const MAX_LISTED = 100

/** The previews and schedules that act on behalf of an account or a token. */
export interface Outstanding {
  /** The last to expire first; at most 100. */
  readonly previews: readonly { readonly collection: string; readonly id: string; readonly expiresAt: string }[]
  /** The soonest first; at most 100. */
  readonly schedules: readonly Pick<Schedule, 'collection' | 'id' | 'action' | 'at'>[]
  readonly totals: OutstandingTotals
}

export interface OutstandingTotals {
  readonly previews: number
  readonly schedules: number
}

/** Lists the previews and schedules of a subject in all collections, regardless of access rules. */
export async function listOutstanding({ records, read }: Store, subject: string): Promise<Outstanding> {
  const now = Date.now()
  const previewRecords = await records.find(PREVIEW, 'maker', subject)
  const previews = previewRecords
    .filter(({ until }) => Number(until) > now)
    .sort((a, b) => Number(b.until) - Number(a.until))
  const schedules = await read.schedules.byActor(subject)
  return {
    previews: previews.slice(0, MAX_LISTED).map(toPreview),
    schedules: schedules.slice(0, MAX_LISTED).map(({ collection, id, action, at }) => ({ collection, id, action, at })),
    totals: { previews: previews.length, schedules: schedules.length },
  }
}

const toPreview = ({ collection, entry, until }: AuthRecord): Outstanding['previews'][number] => ({
  collection: String(collection),
  id: String(entry),
  expiresAt: new Date(Number(until)).toISOString(),
})

/**
 * Revokes the previews and cancels the schedules of a subject.
 *
 * @returns their numbers
 */
export async function endOutstanding(store: Store, subject: string): Promise<OutstandingTotals> {
  const now = Date.now()
  return store.transaction(async (writer) => {
    const previews = await writer.records.find(PREVIEW, 'maker', subject)
    for (const { id } of previews) await writer.records.delete(PREVIEW, id)
    const schedules = await writer.read.schedules.byActor(subject)
    const at = new Date(now).toISOString()
    for (const { collection, id, action } of schedules) {
      await writer.schedules.drop(collection, id, action)
      await writer.journal.append({ at, actor: getActor(SYSTEM), action: 'unschedule', collection, id })
    }
    return { previews: previews.filter(({ until }) => Number(until) > now).length, schedules: schedules.length }
  })
}
