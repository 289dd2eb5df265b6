import { randomBytes } from 'node:crypto'
import type { AuthGuard } from '../../auth/guard.ts'
import { type DocsConfig, getDocsPath } from '../../config/docs.ts'
import { DaybookError, StartupError } from '../../errors.ts'
import { NO_PARAMETERS } from '../../query/parameters.ts'
import { COMMON_ERRORS, defineRoute, type HeaderName, type Route } from '../contract.ts'
import type { OpenFile } from '../docs/docs-files.ts'
import type { OpenDocs } from '../docs/docs-page.ts'
import type { HttpResponse } from '../response.ts'

export interface DocsParts {
  readonly auth: AuthGuard
  readonly docs: DocsConfig | false
}

/**
 * The policy of the docs page (CSP level 3): it may run its scripts, and send requests to this service. Scalar writes inline styles.
 * Scripts need the nonce, which modules pass on to their imports: `'self'` would admit every file of the origin, including uploads.
 */
const buildPagePolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    "style-src 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')

const COMMON = {
  method: 'GET',
  protection: 'public',
  ignoresCaller: true,
} as const

/** The page has no entity tag, since the policy of a 304 would have another nonce than the cached page. */
const buildPageHeaders = (nonce: string) =>
  ({
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': buildPagePolicy(nonce),
    'Referrer-Policy': 'same-origin',
    'Cache-Control': 'no-cache',
  }) as const

/** The files of a version never change. An image that is opened directly cannot run scripts. */
const FILE_HEADERS = {
  'Cache-Control': 'public, max-age=31536000, immutable',
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  Vary: 'Accept-Encoding',
} as const

/** The routes of the docs page and its files, which are loaded at the first request. */
export function docsRoutes({ docs, auth }: DocsParts): readonly Route[] {
  const path = getDocsPath({ docs })
  if (docs === false || path === undefined) return []
  rejectSharedPath(path, auth)
  const openDocs = makeLazy(async () => (await import('../docs/docs-page.ts')).openDocs(docs, path))
  return [pageRoute(path, openDocs), fileRoute(path, openDocs)]
}

const pageRoute = (path: string, openDocs: () => Promise<OpenDocs>): Route =>
  defineRoute({
    ...COMMON,
    path,
    operationId: 'getDocs',
    summary: 'Serves the docs page.',
    requestHeaders: [],
    responses: [
      { status: 200, description: 'The page.', mediaType: 'text/html', headers: listHeaderNames(buildPageHeaders('')) },
    ],
    errors: COMMON_ERRORS,
    run: async () => {
      const { html } = await openDocs()
      const nonce = randomBytes(16).toString('base64')
      return { status: 200, content: toStream(html(nonce)), headers: buildPageHeaders(nonce) }
    },
  })

const fileRoute = (path: string, openDocs: () => Promise<OpenDocs>): Route =>
  defineRoute({
    ...COMMON,
    path: `${path}/*`,
    operationId: 'getDocsFile',
    summary: 'Serves a file of the docs page.',
    parameters: NO_PARAMETERS,
    requestHeaders: [],
    responses: [{ status: 200, description: 'The file.', headers: listHeaderNames(FILE_HEADERS, 'Content-Encoding') }],
    errors: [...COMMON_ERRORS, 'NOT_FOUND'],
    run: async ({ path: { '*': rest = '' }, request }) => {
      const { files } = await openDocs()
      const [version, ...name] = rest.split('/')
      const isCurrent = version === files.version
      return buildFileResponse(
        isCurrent ? files.read(name.join('/'), request.headers.get('accept-encoding')) : undefined,
      )
    },
  })

/** @throws NOT_FOUND without a file */
function buildFileResponse(file: OpenFile | undefined): HttpResponse {
  if (!file) throw new DaybookError('NOT_FOUND')
  const { content, mediaType, encoding } = file
  const encoded = encoding === undefined ? {} : { 'Content-Encoding': encoding }
  return { status: 200, content, headers: { ...FILE_HEADERS, 'Content-Type': mediaType, ...encoded } }
}

const listHeaderNames = (headers: object, ...furtherNames: readonly HeaderName[]): readonly HeaderName[] => [
  ...(Object.keys(headers) as HeaderName[]),
  ...furtherNames,
]

const toStream = (text: string): ReadableStream<Uint8Array> => new Blob([text]).stream()

/** Returns a function that creates a value at its first call, and retries after a failure. */
function makeLazy<T>(create: () => Promise<T>): () => Promise<T> {
  let value: Promise<T> | undefined
  return () => {
    value ??= create().catch((error) => {
      value = undefined
      throw error
    })
    return value
  }
}

/** @throws {StartupError} if the paths of the auth provider and the page overlap */
function rejectSharedPath(path: string, { capabilities: { providerRoutes } }: AuthGuard): void {
  const { enabled, basePath } = providerRoutes
  if (!enabled || basePath === undefined) return
  const [short = '', long = ''] = [`${path}/`, `${basePath}/`].sort((a, b) => a.length - b.length)
  if (!long.startsWith(short)) return
  throw new StartupError(`docs.path: ${basePath} belongs to the auth adapter. Choose another path, such as '/docs'`)
}
