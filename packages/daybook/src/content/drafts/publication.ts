import { invalidAt } from '../../errors.ts'
import { parseDateTime } from '../../fields/date.ts'
import { isRecord } from '../../fields/field.ts'
import type { CollectionModel, Model } from '../../model/model.ts'
import type { EntryAnswer } from '../answer.ts'
import { restoreAsset } from '../assets/restore-asset.ts'
import type { Preconditions } from '../etags.ts'
import type { WriteContext } from '../writes/context.ts'
import { type CheckedWrite, execute } from '../writes/pipeline.ts'
import { preparePublish, prepareUnpublish } from './publish.ts'
import { NEEDS_REVISION, prepareRestore, type RestoredVersion } from './restore.ts'
import { prepareSchedule } from './schedule.ts'

/** What can be done to an entry by name. */
export type PublicationOp = 'publish' | 'unpublish' | 'restore'

type Body = Readonly<Record<string, unknown>>

/**
 * Carries out publish, unpublish or restore. Of a deleted asset, the file comes back as well.
 *
 * @throws as {@link checkPublication}, and the preparation that it returns
 */
export async function executePublication(
  context: WriteContext,
  collection: CollectionModel,
  op: PublicationOp,
  id: string,
  body: unknown,
  options: Preconditions = {},
): Promise<EntryAnswer> {
  if (op === 'restore' && collection.holdsFiles)
    return restoreAsset(context, collection, id, readVersion(readFields(body, FIELDS.restore)), options)
  return execute(context, async () => checkPublication(context, collection, op, id, body, options)())
}

/**
 * Checks the body of publish, unpublish or restore; of the first two, there need not be one. With a time that is still to come,
 * publish and unpublish set it for the entry.
 *
 * @returns the rest of its preparation, which throws as {@link preparePublish}
 * @throws VALIDATION_ERROR
 */
export function checkPublication(
  context: WriteContext,
  collection: CollectionModel,
  op: PublicationOp,
  id: string,
  body: unknown,
  options: Preconditions = {},
): CheckedWrite<EntryAnswer> {
  const given = readFields(body, FIELDS[op])
  if (op === 'restore') {
    const version = readVersion(given)
    return () => prepareRestore(context, collection, id, version, options)
  }
  const locales = readLocales(given, context.engine.model, collection)
  const at = readTime(given, `${op}At`)
  const attempt = op === 'publish' ? preparePublish : prepareUnpublish
  return async () =>
    at === undefined || Date.parse(at) <= (await context.engine.store.read.schedules.now())
      ? attempt(context, collection, id, { ...options, locales })
      : prepareSchedule(context, collection, id, { action: op, at, locales, attempt }, options)
}

/** The fields of each body. */
const FIELDS: Readonly<Record<PublicationOp, readonly string[]>> = {
  publish: ['publishAt', 'locales'],
  unpublish: ['unpublishAt', 'locales'],
  restore: ['revision', 'slug'],
}

function readFields(body: unknown, known: readonly string[]): Body {
  if (body === undefined) return {}
  if (!isRecord(body))
    throw invalidAt('/', 'type', `must be an object, with ${known.join(' and ')}`, { types: ['object'] })
  const unknown = Object.keys(body).find((key) => !known.includes(key))
  if (unknown === undefined) return body
  throw invalidAt(`/${unknown.slice(0, 64)}`, 'unknown_field', `there is no such field; write ${known.join(' or ')}`, {
    values: known,
  })
}

function readVersion({ revision, slug }: Body): RestoredVersion {
  if (slug !== undefined && typeof slug !== 'string')
    throw invalidAt('/slug', 'type', 'must be a text', { types: ['string'] })
  const isNumber = Number.isSafeInteger(revision) && Number(revision) > 0
  if (revision !== undefined && !isNumber) throw invalidAt('/revision', 'type', NEEDS_REVISION, { types: ['integer'] })
  return { revision: isNumber ? Number(revision) : undefined, slug }
}

function readTime(body: Body, key: string): string | undefined {
  const given = body[key] ?? undefined
  if (given === undefined) return undefined
  const at = typeof given === 'string' ? parseDateTime(given) : undefined
  if (at === undefined)
    throw invalidAt(`/${key}`, 'format', 'must be a date-time with its offset, such as 2026-12-24T18:00:00Z', {
      format: 'date-time',
    })
  return at
}

function readLocales(
  { locales: given = null }: Body,
  { locales }: Model,
  { key, localized }: CollectionModel,
): readonly string[] | undefined {
  if (given === null) return undefined
  if (!locales) throw invalidAt('/locales', 'locale', 'must be left out: the content has no locales')
  if (localized.size === 0)
    throw invalidAt(
      '/locales',
      'locale',
      `must be left out: no field of ${key} is localized, so entries have no languages`,
    )
  const isList = Array.isArray(given) && given.length > 0 && given.every((one) => locales.available.includes(one))
  if (!isList) {
    const values = locales.available
    throw invalidAt('/locales', 'locale', `must be a list of locales: ${values.join(', ')}`, { values })
  }
  return given
}
