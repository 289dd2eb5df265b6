import { type BlobStore, disk } from 'daybook'
import { s3 } from 'daybook/s3'
import { blobStoreConformance } from 'daybook/testing'
import { afterAll, describe, test } from 'vitest'
import { S3_KEY, S3Server } from '../support/assets/s3-server.ts'
import { Folder } from '../support/stores/folder.ts'
import { LARGE_TEST_MS, WAIT_TIMEOUT_MS } from '../support/timeouts.ts'

interface BlobPlace {
  readonly name: string
  /** The container of the blobs, until it is disposed of. */
  make(): Promise<AsyncDisposable & { open(): Promise<BlobStore> }>
}

async function makeDisk(): Promise<AsyncDisposable & { open(): Promise<BlobStore> }> {
  const folder = await Folder.make()
  return Object.assign(folder, { open: () => disk().open({ data: folder.address }) })
}

async function makeS3(
  prefix: string,
  knowsConditions: boolean,
): Promise<AsyncDisposable & { open(): Promise<BlobStore> }> {
  const server = await S3Server.make()
  server.knowsConditions = knowsConditions
  const endpoint = `http://127.0.0.1:${server.port}`
  const option = s3({ bucket: 'files', endpoint, prefix, credentials: S3_KEY, timeoutMs: WAIT_TIMEOUT_MS })
  return Object.assign(server, { open: () => option.open({ data: '' }) })
}

const PLACES: readonly BlobPlace[] = [
  { name: 'a disk', make: makeDisk },
  { name: 'S3', make: () => makeS3('site/uploads', true) },
]

describe.each(PLACES)('$name satisfies the interface', async ({ make }) => {
  const place = await make()
  afterAll(() => place[Symbol.asyncDispose]())
  test.each(blobStoreConformance(place))('$name', { timeout: LARGE_TEST_MS }, ({ run }) => run())
})

describe('a server like S3 without conditional copies publishes as the interface says', async () => {
  const place = await makeS3('', false)
  afterAll(() => place[Symbol.asyncDispose]())
  const checks = blobStoreConformance(place).filter(({ name }) => name.startsWith('publish:'))
  test.each(checks)('$name', ({ run }) => run())
})
