// Kills a writing service between commits and deliveries, again and again, and looks for every message and hook.
//   node packages/daybook/test/crash/deliveries.ts [--cycles 100]
// DATABASE_URL names an empty database of PostgreSQL; without it, it is SQLite.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { postgres } from 'daybook/postgres'
import { openStore } from '../../src/store/store.ts'
import { HookReceiver, type ReceivedHook } from '../support/network/hook-receiver.ts'

const { values } = parseArgs({ options: { cycles: { type: 'string' } } })
const CYCLES = Number(values.cycles ?? 100)
/** How long the last service may deliver nothing until it counts as done, in milliseconds: a lease of a killed one has to end. */
const PATIENCE_MS = 60_000
/** The most faults that are printed. */
const MAX_FAULTS = 20
/** The endpoints, and the hook. */
const READERS = ['/first', '/second', '/hook']

const data = await mkdtemp(join(tmpdir(), 'daybook-deliveries-'))
const receiver = await HookReceiver.open((_hook, response) => {
  // Some are refused, and some connections break.
  const luck = Math.random()
  if (luck < 0.02) response.destroy()
  else response.writeHead(luck < 0.04 ? 500 : 200).end()
})

/** Starts the service; one that writes has stored a few changes. */
async function startService(mode: '' | 'write'): Promise<ChildProcess> {
  const script = join(import.meta.dirname, 'delivering-process.ts')
  const child = spawn(process.execPath, [script, data, `http://127.0.0.1:${receiver.port}`, mode], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk
  })
  while (!said.includes(mode === 'write' ? 'writes' : 'started')) await once(child.stdout, 'data')
  return child
}

async function storedSeqs(): Promise<readonly number[]> {
  const { DATABASE_URL: url } = process.env
  const store = await openStore(url ? { database: postgres(url) } : {}, data, { isServing: false })
  const seqs: number[] = []
  for (let after = 0; ; after = seqs.at(-1) ?? 0) {
    const records = await store.journal.records(after)
    if (records.length === 0) break
    seqs.push(...records.map(({ seq }) => seq))
  }
  await store.close()
  return seqs
}

async function nextDelivery(): Promise<void> {
  const { length } = receiver.received
  while (receiver.received.length === length) await sleep(10)
}

const seqsAt = (path: string): readonly number[] =>
  receiver.received.filter((hook) => hook.path === path).map(({ message }) => message.data.seq)

const missingIn = (seqs: readonly number[]): readonly string[] =>
  READERS.flatMap((path) => {
    const told = new Set(seqsAt(path))
    return seqs.filter((seq) => !told.has(seq)).map((seq) => `${path} was not told of ${seq}`)
  })

/** Waits while deliveries come, as long as some are missing. */
async function untilDelivered(seqs: readonly number[]): Promise<void> {
  let before = -1
  for (let end = Date.now() + PATIENCE_MS; Date.now() < end; await sleep(1000)) {
    const { length } = receiver.received
    if (length > before) end = Date.now() + PATIENCE_MS
    else if (missingIn(seqs).length === 0) return
    before = length
  }
}

/** Of each document, the first delivery of a change comes before that of any later one. */
function disorderIn(hooks: readonly ReceivedHook[]): readonly string[] {
  const last = new Map<string, number>()
  const seen = new Set<string>()
  return hooks.flatMap(({ path, message: { data } }) => {
    const document = `${path} ${data.id}`
    if (seen.has(`${path} ${data.seq}`) || path === '/hook') return []
    seen.add(`${path} ${data.seq}`)
    const before = last.get(document) ?? 0
    last.set(document, Math.max(before, data.seq))
    return before > data.seq ? [`${path} was told of ${data.seq} after ${before}`] : []
  })
}

for (let cycle = 1; cycle <= CYCLES; cycle += 1) {
  const child = await startService('write')
  const ended = once(child, 'exit')
  // Nothing is delivered while the lease of the process before is held; some kills come while deliveries run.
  if (cycle % 8 === 2) await nextDelivery()
  await sleep(20 + Math.random() * 300)
  child.kill('SIGKILL')
  await ended
}
const child = await startService('')
const seqs = await storedSeqs()
await untilDelivered(seqs)
const ended = once(child, 'exit')
child.kill('SIGTERM')
await ended
const stored = new Set(seqs)
const invented = receiver.received.filter(
  ({ body, message }) => body.includes('rolled back') || !stored.has(message.data.seq),
)
const faults = [
  ...missingIn(seqs),
  ...disorderIn(receiver.received),
  ...invented.map(({ path, body }) => `${path} was told of what was not stored: ${body}`),
]
await receiver[Symbol.asyncDispose]()
await rm(data, { recursive: true, force: true })
for (const fault of faults.slice(0, MAX_FAULTS)) console.error(fault)
console.log(`${CYCLES} kills, ${seqs.length} changes, ${receiver.received.length} deliveries, ${faults.length} faults`)
process.exitCode = faults.length === 0 && seqs.length > CYCLES ? 0 : 1
