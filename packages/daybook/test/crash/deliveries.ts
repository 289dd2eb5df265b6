// Repeatedly kills a writing service between commits and deliveries, and checks that every message and hook arrives.
//   node packages/daybook/test/crash/deliveries.ts [--cycles 100]
// DATABASE_URL names an empty PostgreSQL database; without it, the service uses SQLite.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openStore } from '../../src/store/store.ts'
import { HookReceiver, type ReceivedHook } from '../support/network/hook-receiver.ts'
import { slowMachinePostgres } from '../support/postgres/slow-machine-postgres.ts'

const { values } = parseArgs({ options: { cycles: { type: 'string' } } })
const CYCLES = Number(values.cycles ?? 100)
/** The time without a delivery after which the last service counts as done, in milliseconds; the lease of a killed one must expire first. */
const PATIENCE_MS = 60_000
const MAX_FAULTS = 20
/** The paths of the endpoints and of the hook. */
const READERS = ['/first', '/second', '/hook']

const data = await mkdtemp(join(tmpdir(), 'daybook-deliveries-'))
const receiver = await HookReceiver.open((_hook, response) => {
  // Rejects some deliveries, and breaks some connections.
  const luck = Math.random()
  if (luck < 0.02) response.destroy()
  else response.writeHead(luck < 0.04 ? 500 : 200).end()
})

/** Starts the service. In `write` mode, it has stored a few changes when this resolves. */
async function startService(mode: '' | 'write'): Promise<ChildProcess> {
  const script = join(import.meta.dirname, 'delivering-process.ts')
  const child = spawn(process.execPath, [script, data, `http://127.0.0.1:${receiver.port}`, mode], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk
  })
  while (!output.includes(mode === 'write' ? 'writes' : 'started')) await once(child.stdout, 'data')
  return child
}

async function storedSeqs(): Promise<readonly number[]> {
  const { DATABASE_URL: url } = process.env
  const store = await openStore(url ? { database: slowMachinePostgres(url) } : {}, data, { isServing: false })
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

const findMissing = (seqs: readonly number[]): readonly string[] =>
  READERS.flatMap((path) => {
    const delivered = new Set(seqsAt(path))
    return seqs.filter((seq) => !delivered.has(seq)).map((seq) => `${path} did not receive ${seq}`)
  })

/** Waits for missing deliveries, as long as any arrive. */
async function waitForDeliveries(seqs: readonly number[]): Promise<void> {
  let before = -1
  for (let end = Date.now() + PATIENCE_MS; Date.now() < end; await sleep(1000)) {
    const { length } = receiver.received
    if (length > before) end = Date.now() + PATIENCE_MS
    else if (findMissing(seqs).length === 0) return
    before = length
  }
}

/** Finds first deliveries of a change that came after a later change of the same document. */
function findDisorder(hooks: readonly ReceivedHook[]): readonly string[] {
  const last = new Map<string, number>()
  const seen = new Set<string>()
  return hooks.flatMap(({ path, message: { data } }) => {
    const document = `${path} ${data.id}`
    if (seen.has(`${path} ${data.seq}`) || path === '/hook') return []
    seen.add(`${path} ${data.seq}`)
    const before = last.get(document) ?? 0
    last.set(document, Math.max(before, data.seq))
    return before > data.seq ? [`${path} received ${data.seq} after ${before}`] : []
  })
}

for (let cycle = 1; cycle <= CYCLES; cycle += 1) {
  const child = await startService('write')
  const ended = once(child, 'exit')
  // Deliveries begin when the lease of the killed process expires. Some kills happen during deliveries.
  if (cycle % 8 === 2) await nextDelivery()
  await sleep(20 + Math.random() * 300)
  child.kill('SIGKILL')
  await ended
}
const child = await startService('')
const seqs = await storedSeqs()
await waitForDeliveries(seqs)
const ended = once(child, 'exit')
child.kill('SIGTERM')
await ended
const stored = new Set(seqs)
const invented = receiver.received.filter(
  ({ body, message }) => body.includes('rolled back') || !stored.has(message.data.seq),
)
const faults = [
  ...findMissing(seqs),
  ...findDisorder(receiver.received),
  ...invented.map(({ path, body }) => `${path} received a change that was not stored: ${body}`),
]
await receiver[Symbol.asyncDispose]()
await rm(data, { recursive: true, force: true })
for (const fault of faults.slice(0, MAX_FAULTS)) console.error(fault)
console.log(`${CYCLES} kills, ${seqs.length} changes, ${receiver.received.length} deliveries, ${faults.length} faults`)
process.exitCode = faults.length === 0 && seqs.length > CYCLES ? 0 : 1
