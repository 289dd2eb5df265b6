import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const PACKAGE = join(import.meta.dirname, '../..')

const namesOf = (module: object): readonly string[] => Object.keys(module).sort()

// A name that comes or goes is a change of the public surface: it belongs into the CHANGELOG, too.
describe('what the package exports', () => {
  test('daybook', async () => {
    expect(namesOf(await import('daybook'))).toEqual([
      'ANONYMOUS',
      'COMMON_RULES',
      'ConfigError',
      'DaybookError',
      'DeliveryError',
      'ERRORS',
      'SCALAR_RULES',
      'SILENT',
      'SYSTEM',
      'ServiceContent',
      'StartupError',
      'createService',
      'defineCollection',
      'defineConfig',
      'defineGlobal',
      'defineMigration',
      'definePlugin',
      'describeFileResponses',
      'disk',
      'etagOf',
      'f',
      'formatDisposition',
      'getIdentity',
      'getSubject',
      'hasRole',
      'isAuthenticated',
      'isHumanUser',
      'makeField',
      'mustBeSaved',
      'respondWithFile',
      'scalarBehavior',
      'servedType',
      'serviceTokenAdapter',
      'signImage',
      'staticFiles',
    ])
  })

  test('daybook/better-auth', async () => {
    expect(namesOf(await import('daybook/better-auth'))).toEqual(['betterAuth'])
  })

  test('daybook/jwt', async () => {
    expect(namesOf(await import('daybook/jwt'))).toEqual(['jwt'])
  })

  test('daybook/node', async () => {
    expect(namesOf(await import('daybook/node'))).toEqual(['serve'])
  })

  test('daybook/plugins', async () => {
    expect(namesOf(await import('daybook/plugins'))).toEqual([
      'purgeCdn',
      'purgeCloudflare',
      'purgeFastly',
      'redirects',
      'robots',
      'serveUploads',
      'signUpload',
      'sitemap',
      'webhooks',
    ])
  })

  test('daybook/postgres', async () => {
    expect(namesOf(await import('daybook/postgres'))).toEqual(['postgres'])
  })

  test('daybook/s3', async () => {
    expect(namesOf(await import('daybook/s3'))).toEqual(['s3'])
  })

  test('daybook/show-if', async () => {
    expect(namesOf(await import('daybook/show-if'))).toEqual(['SHOW_IF_OPERATORS', 'isFieldShown'])
  })

  test('daybook/slugs', async () => {
    expect(namesOf(await import('daybook/slugs'))).toEqual(['MAX_SLUG_LENGTH', 'isUuidShaped', 'slugify'])
  })

  test('daybook/testing', async () => {
    expect(namesOf(await import('daybook/testing'))).toEqual([
      'authAdapterConformance',
      'blobStoreConformance',
      'createTestService',
      'pluginConformance',
    ])
  })

  test('daybook/tus', async () => {
    expect(namesOf(await import('daybook/tus'))).toEqual(['resumableUploads'])
  })

  test('the field builders', async () => {
    const { f } = await import('daybook')
    expect(Object.keys(f).join(' ')).toBe(
      'text markdown number integer boolean date datetime select email url slug status json relation parent reverse asset group list blocks',
    )
  })

  test('the error table of the contract', async () => {
    const { ERRORS } = await import('daybook')
    expect(Object.entries(ERRORS).map(([code, { status }]) => `${status} ${code}`)).toEqual([
      '400 VALIDATION_ERROR',
      '401 UNAUTHORIZED',
      '403 FORBIDDEN',
      '404 NOT_FOUND',
      '405 METHOD_NOT_ALLOWED',
      '409 CONFLICT',
      '410 GONE',
      '412 PRECONDITION_FAILED',
      '413 PAYLOAD_TOO_LARGE',
      '415 UNSUPPORTED_MEDIA_TYPE',
      '416 RANGE_NOT_SATISFIABLE',
      '422 IDEMPOTENCY_MISMATCH',
      '428 PRECONDITION_REQUIRED',
      '429 RATE_LIMITED',
      '500 INTERNAL_ERROR',
      '501 NOT_IMPLEMENTED',
      '503 SERVICE_UNAVAILABLE',
      '507 INSUFFICIENT_STORAGE',
    ])
  })
})

describe('package.json', async () => {
  const manifest = JSON.parse(await readFile(join(PACKAGE, 'package.json'), 'utf8'))
  const targets: readonly (readonly [name: string, path: string])[] = [
    ...Object.entries<string>(manifest.exports),
    ...Object.entries<string>(manifest.bin),
  ]

  test('names exactly the subpaths that are tested here', () => {
    expect(Object.keys(manifest.exports)).toEqual([
      '.',
      './better-auth',
      './jwt',
      './node',
      './plugins',
      './postgres',
      './s3',
      './show-if',
      './slugs',
      './testing',
      './tus',
    ])
    expect(Object.keys(manifest.bin)).toEqual(['daybook'])
  })

  test.each(targets)('%s leads to a file', async (_name, path) => {
    await access(join(PACKAGE, path))
  })

  test('has no way into the folders behind them', async () => {
    const inner = 'daybook/src/index.ts'
    expect(() => import.meta.resolve(inner)).toThrow()
  })
})
