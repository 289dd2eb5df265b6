import { DraftTarget, listDeleted, prepareDiscard, readPreview } from '../../content/drafts/index.ts'
import { documentTag, type EntryAnswer, readEntry, readList, variantOf } from '../../content/reads/index.ts'
import {
  EntryTarget,
  execute,
  listReferrers,
  parseCreate,
  parseUpdate,
  prepareCreate,
  prepareDelete,
  prepareUpdate,
  writeContext,
} from '../../content/writes/index.ts'
import { invalidAt } from '../../errors.ts'
import type { CollectionModel } from '../../model/model.ts'
import { DRY_RUN, discardDraft, draftOfEntry, hasDrafts, saveDraft } from '../../query/draft-query.ts'
import { documentParameters, PAGE, readPageBounds } from '../../query/entry-query.ts'
import { DELETED, readDeletedQuery } from '../../query/history-query.ts'
import { listParameters } from '../../query/list-query.ts'
import { writtenLocale } from '../../query/locale.ts'
import { REPEAT_ERRORS, repeatable } from '../answers/stored-replies.ts'
import { jsonBody, MERGE_PATCH } from '../body.ts'
import { preconditions } from '../conditions.ts'
import {
  defineReadRoute,
  defineRoute,
  type PathParameters,
  READ_ERRORS,
  type Route,
  readAnswers,
  WRITE_ERRORS,
  writeAnswer,
} from '../contract.ts'
import { dryReply, goneReply, PRIVATE, type ReadPolicy, type TextReply, writeReply } from '../respond.ts'
import { imageRoute } from './assets/asset-image.ts'
import { type AssetParts, uploadRoute } from './assets/assets.ts'
import { draftRoutes } from './drafts.ts'
import { BY_ID, ENTRY_PATH } from './entry-path.ts'
import { historyRoutes } from './history.ts'
import { manyRoutes } from './many.ts'
import { DELETED_SCHEMA, listSchema, REFERENCES_SCHEMA } from './schemas.ts'

/** The parts that the routes of collections need. */
export interface EntryParts extends ReadPolicy, AssetParts {}

/** Lists, reads and changes of entries, for each collection. */
export function entryRoutes(parts: EntryParts): readonly Route[] {
  const { collections, locales } = parts.engine.model
  const reading = documentParameters(locales)
  const writing = { ...writtenLocale(locales), ...DRY_RUN }
  const listing = new Map<string, Listing>()
  const listingOf = (collection: CollectionModel): Listing => {
    const { maxLimit, status, holdsFiles } = collection
    const name = JSON.stringify([maxLimit, status?.values, holdsFiles])
    const parameters = listing.get(name) ?? {
      ...listParameters(collection, locales, reading),
      ...DELETED,
    }
    listing.set(name, parameters)
    return parameters
  }
  return [...collections.values()].flatMap((collection) => [
    listRoute(parts, collection, listingOf(collection)),
    collection.holdsFiles ? uploadRoute(parts, collection) : createRoute(parts, collection, writing),
    getEntryRoute(parts, collection, { ...reading, ...draftOfEntry(collection) }),
    changeRoute(parts, collection, { ...writing, ...saveDraft(collection) }, 'PUT'),
    changeRoute(parts, collection, { ...writing, ...saveDraft(collection) }, 'PATCH'),
    deleteRoute(parts, collection),
    referencesRoute(parts, collection),
    ...(collection.holdsFiles ? [imageRoute(parts, collection)] : []),
    ...manyRoutes(parts.engine, collection),
    ...draftRoutes(parts.engine, collection),
    ...historyRoutes(parts.engine, collection),
  ])
}

const BY_SLUG: PathParameters = {
  slug: {
    description: 'The slug of the entry, or its id.',
    schema: { type: 'string', minLength: 1 },
    example: 'my-first-post',
  },
}

type Reading = ReturnType<typeof documentParameters> & ReturnType<typeof draftOfEntry>
type Listing = ReturnType<typeof listParameters> & typeof DELETED
type Writing = ReturnType<typeof writtenLocale> & typeof DRY_RUN

function listRoute({ engine }: EntryParts, collection: CollectionModel, listing: Listing): Route {
  return defineReadRoute({
    method: 'GET',
    path: '/api/:collection',
    operationId: 'listEntries',
    resource: collection,
    protection: 'public',
    summary: 'Lists entries, one page at a time.',
    parameters: listing,
    checksQuery: true,
    conditions: ['ifMatch', 'ifNoneMatch', 'minSeq'],
    answers: readAnswers('One page of entries.', listSchema(collection), `${collection.key}List`).map((answer) =>
      answer.schema ? { ...answer, deletedSchema: DELETED_SCHEMA } : answer,
    ),
    errors: READ_ERRORS,
    read: async ({ access, conditions, query }) => {
      if (query.partial.deleted === 'true') {
        const page = await listDeleted(engine, access, collection, readDeletedQuery(collection, query))
        const json = JSON.stringify(page)
        const tag = documentTag(0, variantOf(json))
        return { tag, surrogateKeys: () => [collection.key], read: async () => json, isPrivate: true }
      }
      return readList(engine.sourceFor(access, conditions.minSeq), access, collection, query)
    },
  })
}

function getEntryRoute({ engine }: EntryParts, collection: CollectionModel, reading: Reading): Route {
  return defineReadRoute({
    method: 'GET',
    path: '/api/:collection/:slug',
    pathParameters: BY_SLUG,
    operationId: 'getEntry',
    resource: collection,
    protection: 'public',
    summary: 'Reads an entry by its slug or id.',
    parameters: reading,
    checksQuery: true,
    conditions: ['ifMatch', 'ifNoneMatch', 'minSeq', ...(hasDrafts(collection) ? (['preview'] as const) : [])],
    answers: readAnswers('The entry.', collection.schemas.read),
    errors: READ_ERRORS,
    read: async ({ access, conditions, path, query, knownRevision }) => {
      const address = path.slug ?? ''
      const token = query.partial.preview ?? conditions.preview
      const source = engine.sourceFor(access, conditions.minSeq)
      if (token === undefined) return readEntry(source, access, collection, address, query, knownRevision)
      const response =
        (await readPreview(engine, access, collection, address, query, token)) ??
        (await readEntry(source, access, collection, address, query, knownRevision))
      // No cache may store what a token shows, or would have shown.
      return { ...response, isPrivate: true }
    },
  })
}

function createRoute({ engine, trustProxy }: EntryParts, collection: CollectionModel, writing: Writing): Route {
  const { key, schemas } = collection
  return defineRoute({
    method: 'POST',
    path: '/api/:collection',
    operationId: 'createEntry',
    resource: collection,
    protection: 'session',
    action: 'create',
    summary: 'Creates an entry.',
    parameters: writing,
    conditions: ['ifMatch', 'ifNoneMatch', 'idempotencyKey'],
    body: jsonBody('The fields of the new entry.', schemas.create),
    answers: [
      writeAnswer(201, 'The stored entry; `Location` is its address.', schemas.read, [
        'Location',
        'Idempotency-Replayed',
      ]),
    ],
    errors: [...WRITE_ERRORS, ...REPEAT_ERRORS],
    run: async ({ access, body, conditions, query, request }) => {
      const { locale, dryRun } = query.values
      if (dryRun === 'true') {
        const context = await writeContext(engine, access, { locale, isDry: true })
        const entry = parseCreate(context, collection, body)
        return dryReply(201, (await execute(context, () => prepareCreate(context, collection, entry))).json)
      }
      const what = {
        request: [key, body, ...(locale === undefined ? [] : [locale])],
        collections: [collection],
        shown: (stored: string) => [{ collection: key, id: JSON.parse(stored).id }],
      }
      const toReply = (entry: EntryAnswer): TextReply =>
        writeReply(201, entry, { Location: locationOf(key, entry, locale) })
      const repetition = { engine, access, key: conditions.idempotencyKey, request, trustProxy }
      return repeatable(repetition, what, toReply, async (transact) => {
        const context = await writeContext(engine, access, { locale, transact })
        const entry = parseCreate(context, collection, body)
        return execute(context, () => prepareCreate(context, collection, entry))
      })
    },
  })
}

/** Where a new entry is read, in the locale that it was written in. */
const locationOf = (collection: string, { address }: EntryAnswer, locale: string | undefined): string =>
  `/api/${collection}/${encodeURIComponent(address)}${locale === undefined ? '' : `?locale=${locale}`}`

function changeRoute(
  { engine }: EntryParts,
  collection: CollectionModel,
  writing: Writing & ReturnType<typeof saveDraft>,
  method: 'PUT' | 'PATCH',
): Route {
  const { schemas } = collection
  const isMerge = method === 'PATCH'
  const names = isMerge
    ? { operationId: 'patchEntry', summary: 'Merges the body into an entry, inside objects as well (RFC 7396).' }
    : { operationId: 'updateEntry', summary: 'Changes the fields of an entry that the body names.' }
  return defineRoute({
    ...names,
    method,
    path: ENTRY_PATH,
    pathParameters: BY_ID,
    resource: collection,
    protection: 'session',
    action: 'update',
    parameters: writing,
    conditions: ['ifMatch', 'ifNoneMatch'],
    body: jsonBody('The fields to change.', schemas.update, isMerge ? [MERGE_PATCH] : []),
    answers: [writeAnswer(200, 'The stored entry.', schemas.read)],
    errors: [...WRITE_ERRORS, 'PRECONDITION_REQUIRED'],
    run: async ({ access, body, conditions, path, query }) => {
      const { locale, draft, autosave, dryRun } = query.values
      const isDry = dryRun === 'true'
      const isDraft = draft === 'true'
      if (autosave === 'true' && !isDraft)
        throw invalidAt('autosave', 'requires', 'goes with draft=true', { name: 'draft' })
      const context = await writeContext(engine, access, { locale, isDry })
      const id = path.id ?? ''
      const target = isDraft
        ? new DraftTarget(context, collection, id, autosave === 'true')
        : new EntryTarget(context, collection, id)
      const update = parseUpdate(context, collection, body, { isMerge, isDraft })
      const answer = await execute(context, () => prepareUpdate(context, target, update, preconditions(conditions)))
      return isDry ? dryReply(200, answer.json) : writeReply(200, answer)
    },
  })
}

function deleteRoute({ engine }: EntryParts, collection: CollectionModel): Route {
  return defineRoute({
    method: 'DELETE',
    path: ENTRY_PATH,
    pathParameters: BY_ID,
    operationId: 'deleteEntry',
    resource: collection,
    protection: 'session',
    action: 'delete',
    summary: 'Deletes an entry.',
    parameters: { ...discardDraft(collection), ...DRY_RUN },
    conditions: ['ifMatch', 'ifNoneMatch'],
    answers: [
      { status: 204, description: 'It is gone.', headers: ['Cache-Control', 'Daybook-Seq', 'Daybook-Dry-Run'] },
    ],
    errors: [...WRITE_ERRORS, 'PRECONDITION_REQUIRED'],
    run: async ({ access, conditions, path, query }) => {
      const { draft, dryRun } = query.values
      const isDry = dryRun === 'true'
      const context = await writeContext(engine, access, { isDry })
      const id = path.id ?? ''
      const options = preconditions(conditions)
      const { seq } = await execute(context, () =>
        draft === 'true'
          ? prepareDiscard(context, collection, id, options)
          : prepareDelete(context, new EntryTarget(context, collection, id), options),
      )
      return goneReply(seq, isDry)
    },
  })
}

function referencesRoute({ engine }: EntryParts, collection: CollectionModel): Route {
  return defineRoute({
    method: 'GET',
    path: `${ENTRY_PATH}/references`,
    pathParameters: BY_ID,
    operationId: 'findReferences',
    resource: collection,
    protection: 'session',
    summary: 'Lists the documents that refer to an entry.',
    parameters: PAGE,
    conditions: ['ifMatch', 'ifNoneMatch'],
    answers: [
      {
        status: 200,
        description: 'One page of references.',
        schema: REFERENCES_SCHEMA,
        name: 'references',
        headers: ['Cache-Control', 'Vary'],
      },
    ],
    errors: READ_ERRORS,
    run: async ({ access, path, query }) => {
      const answer = await listReferrers(engine, access, collection, path.id ?? '', readPageBounds(query))
      return { status: 200, json: JSON.stringify(answer), headers: PRIVATE }
    },
  })
}
