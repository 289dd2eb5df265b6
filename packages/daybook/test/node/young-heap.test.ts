import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { Folder } from '../support/stores/folder.ts'

const SOURCE = JSON.stringify(new URL('../../src/node/young-heap.ts', import.meta.url).href)

test("a service's room for new objects stays within 64 MiB, however many of them live for a while", async () => {
  await using folder = await Folder.make()
  const program = join(folder.address, 'allocate.mjs')
  await writeFile(
    program,
    `import { setImmediate as turn } from 'node:timers/promises'
    import { getHeapSpaceStatistics } from 'node:v8'
    import { boundYoungHeap } from ${SOURCE}
    boundYoungHeap()
    const kept = []
    for (let n = 0; n < 4_000_000; n++) {
      kept[n % 200_000] = { n, text: 'x' + n, list: [n, n + 1] }
      if (n % 10_000 === 0) await turn()
    }
    console.log(getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size)`,
  )
  const { stdout } = await promisify(execFile)(process.execPath, [program])
  expect(Number(stdout)).toBeLessThanOrEqual(64 * 2 ** 20)
})
