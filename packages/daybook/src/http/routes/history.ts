import type { Engine } from '../../content/engine.ts'
import { DaybookError } from '../../errors.ts'
import { readVersion } from '../../journal/history/version.ts'
import { listVersions } from '../../journal/history/versions.ts'
import type { CollectionModel, GlobalModel } from '../../model/model.ts'
import { VERSIONS_PAGE, versionParameters } from '../../query/history-query.ts'
import { isKnown } from '../conditions.ts'
import { defineRoute, type PathParameters, READ_ERRORS, type Route, readAnswers } from '../contract.ts'
import { PRIVATE } from '../respond.ts'
import { BY_ID, ENTRY_PATH } from './entry-path.ts'
import { VERSION_SCHEMA, VERSIONS_SCHEMA } from './schemas.ts'

/** Where a document is addressed, and how operations on it are called. */
interface DocumentAddress {
  readonly path: string
  readonly pathParameters: PathParameters
  readonly name: 'Entry' | 'Global'
}

const ENTRY: DocumentAddress = { path: ENTRY_PATH, pathParameters: BY_ID, name: 'Entry' }
const GLOBAL: DocumentAddress = { path: '/api/globals/:key', pathParameters: {}, name: 'Global' }

const BY_REVISION: PathParameters = {
  revision: {
    description: 'The number of the version: that of the change which made it.',
    schema: { type: 'integer', minimum: 1 },
    example: 1,
  },
}

/** The history of entries, or of a global. */
export function historyRoutes(engine: Engine, document: CollectionModel | GlobalModel): readonly Route[] {
  const address = document.kind === 'global' ? GLOBAL : ENTRY
  return [versionsRoute(engine, document, address), versionRoute(engine, document, address)]
}

function versionsRoute(
  engine: Engine,
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
    summary: 'Lists the versions of a document, newest first: who made them, and when.',
    parameters: VERSIONS_PAGE,
    conditions: ['ifMatch', 'ifNoneMatch'],
    answers: [
      {
        status: 200,
        description: 'One page of versions.',
        schema: VERSIONS_SCHEMA,
        name: 'versions',
        headers: ['Cache-Control', 'Vary'],
      },
    ],
    errors: READ_ERRORS,
    run: async ({ access, path: at, query }) => {
      const versions = await listVersions(engine, access, document, at.id ?? '', query.values)
      return { status: 200, json: JSON.stringify(versions), headers: PRIVATE }
    },
  })
}

function versionRoute(
  engine: Engine,
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
    summary: 'Reads one version of a document; with `against`, what makes it of another one.',
    parameters: versionParameters(engine.model.locales),
    conditions: ['ifMatch', 'ifNoneMatch'],
    answers: readAnswers('The version, or the difference as a JSON Patch (RFC 6902).', VERSION_SCHEMA, 'version'),
    errors: READ_ERRORS,
    run: async ({ access, conditions, path: at, query }) => {
      const version = { id: at.id ?? '', revision: readRevision(at.revision) }
      const { json, tag } = await readVersion(engine, access, document, version, query.values)
      const headers = { ETag: tag, ...PRIVATE }
      return isKnown(conditions, tag) ? { status: 304, headers } : { status: 200, json, headers }
    },
  })
}

/** @throws NOT_FOUND for what cannot be a number of the journal */
function readRevision(text = ''): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw new DaybookError('NOT_FOUND')
}
