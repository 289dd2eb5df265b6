// Kills the service under uploads and deletions, again and again, and compares files with assets after each start.
//   node packages/daybook/test/crash/uploads.ts [--cycles 50] [--uploaders 6]
// With DATABASE_URL, the assets are in that database.
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startService, TOKEN } from './service-process.ts'

const { values } = parseArgs({ options: { cycles: { type: 'string' }, uploaders: { type: 'string' } } })
const CYCLES = Number(values.cycles ?? 50)
const UPLOADERS = Number(values.uploaders ?? 6)
/** How long a service may take after its start to remove what the one before it left, in milliseconds: on a busy machine, too. */
const SWEEP_MS = 120_000
const MAX_BYTES = 3_000_000

interface Asset {
  readonly id: string
  readonly path: string
  readonly size: number
  readonly sha256: string
}

const headers = { authorization: `Bearer ${TOKEN}` }
/** The assets that were acknowledged, and not asked to be deleted since. */
const expected = new Map<string, Asset>()
let acknowledged = 0
const faults: string[] = []

/** Uploads, and deletes every third of what it has, until the service is gone. */
async function upload(url: string, name: string): Promise<void> {
  for (let count = 1; ; count += 1) {
    const form = new FormData()
    form.set('file', new File([randomBytes(Math.floor(Math.random() * MAX_BYTES))], `${name}.bin`))
    form.set('directory', name)
    // Some names come again, after their assets are deleted or their uploads broke off.
    if (count % 2 === 0) form.set('filename', `file-${count % 8}.bin`)
    try {
      const response = await fetch(`${url}/api/assets`, { method: 'POST', body: form, headers })
      const asset = (await response.json()) as Asset
      if (response.status === 201) {
        acknowledged += 1
        expected.set(asset.id, asset)
        if (count % 3 === 0) {
          expected.delete(asset.id)
          await fetch(`${url}/api/assets/${asset.id}`, { method: 'DELETE', headers })
        }
      } else if (response.status !== 409) {
        faults.push(`an upload was answered ${response.status}: ${JSON.stringify(asset)}`)
      }
    } catch {
      // The connection broke with the service.
      return
    }
  }
}

async function listAssets(url: string): Promise<readonly Asset[]> {
  const assets: Asset[] = []
  for (let cursor = ''; ; ) {
    const response = await fetch(`${url}/api/assets?limit=100${cursor}`, { headers })
    const page = (await response.json()) as { readonly items: readonly Asset[]; readonly nextCursor: string | null }
    assets.push(...page.items)
    if (page.nextCursor === null) return assets
    cursor = `&cursor=${encodeURIComponent(page.nextCursor)}`
  }
}

async function listFiles(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries.filter((one) => one.isFile()).map((one) => relative(folder, join(one.parentPath, one.name)))
}

/** Waits until there is one file for each asset, and no other; then their bytes are compared. */
async function verify(url: string, folder: string): Promise<void> {
  const assets = await listAssets(url)
  const paths = assets.map(({ path }) => path).sort()
  const until = Date.now() + SWEEP_MS
  let files = [...(await listFiles(folder))].sort()
  while (files.join() !== paths.join() && Date.now() < until) {
    await sleep(50)
    files = [...(await listFiles(folder))].sort()
  }
  for (const file of files) if (!paths.includes(file)) faults.push(`${file} belongs to no asset`)
  for (const path of paths) if (!files.includes(path)) faults.push(`${path} has no file`)
  const ids = new Set(assets.map(({ id }) => id))
  for (const { id, path } of expected.values()) if (!ids.has(id)) faults.push(`${path} was acknowledged, and is gone`)
  for (const { path, sha256 } of assets) {
    const bytes = await readFile(join(folder, path)).catch(() => Buffer.alloc(0))
    if (createHash('sha256').update(bytes).digest('hex') !== sha256) faults.push(`${path} holds other bytes`)
  }
}

const data = await mkdtemp(join(tmpdir(), 'daybook-crash-uploads-'))
const folder = join(data, 'uploads')
for (let cycle = 1; cycle <= CYCLES && faults.length === 0; cycle += 1) {
  const { url, child } = await startService(data)
  await verify(url, folder)
  const uploaders = Array.from({ length: UPLOADERS }, (_, index) => upload(url, `cycle${cycle}-${index}`))
  // On a busy machine, the first one may take its time.
  for (const before = acknowledged; acknowledged === before && faults.length === 0; ) await sleep(10)
  await sleep(Math.random() * 500)
  child.kill('SIGKILL')
  await once(child, 'exit')
  await Promise.all(uploaders)
}
const { url, child } = await startService(data)
await verify(url, folder)
child.kill('SIGTERM')
const [status] = await once(child, 'exit')
if (status !== 0) faults.push(`the last service ended with status ${status}`)
await rm(data, { recursive: true, force: true })
for (const fault of faults) console.error(fault)
console.log(`${CYCLES} kills, ${acknowledged} acknowledged uploads, ${faults.length} faults`)
process.exitCode = faults.length === 0 && acknowledged >= CYCLES ? 0 : 1
