// Run by budgets.ts: requests responses that would need much memory if all of them were kept, and prints how many more bytes the process
// holds afterwards.
import { defineCollection, defineConfig, f } from 'daybook'
import { createTestService } from 'daybook/testing'

const [scenario = '', responseCacheBytes = ''] = process.argv.slice(2)
const MIB = 2 ** 20
const MAX_TEXT = 100_000

const config = defineConfig({
  limits: { responseCacheBytes: Number(responseCacheBytes) },
  collections: {
    posts: defineCollection({
      fields: { rank: f.integer({ required: true }), text: f.text({ maxLength: MAX_TEXT, index: false }) },
    }),
  },
})

await using service = await createTestService(config)

async function createPosts(count: number, makeText: (rank: number) => string): Promise<void> {
  for (let rank = 0; rank < count; rank += 1) {
    await service.content.create('posts', { rank, text: makeText(rank) })
  }
}

/** Reads a response as a client does, and returns its length in bytes, as it was sent. */
async function read(path: string, coding = 'identity'): Promise<number> {
  const response = await service.request(path, { headers: { 'accept-encoding': coding } })
  const { byteLength } = await response.arrayBuffer()
  if (response.status !== 200) throw new Error(`${path} responded ${response.status}.`)
  return byteLength
}

/** Requests lists of 20 KiB, each `times` times in a row. */
async function readDifferentLists(count: number, times: number): Promise<void> {
  for (let number = 0; number < count; number += 1) {
    for (let time = 0; time < times; time += 1) await read(`/api/posts?limit=20&where[rank][gte]=-${number}`)
  }
}

/** Requests lists of a hundred texts of 100,000 characters each. */
async function readLargeLists(): Promise<void> {
  for (let offset = 0; offset < 12; offset += 1) {
    const path = `/api/posts?limit=100&offset=${offset}`
    for (let time = 0; time < 3; time += 1) {
      const length = await read(path)
      if (length < 9 * MIB) throw new Error(`A response of ${length} bytes is not large.`)
    }
    for (const coding of ['br', 'gzip', 'zstd']) await read(path, coding)
  }
}

function readHeldBytes(): number {
  for (let time = 0; time < 3; time += 1) globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

if (scenario === 'large') await createPosts(112, (rank) => `${rank} `.repeat(MAX_TEXT).slice(0, MAX_TEXT))
else await createPosts(20, () => 'word '.repeat(200))
// Loaded modules, compiled code and opened connections do not count.
await readDifferentLists(200, 1)
const before = readHeldBytes()
if (scenario === 'large') await readLargeLists()
else await readDifferentLists(scenario === 'twice' ? 3000 : 4000, scenario === 'twice' ? 2 : 1)
process.stdout.write(String(readHeldBytes() - before))
process.exit(0)
