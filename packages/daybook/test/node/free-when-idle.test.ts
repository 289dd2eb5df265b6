import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { Folder } from '../support/stores/folder.ts'

const SOURCE = JSON.stringify(new URL('../../src/node/free-when-idle.ts', import.meta.url).href)
const MIB = 2 ** 20

/** What a process did. */
interface Freed {
  /** How often it asked for a collection while it was busy. V8 may collect by itself meanwhile, so that the heap does not tell. */
  readonly asked: number
  /** By how many bytes the heap has become smaller once the process has had nothing to do. */
  readonly idle: number
}

async function freed(): Promise<Freed> {
  await using folder = await Folder.make()
  const file = join(folder.address, 'idle.mjs')
  await writeFile(
    file,
    `import { Session } from 'node:inspector/promises'
    import { setTimeout as sleep } from 'node:timers/promises'
    import { freeWhenIdle } from ${SOURCE}
    const heap = () => process.memoryUsage().heapTotal
    let asked = 0
    const { post } = Session.prototype
    Session.prototype.post = function (method, ...rest) {
      if (method === 'HeapProfiler.collectGarbage') asked += 1
      return post.call(this, method, ...rest)
    }
    // Old garbage, as modules leave it.
    globalThis.garbage = Array.from({ length: 300_000 }, (_, n) => ({ n, text: 'x' + n }))
    await sleep(10)
    globalThis.garbage = undefined
    const before = heap()
    freeWhenIdle()
    for (const endsAt = performance.now() + 2000; performance.now() < endsAt; await sleep(0)) {
      for (const next = performance.now() + 20; performance.now() < next; );
    }
    const askedWhileBusy = asked
    for (let seconds = 0; seconds < 60 && before - heap() < ${10 * MIB}; seconds++) await sleep(1000)
    console.log(JSON.stringify({ asked: askedWhileBusy, idle: before - heap() }))`,
  )
  const { stdout } = await promisify(execFile)(process.execPath, [file])
  return JSON.parse(stdout)
}

test('what loading leaves behind is given back once the process has nothing to do, and not before', async () => {
  const { asked, idle } = await freed()
  expect(asked).toBe(0)
  expect(idle).toBeGreaterThanOrEqual(10 * MIB)
})
