import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Place } from '../support/stores/place.ts'
import { STORES } from '../support/stores/stores.ts'
import { eventually } from '../support/timeouts.ts'

const DELIVERER = join(import.meta.dirname, 'deliverer.ts')

describe.each(STORES)('afterCommit of several processes on $name', (store) => {
  let place: Place
  let folder: string
  const nodes: ChildProcess[] = []

  beforeEach(async () => {
    place = await store.at()
    folder = await mkdtemp(join(tmpdir(), 'daybook-told-'))
    await writeFile(logFile(), '')
  })
  afterEach(async () => {
    for (const node of nodes.splice(0)) await kill(node)
    await rm(folder, { recursive: true, force: true })
    await place[Symbol.asyncDispose]()
  })

  const logFile = (): string => join(folder, 'told')

  function node(name: string, count: number, mode = ''): ChildProcess {
    const args = [DELIVERER, place.address, logFile(), name, String(count), mode]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    nodes.push(child)
    return child
  }

  const waitForWrites = (child: ChildProcess): Promise<unknown> => once(child.stdout as NodeJS.EventEmitter, 'data')

  async function kill(child: ChildProcess): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }

  const seqs = async (): Promise<readonly number[]> =>
    (await readFile(logFile(), 'utf8'))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => Number.parseInt(line, 10))

  const position = async (): Promise<unknown> => {
    const [row] = await place.rows<{ doc: string }>("SELECT doc FROM daybook$records WHERE kind = 'subscription'")
    return row && JSON.parse(row.doc).seq
  }

  const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1)

  test('delivers all stored changes even if the process is killed before delivery', async () => {
    const first = node('first', 3, 'hang')
    await waitForWrites(first)
    await kill(first)
    expect(await seqs()).toEqual([])
    node('second', 0)
    await eventually(async () => expect(await seqs()).toEqual([1, 2, 3]))
  })

  test('delivers each change once and in order; when the delivering process is killed, another continues', async () => {
    const both = [node('a', 15), node('b', 15)]
    await Promise.all(both.map(waitForWrites))
    await eventually(async () => expect(await seqs()).toEqual(upTo(30)))
    // Changes delivered after the last stored position would be delivered again.
    await eventually(async () => expect(await position()).toBe(30))
    await kill(both[0] as ChildProcess)
    const third = node('c', 5)
    await waitForWrites(third)
    // On a busy machine a node can lose its lease during a delivery, so the next node may repeat the last change.
    await eventually(async () => expect([...new Set(await seqs())]).toEqual(upTo(35)))
    expect((await seqs()).filter((seq) => seq > 30)).toEqual([31, 32, 33, 34, 35])
  })
})
