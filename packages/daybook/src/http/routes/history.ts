import type { ContentContext } from '../../content/context.ts'
import { DaybookError } from '../../errors.ts'
import { listVersions, readVersion } from '../../journal/history/versions.ts'
import type { CollectionModel, GlobalModel } from '../../model/model.ts'
import { VERSIONS_PARAMETERS, versionParameters } from '../../query/journal-query.ts'
import { defineRoute, describeReadResponses, type PathParameters, READ_ERRORS, type Route } from '../contract.ts'
import { isNotModified } from '../request-headers.ts'
import { PRIVATE_HEADERS } from '../response.ts'
import { BY_ID, ENTRY_PATH, VERSION_SCHEMA, VERSIONS_SCHEMA } from './schemas.ts'

/** The path of a document, and the suffix of operation ids. */
interface DocumentAddress {
  readonly path: string
  readonly pathParameters: PathParameters
  readonly name: 'Entry' | 'Global'
}

const ENTRY: DocumentAddress = { path: ENTRY_PATH, pathParameters: BY_ID, name: 'Entry' }
const GLOBAL: DocumentAddress = { path: '/api/globals/:key', pathParameters: {}, name: 'Global' }

const BY_REVISION: PathParameters = {
  revision: {
    description: 'The revision: the sequence number of the change.',
    schema: { type: 'integer', minimum: 1 },
    example: 1,
  },
}

export function historyRoutes(context: ContentContext, document: CollectionModel | GlobalModel): readonly Route[] {
  const address = document.kind === 'global' ? GLOBAL : ENTRY
  return [versionsRoute(context, document, address), versionRoute(context, document, address)]
}

function versionsRoute(
  context: ContentContext,
  document: CollectionModel | GlobalModel,
  { path, pathParameters, name }: DocumentAddress,
): Route {
  return defineRoute({
    method: 'GET',
    path: `${path}/versions`,
    pathParameters,
    operationId: `listVersionsOf${name}`,
    resource: document,
    protection: 'session',
    summary: 'Lists the versions of a document, the newest first, with time and actor.',
    parameters: VERSIONS_PARAMETERS,
    requestHeaders: ['ifMatch', 'ifNoneMatch'],
    responses: [
      {
        status: 200,
        description: 'One page of versions.',
        schema: VERSIONS_SCHEMA,
        name: 'versions',
        headers: ['Cache-Control', 'Vary'],
      },
    ],
    errors: READ_ERRORS,
    run: async ({ access, path: parameters, query }) => {
      const versions = await listVersions(context, access, document, parameters.id ?? '', query.values)
      return { status: 200, json: JSON.stringify(versions), headers: PRIVATE_HEADERS }
    },
  })
}

function versionRoute(
  context: ContentContext,
  document: CollectionModel | GlobalModel,
  { path, pathParameters, name }: DocumentAddress,
): Route {
  return defineRoute({
    method: 'GET',
    path: `${path}/versions/:revision`,
    pathParameters: { ...pathParameters, ...BY_REVISION },
    operationId: `getVersionOf${name}`,
    resource: document,
    protection: 'session',
    summary: 'Reads one version of a document, or with `against` the difference from another one.',
    parameters: versionParameters(context.model.locales),
    requestHeaders: ['ifMatch', 'ifNoneMatch'],
    responses: describeReadResponses(
      'The version, or the difference as a JSON Patch (RFC 6902).',
      VERSION_SCHEMA,
      'version',
    ),
    errors: READ_ERRORS,
    run: async ({ access, headers, path: parameters, query }) => {
      const version = { id: parameters.id ?? '', revision: readRevision(parameters.revision) }
      const { json, tag } = await readVersion(context, access, document, version, query.values)
      const responseHeaders = { ETag: tag, ...PRIVATE_HEADERS }
      return isNotModified(headers, tag)
        ? { status: 304, headers: responseHeaders }
        : { status: 200, json, headers: responseHeaders }
    },
  })
}

/** @throws NOT_FOUND for a text that is not a revision */
function readRevision(text = ''): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw new DaybookError('NOT_FOUND')
}
