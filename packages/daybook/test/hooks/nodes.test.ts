import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { eventually } from '../support/patience.ts'
import type { Place } from '../support/stores/place.ts'
import { STORES } from '../support/stores/stores.ts'

const DELIVERER = join(import.meta.dirname, 'deliverer.ts')

describe.each(STORES)('afterCommit of several processes on $name', (store) => {
  let place: Place
  let folder: string
  const nodes: ChildProcess[] = []

  beforeEach(async () => {
    place = await store.at()
    folder = await mkdtemp(join(tmpdir(), 'daybook-told-'))
    await writeFile(told(), '')
  })
  afterEach(async () => {
    for (const node of nodes.splice(0)) await kill(node)
    await rm(folder, { recursive: true, force: true })
    await place[Symbol.asyncDispose]()
  })

  const told = (): string => join(folder, 'told')

  /** Starts a node that writes so many notes. */
  function node(name: string, count: number, mode = ''): ChildProcess {
    const args = [DELIVERER, place.address, told(), name, String(count), mode]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    nodes.push(child)
    return child
  }

  const written = (child: ChildProcess): Promise<unknown> => once(child.stdout as NodeJS.EventEmitter, 'data')

  async function kill(child: ChildProcess): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }

  const seqs = async (): Promise<readonly number[]> =>
    (await readFile(told(), 'utf8'))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => Number.parseInt(line, 10))

  const position = async (): Promise<unknown> => {
    const [row] = await place.rows<{ doc: string }>("SELECT doc FROM daybook$records WHERE kind = 'subscription'")
    return row && JSON.parse(row.doc).seq
  }

  const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1)

  test('loses nothing that was stored when the process is killed before it has told', async () => {
    const first = node('first', 3, 'hang')
    await written(first)
    await kill(first)
    expect(await seqs()).toEqual([])
    node('second', 0)
    await eventually(async () => expect(await seqs()).toEqual([1, 2, 3]))
  })

  test('tells each change once, in order, by one of them; when that is killed, another goes on', async () => {
    const both = [node('a', 15), node('b', 15)]
    await Promise.all(both.map(written))
    await eventually(async () => expect(await seqs()).toEqual(numbers(30)))
    // What was told after the position was last stored would be told again.
    await eventually(async () => expect(await position()).toBe(30))
    await kill(both[0] as ChildProcess)
    const third = node('c', 5)
    await written(third)
    // On a busy machine a node can lose its lease while it works: the next one may tell again what the first one told last.
    await eventually(async () => expect([...new Set(await seqs())]).toEqual(numbers(35)))
    expect((await seqs()).filter((seq) => seq > 30)).toEqual([31, 32, 33, 34, 35])
  })
})
