import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { defineCollection, defineConfig, f } from 'daybook'
import { expect, test } from 'vitest'
import { AnswerCache } from '../../../src/http/answers/answer-cache.ts'
import { LARGE_TEST_MS } from '../../support/patience.ts'
import { create } from '../../support/stores/place.ts'
import { SQLITE } from '../../support/stores/stores.ts'

const PROGRAM = fileURLToPath(new URL('programs/held-memory.ts', import.meta.url))
const MIB = 2 ** 20
/** What a service may hold besides answers after thousands of requests: statements, parsed questions, compiled code. */
const OTHER_BYTES = 24 * MIB

/** How many more bytes a service holds after a scenario. */
async function heldAfter(scenario: string, answerCacheBytes: number): Promise<number> {
  const args = ['--expose-gc', PROGRAM, scenario, String(answerCacheBytes)]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return Number(stdout)
}

// All of them take 60 MiB and more, those of 10 MB 120 MiB.
test.each<[title: string, scenario: string, answerCacheBytes: number]>([
  ['answers that are asked for once', 'once', 4 * MIB],
  ['answers that are asked for twice', 'twice', 4 * MIB],
  ['answers of 10 MB, too large to be kept', 'large', 16 * MIB],
  ['answers of 10 MB that are kept, compressed and not', 'large', 88 * MIB],
])(
  '%s take no more memory than they may',
  async (_title, scenario, answerCacheBytes) => {
    expect(await heldAfter(scenario, answerCacheBytes)).toBeLessThan(answerCacheBytes + OTHER_BYTES)
  },
  LARGE_TEST_MS,
)

test(
  'a million questions that come once each are not worth keeping, and take no room',
  () => {
    const cache = new AnswerCache({ maxBytes: MIB, storeVersion: () => 1 })
    let worth = 0
    for (let number = 0; number < 1_000_000; number += 1)
      if (cache.isWorthKeeping(`/api/posts?where[rank][eq]=${number}`)) worth += 1
    // Four bytes stand for each of the last 65,536 questions: some look like another one.
    expect(worth).toBeLessThan(100)
  },
  LARGE_TEST_MS,
)

const config = defineConfig({
  limits: { answerCacheBytes: MIB },
  collections: {
    posts: defineCollection({
      fields: { rank: f.integer({ required: true }), text: f.text({ maxLength: 10_000, index: false }) },
    }),
  },
})

test('of more answers than fit, asked for in turn, some stay', async () => {
  await using service = await SQLITE.open(config)
  for (let rank = 0; rank < 200; rank += 1) await create(service, 'posts', { rank, text: 'x'.repeat(10_000) })
  const ask = async (): Promise<number> => {
    const before = service.statements()
    for (let offset = 0; offset < 200; offset += 1)
      expect((await service.request(`/api/posts?limit=1&offset=${offset}`)).status).toBe(200)
    return service.statements() - before
  }
  const first = await ask()
  for (let time = 0; time < 10; time += 1) await ask()
  // A kept answer takes no statement. A third of them fit.
  expect(await ask()).toBeLessThan(0.9 * first)
})
