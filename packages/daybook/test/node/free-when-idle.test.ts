import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { Folder } from '../support/stores/folder.ts'

const SOURCE = JSON.stringify(new URL('../../src/node/free-when-idle.ts', import.meta.url).href)
const MIB = 2 ** 20

/** By how many bytes the heap of a process has become smaller once it has had nothing to do, and while it is busy. */
async function freed(): Promise<{ readonly busy: number; readonly idle: number }> {
  await using folder = await Folder.make()
  const file = join(folder.address, 'idle.mjs')
  await writeFile(
    file,
    `import { setTimeout as sleep } from 'node:timers/promises'
    import { freeWhenIdle } from ${SOURCE}
    const heap = () => process.memoryUsage().heapTotal
    // Old garbage, as modules leave it.
    globalThis.garbage = Array.from({ length: 300_000 }, (_, n) => ({ n, text: 'x' + n }))
    await sleep(10)
    globalThis.garbage = undefined
    const before = heap()
    freeWhenIdle()
    for (const endsAt = performance.now() + 2000; performance.now() < endsAt; await sleep(0)) {
      for (const next = performance.now() + 20; performance.now() < next; );
    }
    const busy = before - heap()
    for (let seconds = 0; seconds < 60 && before - heap() < ${10 * MIB}; seconds++) await sleep(1000)
    console.log(JSON.stringify({ busy, idle: before - heap() }))`,
  )
  const { stdout } = await promisify(execFile)(process.execPath, [file])
  return JSON.parse(stdout)
}

test('what loading leaves behind is given back once the process has nothing to do, and not before', async () => {
  const { busy, idle } = await freed()
  expect(busy).toBeLessThan(5 * MIB)
  expect(idle).toBeGreaterThanOrEqual(10 * MIB)
})
