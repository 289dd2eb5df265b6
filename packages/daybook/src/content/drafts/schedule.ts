import { DaybookError, validationErrorAt } from '../../errors.ts'
import type { CollectionModel } from '../../model/model.ts'
import type { Schedule } from '../../store/records/schedules.ts'
import { resolveFieldRights } from '../access/field-access.ts'
import { getDraftRevision } from '../documents/draft-row.ts'
import { type Preconditions, requirePreconditions } from '../reads/etags.ts'
import { toProjectionTag } from '../reads/present.ts'
import { toDraftResponse } from '../reads/present-draft.ts'
import type { EntryResponse } from '../reads/response.ts'
import type { WriteContext } from '../writes/context.ts'
import { dryRun, execute, type PreparedWrite } from '../writes/pipeline.ts'
import { prepareDraftWrite } from './save-draft.ts'

export interface SchedulePlan extends Pick<Schedule, 'action'> {
  /** ISO 8601 in UTC. */
  readonly at: string
  /** The locales to publish. @default all */
  readonly locales?: readonly string[] | undefined
  readonly prepare: PreparePublication
}

export type PreparePublication = (
  context: WriteContext,
  collection: CollectionModel,
  id: string,
  options: { readonly locales?: readonly string[] | undefined },
) => Promise<PreparedWrite<EntryResponse>>

/**
 * Prepares to schedule a publication or unpublication, which the service will execute on behalf of the caller. It replaces an earlier
 * schedule for the same action.
 *
 * @throws as updates of entries do
 */
export async function prepareSchedule(
  context: WriteContext,
  collection: CollectionModel,
  id: string,
  { action, at, locales, prepare }: SchedulePlan,
  options: Preconditions = {},
): Promise<PreparedWrite<EntryResponse>> {
  const { content, access, actor } = context
  const rights = resolveFieldRights(collection, access)
  // A dry run rejects what could not be done now: it evaluates the rules for the result, which must be complete.
  await execute({ transact: dryRun(context.transact) }, () => prepare(context, collection, id, { locales }))
  return prepareDraftWrite(context, collection, id, async (writer, entry) => {
    const revision = action === 'publish' ? getDraftRevision(content.model, collection, entry).row.seq : entry.seq
    requirePreconditions(options, revision, toProjectionTag(collection, revision, rights), collection.requireIfMatch)
    const now = new Date().toISOString()
    const key = collection.key
    requireTimesInOrder([...(await writer.schedules.byEntry(key, entry.id)), { action, at }], action)
    const seq = await writer.journal.append({ at: now, actor, action: 'schedule', collection: key, id: entry.id })
    const localesJson = locales ? JSON.stringify(locales) : null
    const due = Date.parse(at)
    await writer.schedules.put({
      collection: key,
      id: entry.id,
      action,
      seq,
      at,
      actor,
      caller: access.storedCaller && JSON.stringify(access.storedCaller),
      locales: localesJson,
      due,
      failures: 0,
    })
    for (const listener of content.scheduleListeners) listener()
    return { ...(await toDraftResponse(context, writer.read, collection, entry, rights)), seq }
  })
}

/**
 * @param schedules for each action, the last one counts
 * @throws VALIDATION_ERROR if the entry would be unpublished before it is published
 */
function requireTimesInOrder(schedules: readonly Pick<Schedule, 'action' | 'at'>[], action: Schedule['action']): void {
  const { publish, unpublish } = Object.fromEntries(schedules.map((schedule) => [schedule.action, schedule.at]))
  if (publish === undefined || unpublish === undefined || publish < unpublish) return
  const advice = 'Choose another time, or cancel both with DELETE …/schedule first.'
  throw action === 'publish'
    ? validationErrorAt('/publishAt', 'order', `must be before unpublishAt, which is ${unpublish}. ${advice}`, {
        unpublishAt: unpublish,
      })
    : validationErrorAt('/unpublishAt', 'order', `must be after publishAt, which is ${publish}. ${advice}`, {
        publishAt: publish,
      })
}

/**
 * Prepares to cancel the schedules of an entry.
 *
 * @throws UNAUTHORIZED, FORBIDDEN; NOT_FOUND if there is none
 */
export async function prepareUnschedule(
  context: WriteContext,
  collection: CollectionModel,
  id: string,
): Promise<PreparedWrite<{ readonly seq: number }>> {
  return prepareDraftWrite(context, collection, id, async (writer, entry) => {
    const dropped = await writer.schedules.drop(collection.key, entry.id)
    if (dropped === 0) throw new DaybookError('NOT_FOUND', 'The entry has no schedule.')
    const at = new Date().toISOString()
    const { actor } = context
    return {
      seq: await writer.journal.append({ at, actor, action: 'unschedule', collection: collection.key, id: entry.id }),
    }
  })
}
