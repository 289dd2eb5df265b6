import { validationErrorAt } from '../../errors.ts'
import { parseDateTime } from '../../fields/date.ts'
import { isRecord } from '../../fields/field.ts'
import type { CollectionModel, Model } from '../../model/model.ts'
import { unknownName } from '../../nearest.ts'
import { restoreAsset } from '../assets/restore-asset.ts'
import type { Preconditions } from '../reads/etags.ts'
import type { EntryResponse } from '../reads/response.ts'
import type { WriteContext } from '../writes/context.ts'
import { execute, type PreparedWrite } from '../writes/pipeline.ts'
import { preparePublish, prepareUnpublish } from './publish.ts'
import { NEEDS_REVISION, prepareRestore, type RestoredVersion } from './restore-entry.ts'
import { prepareSchedule } from './schedule.ts'

/** The operations that change which revision of an entry is public or its draft. */
export type PublicationOp = 'publish' | 'unpublish' | 'restore'

/** The parsed body of a publication. */
export type Publication =
  | { readonly op: 'restore'; readonly version: RestoredVersion }
  | {
      readonly op: 'publish' | 'unpublish'
      readonly locales: readonly string[] | undefined
      /** The time, ISO 8601 in UTC; `undefined` for now. */
      readonly at: string | undefined
    }

type Body = Readonly<Record<string, unknown>>

/**
 * Publishes, unpublishes or restores an entry. The file of a deleted asset is restored with it.
 *
 * @throws as {@link parsePublication} and {@link preparePublication}
 */
export async function executePublication(
  context: WriteContext,
  collection: CollectionModel,
  op: PublicationOp,
  id: string,
  body: unknown,
  options: Preconditions = {},
): Promise<EntryResponse> {
  const publication = parsePublication(context, collection, op, body)
  if (publication.op === 'restore' && collection.holdsFiles)
    return restoreAsset(context, collection, id, publication.version, options)
  return execute(context, () => preparePublication(context, collection, id, publication, options))
}

/**
 * Parses the body of publish, unpublish or restore. Publish and unpublish may have none.
 *
 * @throws VALIDATION_ERROR
 */
export function parsePublication(
  context: WriteContext,
  collection: CollectionModel,
  op: PublicationOp,
  body: unknown,
): Publication {
  const fields = readFields(body, FIELDS[op])
  if (op === 'restore') return { op, version: readVersion(fields) }
  return {
    op,
    locales: readLocales(fields, context.content.model, collection),
    at: readTime(fields, `${op}At`),
  }
}

/**
 * Prepares a publication. Publish and unpublish with a future time set that time for the entry.
 *
 * @throws as updates of entries do
 */
export async function preparePublication(
  context: WriteContext,
  collection: CollectionModel,
  id: string,
  publication: Publication,
  options: Preconditions = {},
): Promise<PreparedWrite<EntryResponse>> {
  if (publication.op === 'restore') return prepareRestore(context, collection, id, publication.version, options)
  const { op, locales, at } = publication
  const prepare = op === 'publish' ? preparePublish : prepareUnpublish
  if (at === undefined || Date.parse(at) <= (await context.content.store.read.schedules.now()))
    return prepare(context, collection, id, { ...options, locales })
  return prepareSchedule(context, collection, id, { action: op, at, locales, prepare }, options)
}

const FIELDS: Readonly<Record<PublicationOp, readonly string[]>> = {
  publish: ['publishAt', 'locales'],
  unpublish: ['unpublishAt', 'locales'],
  restore: ['revision', 'slug'],
}

function readFields(body: unknown, allowedKeys: readonly string[]): Body {
  if (body === undefined) return {}
  if (!isRecord(body))
    throw validationErrorAt('/', 'type', `must be an object with ${allowedKeys.join(' and ')}`, { types: ['object'] })
  const unknown = Object.keys(body).find((key) => !allowedKeys.includes(key))
  if (unknown === undefined) return body
  throw validationErrorAt(
    `/${unknown.slice(0, 64)}`,
    'unknown_field',
    `${unknownName('field', unknown.slice(0, 64))} Use ${allowedKeys.join(' or ')}.`,
    {
      values: allowedKeys,
    },
  )
}

function readVersion({ revision, slug }: Body): RestoredVersion {
  if (slug !== undefined && typeof slug !== 'string')
    throw validationErrorAt('/slug', 'type', 'must be a string', { types: ['string'] })
  const isRevision = Number.isSafeInteger(revision) && Number(revision) > 0
  if (revision !== undefined && !isRevision)
    throw validationErrorAt('/revision', 'type', NEEDS_REVISION, { types: ['integer'] })
  return { revision: isRevision ? Number(revision) : undefined, slug }
}

function readTime(body: Body, key: string): string | undefined {
  const value = body[key] ?? undefined
  if (value === undefined) return undefined
  const at = typeof value === 'string' ? parseDateTime(value) : undefined
  if (at === undefined)
    throw validationErrorAt(`/${key}`, 'format', 'must be a date-time with its offset, such as 2026-12-24T18:00:00Z', {
      format: 'date-time',
    })
  return at
}

function readLocales(
  { locales: requestedLocales = null }: Body,
  { locales }: Model,
  { key, localized }: CollectionModel,
): readonly string[] | undefined {
  if (requestedLocales === null) return undefined
  if (!locales)
    throw validationErrorAt('/locales', 'locale', 'is not allowed, because the content has no locales. Leave it out.')
  if (localized.size === 0)
    throw validationErrorAt(
      '/locales',
      'locale',
      `is not allowed, because no field of ${key} is localized. Leave it out.`,
    )
  const isValid =
    Array.isArray(requestedLocales) &&
    requestedLocales.length > 0 &&
    requestedLocales.every((locale) => locales.available.includes(locale))
  if (!isValid) {
    const values = locales.available
    throw validationErrorAt('/locales', 'locale', `must be a list of these locales: ${values.join(', ')}`, { values })
  }
  return requestedLocales
}
