// Repeatedly kills the service under uploads, deletions and restores, and compares files with assets after each start.
//   node packages/daybook/test/crash/uploads.ts [--cycles 50] [--uploaders 6]
// DATABASE_URL names the database of the assets; without it, the service uses SQLite.
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
/** The time in which a service must remove leftover files after its start, in milliseconds, even on a busy machine. */
const SWEEP_MS = 120_000
const MAX_BYTES = 3_000_000

interface Asset {
  readonly id: string
  readonly path: string
  readonly size: number
  readonly sha256: string
}

interface Page<Item> {
  readonly items: readonly Item[]
  readonly nextCursor: string | null
}

const headers = { authorization: `Bearer ${TOKEN}` }
/** Acknowledged assets without a pending deletion or restore. */
const expected = new Map<string, Asset>()
let acknowledged = 0
const faults: string[] = []

/** Uploads files, and deletes every third asset, until the service is gone. */
async function upload(url: string, name: string): Promise<void> {
  for (let count = 1; ; count += 1) {
    const form = new FormData()
    form.set('file', new File([randomBytes(Math.floor(Math.random() * MAX_BYTES))], `${name}.bin`))
    form.set('directory', name)
    // Uses some names again, after their assets were deleted or their uploads broke off.
    if (count % 2 === 0) form.set('filename', `file-${count % 8}.bin`)
    try {
      const response = await fetch(`${url}/api/assets`, { method: 'POST', body: form, headers })
      const asset = (await response.json()) as Asset
      if (response.status === 201) {
        acknowledged += 1
        expected.set(asset.id, asset)
        if (count % 3 === 0) await deleteAsset(url, asset, count % 2 === 0)
      } else if (response.status !== 409) {
        faults.push(`an upload failed with ${response.status}: ${JSON.stringify(asset)}`)
      }
    } catch {
      // The connection broke with the service.
      return
    }
  }
}

/** @param isRestored true to restore the asset afterwards */
async function deleteAsset(url: string, asset: Asset, isRestored: boolean): Promise<void> {
  expected.delete(asset.id)
  await fetch(`${url}/api/assets/${asset.id}`, { method: 'DELETE', headers })
  if (!isRestored) return
  const response = await fetch(`${url}/api/assets/${asset.id}/restore`, {
    method: 'POST',
    body: '{}',
    headers: { ...headers, 'content-type': 'application/json' },
  })
  if (response.status === 200) expected.set(asset.id, asset)
  else faults.push(`a restore failed with ${response.status}: ${await response.text()}`)
}

async function listDeleted(url: string): Promise<readonly string[]> {
  const ids: string[] = []
  for (let cursor = ''; ; ) {
    const response = await fetch(`${url}/api/assets?deleted=true&limit=100${cursor}`, { headers })
    const page = (await response.json()) as Page<{ readonly id: string }>
    ids.push(...page.items.map(({ id }) => id))
    if (page.nextCursor === null) return ids
    cursor = `&cursor=${encodeURIComponent(page.nextCursor)}`
  }
}

async function listAssets(url: string): Promise<readonly Asset[]> {
  const assets: Asset[] = []
  for (let cursor = ''; ; ) {
    const response = await fetch(`${url}/api/assets?limit=100${cursor}`, { headers })
    const page = (await response.json()) as Page<Asset>
    assets.push(...page.items)
    if (page.nextCursor === null) return assets
    cursor = `&cursor=${encodeURIComponent(page.nextCursor)}`
  }
}

async function listFiles(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => entry.isFile()).map((entry) => relative(folder, join(entry.parentPath, entry.name)))
}

async function listByKind(folder: string): Promise<{ files: readonly string[]; deletedFiles: readonly string[] }> {
  const all = [...(await listFiles(folder))].sort()
  const isDeleted = (file: string): boolean => file.startsWith('.deleted')
  return { files: all.filter((file) => !isDeleted(file)), deletedFiles: all.filter(isDeleted) }
}

/** Waits until each asset and each deleted asset has exactly one file, and compares the bytes. */
async function verify(url: string, folder: string): Promise<void> {
  const assets = await listAssets(url)
  const paths = assets.map(({ path }) => path).sort()
  const deleted = (await listDeleted(url)).length
  const until = Date.now() + SWEEP_MS
  let present = await listByKind(folder)
  const isConsistent = (): boolean => present.files.join() === paths.join() && present.deletedFiles.length === deleted
  while (!isConsistent() && Date.now() < until) {
    await sleep(50)
    present = await listByKind(folder)
  }
  const { files, deletedFiles } = present
  if (deletedFiles.length !== deleted)
    faults.push(`there are ${deletedFiles.length} files for ${deleted} deleted assets`)
  await verifyDeleted(deletedFiles, folder)
  for (const file of files) if (!paths.includes(file)) faults.push(`${file} belongs to no asset`)
  for (const path of paths) if (!files.includes(path)) faults.push(`${path} has no file`)
  const ids = new Set(assets.map(({ id }) => id))
  for (const { id, path } of expected.values()) if (!ids.has(id)) faults.push(`${path} was acknowledged, and is gone`)
  for (const { path, sha256 } of assets) {
    if ((await digestOf(join(folder, path))) !== sha256) faults.push(`${path} holds other bytes`)
  }
}

/** Compares the bytes of deleted assets with the digests in their names. */
async function verifyDeleted(files: readonly string[], folder: string): Promise<void> {
  for (const file of files) {
    const digest = await digestOf(join(folder, file))
    if (!file.startsWith(join('.deleted', digest))) faults.push(`${file} holds other bytes`)
  }
}

async function digestOf(file: string): Promise<string> {
  const bytes = await readFile(file).catch(() => Buffer.alloc(0))
  return createHash('sha256').update(bytes).digest('hex')
}

const data = await mkdtemp(join(tmpdir(), 'daybook-crash-uploads-'))
const folder = join(data, 'uploads')
for (let cycle = 1; cycle <= CYCLES && faults.length === 0; cycle += 1) {
  const { url, child } = await startService(data)
  await verify(url, folder)
  const uploaders = Array.from({ length: UPLOADERS }, (_, index) => upload(url, `cycle${cycle}-${index}`))
  // Waits for the first upload, which may take long on a busy machine.
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
