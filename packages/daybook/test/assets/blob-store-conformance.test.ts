import { disk } from 'daybook'
import { blobStoreConformance } from 'daybook/testing'
import { afterAll, describe, test } from 'vitest'
import { LARGE_TEST_MS } from '../support/patience.ts'
import { Folder } from '../support/stores/folder.ts'

describe('a disk keeps what the interface promises', async () => {
  const folder = await Folder.make()
  afterAll(() => folder[Symbol.asyncDispose]())
  const open = () => disk().open({ data: folder.address })
  test.each(blobStoreConformance({ open }))('$name', { timeout: LARGE_TEST_MS }, ({ run }) => run())
})
