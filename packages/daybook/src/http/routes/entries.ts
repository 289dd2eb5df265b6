import { DraftTarget, listDeleted, prepareDiscard, readPreview } from '../../content/drafts/index.ts'
import { type EntryResponse, hashCacheKey, readEntry, readList, toDocumentTag } from '../../content/reads/index.ts'
import {
  createWriteContext,
  EntryTarget,
  execute,
  listReferrers,
  parseCreate,
  parseUpdate,
  prepareCreate,
  prepareDelete,
  prepareUpdate,
} from '../../content/writes/index.ts'
import { validationErrorAt } from '../../errors.ts'
import type { CollectionModel } from '../../model/model.ts'
import { documentParameters, PAGE_PARAMETERS, readPageBounds } from '../../query/document-query.ts'
import {
  DRY_RUN_PARAMETERS,
  discardDraftParameters,
  entryDraftParameters,
  hasDrafts,
  saveDraftParameters,
} from '../../query/draft-query.ts'
import { DELETED_PARAMETERS, readDeletedQuery } from '../../query/journal-query.ts'
import { listParameters } from '../../query/list-query.ts'
import { writeLocaleParameter } from '../../query/locale-parameters.ts'
import { jsonBody, MERGE_PATCH } from '../body.ts'
import {
  defineReadRoute,
  defineRoute,
  describeReadResponses,
  describeWriteResponse,
  type PathParameters,
  READ_ERRORS,
  type Route,
  WRITE_ERRORS,
} from '../contract.ts'
import { IDEMPOTENCY_ERRORS, withIdempotency } from '../idempotency.ts'
import { getPreconditions } from '../request-headers.ts'
import {
  buildDryRunResponse,
  buildNoContentResponse,
  buildWriteResponse,
  type CachePolicy,
  PRIVATE_HEADERS,
  type TextResponse,
} from '../response.ts'
import { type AssetParts, imageRoute, uploadRoute } from './assets.ts'
import { bulkRoutes } from './bulk.ts'
import { draftRoutes } from './drafts.ts'
import { historyRoutes } from './history.ts'
import { orderRoutes } from './order.ts'
import { BY_ID, DELETED_ENTRIES_SCHEMA, ENTRY_PATH, listSchema, REFERENCES_SCHEMA } from './schemas.ts'

export interface EntryParts extends CachePolicy, AssetParts {}

export function entryRoutes(parts: EntryParts): readonly Route[] {
  const { collections, locales } = parts.context.model
  const readParameters = documentParameters(locales)
  const writeParameters = { ...writeLocaleParameter(locales), ...DRY_RUN_PARAMETERS }
  const listParametersByShape = new Map<string, ListParameters>()
  const getListParameters = (collection: CollectionModel): ListParameters => {
    const { maxLimit, status, holdsFiles } = collection
    const name = JSON.stringify([maxLimit, status?.values, holdsFiles])
    const parameters = listParametersByShape.get(name) ?? {
      ...listParameters(collection, locales, readParameters),
      ...DELETED_PARAMETERS,
    }
    listParametersByShape.set(name, parameters)
    return parameters
  }
  return [...collections.values()].flatMap((collection) => [
    listRoute(parts, collection, getListParameters(collection)),
    collection.holdsFiles ? uploadRoute(parts, collection) : createRoute(parts, collection, writeParameters),
    getEntryRoute(parts, collection, { ...readParameters, ...entryDraftParameters(collection) }),
    changeRoute(parts, collection, { ...writeParameters, ...saveDraftParameters(collection) }, 'PUT'),
    changeRoute(parts, collection, { ...writeParameters, ...saveDraftParameters(collection) }, 'PATCH'),
    deleteRoute(parts, collection),
    referencesRoute(parts, collection),
    ...(collection.holdsFiles ? [imageRoute(parts, collection)] : []),
    ...bulkRoutes(parts.context, collection),
    ...draftRoutes(parts.context, collection),
    ...historyRoutes(parts.context, collection),
    ...orderRoutes(parts.context, collection),
  ])
}

const BY_SLUG: PathParameters = {
  slug: {
    description: 'The slug of the entry, or its id.',
    schema: { type: 'string', minLength: 1 },
    example: 'my-first-post',
  },
}

type ReadParameters = ReturnType<typeof documentParameters> & ReturnType<typeof entryDraftParameters>
type ListParameters = ReturnType<typeof listParameters> & typeof DELETED_PARAMETERS
type WriteParameters = ReturnType<typeof writeLocaleParameter> & typeof DRY_RUN_PARAMETERS

function listRoute({ context }: EntryParts, collection: CollectionModel, parameters: ListParameters): Route {
  return defineReadRoute({
    method: 'GET',
    path: '/api/:collection',
    operationId: 'listEntries',
    resource: collection,
    protection: 'public',
    summary: 'Lists entries, one page at a time.',
    parameters,
    checksQuery: true,
    requestHeaders: ['ifMatch', 'ifNoneMatch', 'minSeq'],
    responses: describeReadResponses('One page of entries.', listSchema(collection), `${collection.key}List`).map(
      (response) => (response.schema ? { ...response, deletedSchema: DELETED_ENTRIES_SCHEMA } : response),
    ),
    errors: READ_ERRORS,
    read: async ({ access, headers, query }) => {
      if (query.partial.deleted === 'true') {
        const page = await listDeleted(context, access, collection, readDeletedQuery(collection, query))
        const json = JSON.stringify(page)
        const tag = toDocumentTag(0, hashCacheKey(json))
        return { tag, surrogateKeys: () => [collection.key], read: async () => json, isPrivate: true }
      }
      return readList(context.resolveReplica(access, headers.minSeq), access, collection, query)
    },
  })
}

function getEntryRoute({ context }: EntryParts, collection: CollectionModel, parameters: ReadParameters): Route {
  return defineReadRoute({
    method: 'GET',
    path: '/api/:collection/:slug',
    pathParameters: BY_SLUG,
    operationId: 'getEntry',
    resource: collection,
    protection: 'public',
    summary: 'Reads an entry by its slug or id.',
    parameters,
    checksQuery: true,
    requestHeaders: ['ifMatch', 'ifNoneMatch', 'minSeq', ...(hasDrafts(collection) ? (['preview'] as const) : [])],
    responses: describeReadResponses('The entry.', collection.schemas.read),
    errors: READ_ERRORS,
    read: async ({ access, headers, path, query, knownRevision }) => {
      const address = path.slug ?? ''
      const token = query.partial.preview ?? headers.preview
      const replica = context.resolveReplica(access, headers.minSeq)
      if (token === undefined) return readEntry(replica, access, collection, address, query, knownRevision)
      const response =
        (await readPreview(context, access, collection, address, query, token)) ??
        (await readEntry(replica, access, collection, address, query, knownRevision))
      // No cache may store a response that depends on a token, even if the token has expired.
      return { ...response, isPrivate: true }
    },
  })
}

function createRoute(
  { context, trustProxy }: EntryParts,
  collection: CollectionModel,
  parameters: WriteParameters,
): Route {
  const { key, schemas } = collection
  return defineRoute({
    method: 'POST',
    path: '/api/:collection',
    operationId: 'createEntry',
    resource: collection,
    protection: 'session',
    action: 'create',
    summary: 'Creates an entry.',
    parameters,
    requestHeaders: ['ifMatch', 'ifNoneMatch', 'idempotencyKey'],
    body: jsonBody('The fields of the new entry.', schemas.create),
    responses: [
      describeWriteResponse(201, 'The stored entry; `Location` is its URL.', schemas.read, [
        'Location',
        'Idempotency-Replayed',
      ]),
    ],
    errors: [...WRITE_ERRORS, ...IDEMPOTENCY_ERRORS],
    run: async ({ access, body, headers, query, request }) => {
      const { locale, dryRun } = query.values
      if (dryRun === 'true') {
        const writeContext = await createWriteContext(context, access, { locale, isDry: true })
        const entry = parseCreate(writeContext, collection, body)
        return buildDryRunResponse(
          201,
          (await execute(writeContext, () => prepareCreate(writeContext, collection, entry))).json,
        )
      }
      const write = {
        request: [key, body, ...(locale === undefined ? [] : [locale])],
        collections: [collection],
        listEntries: (stored: string) => [{ collection: key, id: JSON.parse(stored).id }],
      }
      const toResponse = (entry: EntryResponse): TextResponse =>
        buildWriteResponse(201, entry, { Location: buildLocation(key, entry, locale) })
      const options = { context, access, key: headers.idempotencyKey, request, trustProxy }
      return withIdempotency(options, write, toResponse, async (transact) => {
        const writeContext = await createWriteContext(context, access, { locale, transact })
        const entry = parseCreate(writeContext, collection, body)
        return execute(writeContext, () => prepareCreate(writeContext, collection, entry))
      })
    },
  })
}

const buildLocation = (collection: string, { address }: EntryResponse, locale: string | undefined): string =>
  `/api/${collection}/${encodeURIComponent(address)}${locale === undefined ? '' : `?locale=${locale}`}`

function changeRoute(
  { context }: EntryParts,
  collection: CollectionModel,
  parameters: WriteParameters & ReturnType<typeof saveDraftParameters>,
  method: 'PUT' | 'PATCH',
): Route {
  const { schemas } = collection
  const isMerge = method === 'PATCH'
  const names = isMerge
    ? { operationId: 'patchEntry', summary: 'Merges the body into an entry, inside objects as well (RFC 7396).' }
    : { operationId: 'updateEntry', summary: 'Updates the fields of an entry that the body contains.' }
  return defineRoute({
    ...names,
    method,
    path: ENTRY_PATH,
    pathParameters: BY_ID,
    resource: collection,
    protection: 'session',
    action: 'update',
    parameters,
    requestHeaders: ['ifMatch', 'ifNoneMatch'],
    body: jsonBody('The fields to change.', schemas.update, isMerge ? [MERGE_PATCH] : []),
    responses: [describeWriteResponse(200, 'The stored entry.', schemas.read)],
    errors: [...WRITE_ERRORS, 'PRECONDITION_REQUIRED'],
    run: async ({ access, body, headers, path, query }) => {
      const { locale, draft, autosave, dryRun } = query.values
      const isDry = dryRun === 'true'
      const isDraft = draft === 'true'
      if (autosave === 'true' && !isDraft)
        throw validationErrorAt('autosave', 'requires', 'requires draft=true', { name: 'draft' })
      const writeContext = await createWriteContext(context, access, { locale, isDry })
      const id = path.id ?? ''
      const target = isDraft
        ? new DraftTarget(writeContext, collection, id, autosave === 'true')
        : new EntryTarget(writeContext, collection, id)
      const update = parseUpdate(writeContext, collection, body, { isMerge, isDraft })
      const entry = await execute(writeContext, () =>
        prepareUpdate(writeContext, target, update, getPreconditions(headers)),
      )
      return isDry ? buildDryRunResponse(200, entry.json) : buildWriteResponse(200, entry)
    },
  })
}

function deleteRoute({ context }: EntryParts, collection: CollectionModel): Route {
  return defineRoute({
    method: 'DELETE',
    path: ENTRY_PATH,
    pathParameters: BY_ID,
    operationId: 'deleteEntry',
    resource: collection,
    protection: 'session',
    action: 'delete',
    summary: 'Deletes an entry.',
    parameters: { ...discardDraftParameters(collection), ...DRY_RUN_PARAMETERS },
    requestHeaders: ['ifMatch', 'ifNoneMatch'],
    responses: [
      {
        status: 204,
        description: 'The entry was deleted.',
        headers: ['Cache-Control', 'Daybook-Seq', 'Daybook-Dry-Run'],
      },
    ],
    errors: [...WRITE_ERRORS, 'PRECONDITION_REQUIRED'],
    run: async ({ access, headers, path, query }) => {
      const { draft, dryRun } = query.values
      const isDry = dryRun === 'true'
      const writeContext = await createWriteContext(context, access, { isDry })
      const id = path.id ?? ''
      const options = getPreconditions(headers)
      const { seq } = await execute(writeContext, () =>
        draft === 'true'
          ? prepareDiscard(writeContext, collection, id, options)
          : prepareDelete(writeContext, new EntryTarget(writeContext, collection, id), options),
      )
      return buildNoContentResponse(seq, isDry)
    },
  })
}

function referencesRoute({ context }: EntryParts, collection: CollectionModel): Route {
  return defineRoute({
    method: 'GET',
    path: `${ENTRY_PATH}/references`,
    pathParameters: BY_ID,
    operationId: 'findReferences',
    resource: collection,
    protection: 'session',
    summary: 'Lists the documents that refer to an entry.',
    parameters: PAGE_PARAMETERS,
    requestHeaders: ['ifMatch', 'ifNoneMatch'],
    responses: [
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
      const references = await listReferrers(context, access, collection, path.id ?? '', readPageBounds(query))
      return { status: 200, json: JSON.stringify(references), headers: PRIVATE_HEADERS }
    },
  })
}
