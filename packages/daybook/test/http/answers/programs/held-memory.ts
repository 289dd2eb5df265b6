// Run by kept-answers-memory.test.ts: asks a service in a way that would need much memory, and prints how many more bytes it holds afterwards.
import { defineCollection, defineConfig, f } from 'daybook'
import { createTestService } from 'daybook/testing'
import { AS_SYSTEM } from '../../../support/stores/place.ts'

const [scenario = '', answerCacheBytes = ''] = process.argv.slice(2)
const MIB = 2 ** 20
const MAX_TEXT = 100_000

const config = defineConfig({
  limits: { answerCacheBytes: Number(answerCacheBytes) },
  collections: {
    posts: defineCollection({
      fields: { rank: f.integer({ required: true }), text: f.text({ maxLength: MAX_TEXT, index: false }) },
    }),
  },
})

await using service = await createTestService(config)

async function createPosts(count: number, textOf: (rank: number) => string): Promise<void> {
  for (let rank = 0; rank < count; rank += 1)
    await service.content.create('posts', { rank, text: textOf(rank) } as never, AS_SYSTEM)
}

/** Reads an answer as a client does; gives its length in bytes, as it was sent. */
async function ask(path: string, coding = 'identity'): Promise<number> {
  const answer = await service.request(path, { headers: { 'accept-encoding': coding } })
  const { byteLength } = await answer.arrayBuffer()
  if (answer.status !== 200) throw new Error(`${path} was answered with ${answer.status}.`)
  return byteLength
}

function heldBytes(): number {
  for (let time = 0; time < 3; time += 1) globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** Every question has an answer of 20 KiB; `again`: how often the same one comes in a row. */
async function askDifferent(questions: number, again: number): Promise<void> {
  for (let question = 0; question < questions; question += 1)
    for (let time = 0; time < again; time += 1) await ask(`/api/posts?limit=20&where[rank][gte]=-${question}`)
}

/** Lists of a hundred texts of 100,000 characters each. */
async function askLarge(): Promise<void> {
  for (let offset = 0; offset < 12; offset += 1) {
    const path = `/api/posts?limit=100&offset=${offset}`
    for (let time = 0; time < 3; time += 1) {
      const length = await ask(path)
      if (length < 9 * MIB) throw new Error(`An answer of ${length} bytes is not large.`)
    }
    for (const coding of ['br', 'gzip', 'zstd']) await ask(path, coding)
  }
}

/** What fills a store, and what is asked then. */
const SCENARIOS: Readonly<Record<string, () => Promise<() => Promise<void>>>> = {
  async once() {
    await createPosts(20, () => 'word '.repeat(200))
    return () => askDifferent(4000, 1)
  },
  async twice() {
    await createPosts(20, () => 'word '.repeat(200))
    return () => askDifferent(3000, 2)
  },
  async large() {
    await createPosts(112, (rank) => `${rank} `.repeat(MAX_TEXT).slice(0, MAX_TEXT))
    return askLarge
  },
}

const run = await SCENARIOS[scenario]?.()
if (!run) throw new Error(`There is no scenario "${scenario}".`)
// What is loaded, compiled and opened once is no matter here.
await askDifferent(200, 1)
const before = heldBytes()
await run()
process.stdout.write(String(heldBytes() - before))
process.exit(0)
