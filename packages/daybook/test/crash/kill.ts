// Repeatedly kills the service under writes, and checks that every acknowledged write is stored.
//   node packages/daybook/test/crash/kill.ts [--cycles 20] [--writers 8]
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { checkStore } from './check-store.ts'
import { startService, TOKEN } from './service-process.ts'

const { values } = parseArgs({ options: { cycles: { type: 'string' }, writers: { type: 'string' } } })
const CYCLES = Number(values.cycles ?? 20)
const WRITERS = Number(values.writers ?? 8)

/** The last acknowledged version of an entry, and the last one that was sent. */
interface LedgerEntry {
  acknowledged: number
  sent: number
}

const ledger = new Map<string, LedgerEntry>()
let acknowledged = 0
const lost: string[] = []

async function send(url: string, method: string, body: object): Promise<string | undefined> {
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
  try {
    const response = await fetch(url, { method, headers, body: JSON.stringify(body) })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} failed with ${response.status}: ${text}`)
    acknowledged += 1
    return (JSON.parse(text) as { id: string }).id
  } catch (error) {
    // The connection broke with the service, so the write may or may not be stored.
    if (error instanceof TypeError) return undefined
    throw error
  }
}

/** Creates and updates entries until the service is gone. */
async function write(url: string, name: string): Promise<void> {
  let entryId: string | undefined
  for (let count = 1; ; count += 1) {
    if (entryId === undefined || count % 3 === 0) {
      const id = await send(`${url}/api/posts`, 'POST', {
        title: `${name} ${count}`,
        category: '1',
        body: 'crash *test*',
      })
      if (id === undefined) return
      ledger.set(id, { acknowledged: 1, sent: 1 })
      entryId = id
    } else {
      const entry = ledger.get(entryId) as LedgerEntry
      entry.sent += 1
      if ((await send(`${url}/api/posts/${entryId}`, 'PUT', { category: String(entry.sent) })) === undefined) return
      entry.acknowledged = entry.sent
    }
  }
}

async function verify(url: string): Promise<void> {
  for (const [id, entry] of ledger) {
    const response = await fetch(`${url}/api/posts/${id}?select=category`)
    const version = response.ok ? Number(((await response.json()) as { category: string }).category) : 0
    if (version < entry.acknowledged || version > entry.sent) {
      lost.push(`${id}: version ${entry.acknowledged} was acknowledged, but version ${version} is stored`)
    }
    entry.acknowledged = version
    entry.sent = version
  }
}

const data = await mkdtemp(join(tmpdir(), 'daybook-crash-'))
for (let cycle = 1; cycle <= CYCLES; cycle += 1) {
  const { url, child } = await startService(data)
  await verify(url)
  const writers = Array.from({ length: WRITERS }, (_, index) => write(url, `cycle ${cycle} writer ${index}`))
  // Waits for the first write, which may take long on a busy machine.
  for (const before = acknowledged; acknowledged === before; ) await sleep(10)
  await sleep(100 + Math.random() * 500)
  child.kill('SIGKILL')
  await once(child, 'exit')
  await Promise.all(writers)
}
const { url, child } = await startService(data)
await verify(url)
child.kill('SIGTERM')
const [status] = await once(child, 'exit')
const faults = [...lost, ...(status === 0 ? [] : [`the last service ended with status ${status}`]), ...checkStore(data)]
await rm(data, { recursive: true, force: true })
for (const fault of faults) console.error(fault)
console.log(`${CYCLES} kills, ${acknowledged} acknowledged writes, ${lost.length} lost, ${faults.length} faults`)
process.exitCode = faults.length === 0 && acknowledged > CYCLES ? 0 : 1
