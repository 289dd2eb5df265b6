import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { Folder } from '../support/stores/folder.ts'

const SOURCE = JSON.stringify(new URL('../../src/node/bound-heap.ts', import.meta.url).href)
const MIB = 2 ** 20

/** What a program prints that runs under the bounds. */
async function printed(program: string): Promise<number> {
  await using folder = await Folder.make()
  const file = join(folder.address, 'allocate.mjs')
  await writeFile(
    file,
    `import { setImmediate as turn } from 'node:timers/promises'
    import { getHeapSpaceStatistics } from 'node:v8'
    import { Worker } from 'node:worker_threads'
    import { boundHeap } from ${SOURCE}
    boundHeap()
    ${program}`,
  )
  const { stdout } = await promisify(execFile)(process.execPath, [file])
  return Number(stdout)
}

/** Keeps some objects for so long that they grow old, and drops them then; gives the most that old objects took. */
const CHURN = `
  const { getHeapSpaceStatistics } = await import('node:v8')
  const sizeOfOld = () => getHeapSpaceStatistics().find((space) => space.space_name === 'old_space').space_size
  const kept = []
  let most = 0
  for (let n = 0; n < 3_000_000; n++) {
    kept[n % 60_000] = { n, text: 'x' + n, list: [n, n + 1] }
    if (n % 10_000 === 0) {
      await new Promise(setImmediate)
      most = Math.max(most, sizeOfOld())
    }
  }`

/** Makes objects of which many live for a while, and gives the size of the room for new ones. */
const makeMany = (afterEach: string): string => `
    const kept = []
    for (let n = 0; n < 4_000_000; n++) {
      kept[n % 200_000] = { n, text: 'x' + n, list: [n, n + 1] }
      if (n % 10_000 === 0) { ${afterEach} }
    }
    console.log(getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size)`

test("a service's room for new objects stays within 64 MiB, however many of them live for a while", async () => {
  // It is 16 to 32 MiB; on a busy machine V8 tells late, and has taken another step. Without the bound it is 128 MiB.
  expect(await printed(makeMany('await turn()'))).toBeLessThanOrEqual(64 * MIB)
})

test('so it does in one long turn of the event loop, as when modules are loaded', async () => {
  expect(await printed(makeMany(''))).toBeLessThanOrEqual(32 * MIB)
})

test('garbage is collected before it takes twice as much as what is alive', async () => {
  // What is kept takes 10 MiB, and Node itself 5; on a busy machine V8 is late. Without the bound it is more than 66 MiB.
  expect(await printed(`{ ${CHURN}; console.log(most) }`)).toBeLessThanOrEqual(60 * MIB)
})

test('so it is in the threads of the service', async () => {
  const code = JSON.stringify(
    `(async () => { ${CHURN}; require('node:worker_threads').parentPort.postMessage(most) })()`,
  )
  const limits = '{ maxYoungGenerationSizeMb: 8 }'
  const program = `new Worker(${code}, { eval: true, resourceLimits: ${limits} }).once('message', console.log)`
  expect(await printed(program)).toBeLessThanOrEqual(60 * MIB)
})
