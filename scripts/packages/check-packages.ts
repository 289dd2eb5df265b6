import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type Packed, packPackages } from './pack-packages.ts'
import { findBundledNames, NOTICES_FILE } from './third-party-notices.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const MODULES = join(ROOT, 'node_modules')
const TOKEN = 'token-of-the-package-check-0123456789'
/** The timeout of starting the service, in milliseconds. */
const START_MS = 20_000

const CONFIG = `import { studio } from '@daybook/studio'
import { defineCollection, defineConfig, f } from 'daybook'

export default defineConfig({
  plugins: [studio()],
  collections: {
    notes: defineCollection({ fields: { title: f.text({ required: true }), slug: f.slug({ from: 'title' }), body: f.markdown() } }),
  },
})
`

const CONSUMER = `import { createClient, DaybookError as ClientError } from '@daybook/client'
import { createService, DaybookError, type Entry } from 'daybook'
import { betterAuth } from 'daybook/better-auth'
import { serve } from 'daybook/node'
import { createTestService } from 'daybook/testing'
import config from './daybook.config.ts'

type Note = Entry<typeof config, 'notes'>
const service = await createService(config)
const note: Note | null = await service.content.get('notes', 'hello')
const html: string | null | undefined = note?.bodyHtml
// @ts-expect-error there is no such collection
await service.content.list('nots')
const client = createClient<typeof config>({ baseUrl: 'http://127.0.0.1:3000' })
const title: string | undefined = (await client.collections.notes.findBySlug('hello', { select: ['title'] }))?.title
// @ts-expect-error nor is it there for the client
await client.collections.nots.findMany()
export { betterAuth, ClientError, createTestService, DaybookError, html, serve, title }
`

/** A program that changes a note of a service and prints it. Its arguments are the address and the token. */
const READER = `import { createClient, etagOf } from '@daybook/client'

const [, , baseUrl, token] = process.argv
const { notes } = createClient({ baseUrl, token }).collections
const note = await notes.update(await notes.findBySlug('hello'), { title: 'Hello again' })
process.stdout.write(note.title + (etagOf(note) === '' ? ' without a tag' : ''))
`

/** A program that prints whether two entries of the package share the class of an error. */
const SHARER = `import { DaybookError } from 'daybook'
import { createTestService } from 'daybook/testing'
import config from './daybook.config.ts'

await using service = await createTestService(config)
const error = await service.content.create('notes', {}).catch((reason) => reason)
process.stdout.write(error instanceof DaybookError ? error.code : 'a class of its own')
`

const TSCONFIG = {
  compilerOptions: {
    target: 'es2024',
    lib: ['es2024', 'esnext.disposable'],
    module: 'nodenext',
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    skipLibCheck: false,
  },
  files: ['consumer.ts'],
}

function run(step: string, command: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${step} failed:\n${stdout}${stderr}`)
  process.stdout.write(`${step}: ok\n`)
  return stdout
}

/** Installs packed packages in a folder, with only the dependencies that they declare. */
async function install(packages: readonly Packed[], site: string): Promise<void> {
  for (const { manifest, tarball } of packages) {
    const home = join(site, 'node_modules', manifest.name)
    await mkdir(home, { recursive: true })
    run(`unpack ${manifest.name}`, 'tar', ['-xzf', tarball, '--strip-components=1', '-C', home], site)
    for (const name of Object.keys(manifest.dependencies ?? {})) await link(name, site)
  }
}

async function link(name: string, site: string): Promise<void> {
  await mkdir(dirname(join(site, 'node_modules', name)), { recursive: true })
  await symlink(findInstalled(name), join(site, 'node_modules', name))
}

/** Finds the folder of a dependency. npm puts some below the package that needs them. */
function findInstalled(name: string): string {
  const places = [join(MODULES, name), join(ROOT, 'packages/daybook/node_modules', name)]
  return places.find((place) => existsSync(place)) ?? join(MODULES, name)
}

async function writeConsumer(site: string): Promise<void> {
  await link('@types/node', site)
  await writeFile(join(site, 'package.json'), '{ "type": "module" }\n')
  await writeFile(join(site, 'daybook.config.ts'), CONFIG)
  await writeFile(join(site, 'consumer.ts'), CONSUMER)
  await writeFile(join(site, 'reader.js'), READER)
  await writeFile(join(site, 'sharer.js'), SHARER)
  await writeFile(join(site, 'tsconfig.json'), JSON.stringify(TSCONFIG))
}

async function readAddress(service: ChildProcess): Promise<string> {
  const { stdout } = service
  if (!stdout) throw new Error('daybook start has no output')
  const timer = setTimeout(() => service.kill(), START_MS)
  try {
    for await (const line of createInterface({ input: stdout })) {
      if (line.startsWith('listening on ')) return line.slice('listening on '.length)
    }
    throw new Error('daybook start ended before it listened')
  } finally {
    clearTimeout(timer)
  }
}

/** Writes a text that is long enough for the Markdown worker, and reads it back. */
async function writeAndRead(address: string): Promise<void> {
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ title: 'Hello', body: 'A *long* text. '.repeat(500) })
  const created = await fetch(`${address}/api/notes`, { method: 'POST', headers, body })
  if (created.status !== 201) throw new Error(`POST returned ${created.status}: ${await created.text()}`)
  const note = (await (await fetch(`${address}/api/notes/hello`)).json()) as { readonly bodyHtml?: string }
  if (!note.bodyHtml?.includes('<em>long</em>')) throw new Error('the HTML of a long text is missing')
}

/** Opens the page of the Studio and its first files, like a browser. */
async function openStudio(address: string): Promise<void> {
  const page = await (await fetch(`${address}/studio`)).text()
  const files = [...page.matchAll(/(?:href|src)="(\/studio\/app\/[^"]+)"/g)].map(([, file]) => file)
  if (files.length < 3) throw new Error(`the page of the Studio names ${files.length} files`)
  for (const file of files) {
    const { ok, status } = await fetch(`${address}${file}`)
    if (!ok) throw new Error(`${file} of the Studio returned ${status}`)
  }
}

async function serveFrom(home: string, site: string): Promise<void> {
  const service = spawn(process.execPath, [join(home, 'cli/bin.js'), 'start', '--port', '0', '--log', 'warn'], {
    cwd: site,
    env: { ...process.env, DAYBOOK_SERVICE_TOKEN: TOKEN },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(service, 'exit')
  try {
    const address = await readAddress(service)
    await writeAndRead(address)
    await openStudio(address)
    const read = run('read with the client', process.execPath, ['reader.js', address, TOKEN], site)
    if (read !== 'Hello again') throw new Error(`the client read "${read}"`)
  } finally {
    service.kill('SIGTERM')
    const [status] = await ended
    if (status !== 0) process.exitCode = 1
  }
  process.stdout.write('daybook start: ok\n')
}

/** Checks that the entries of the package share their classes. */
function checkShared(site: string): void {
  const output = run('entries share classes', process.execPath, ['sharer.js'], site)
  if (output !== 'VALIDATION_ERROR') throw new Error(`an error of daybook/testing is ${output}`)
}

async function checkVersion(home: string, site: string): Promise<void> {
  const { version } = JSON.parse(await readFile(join(home, 'package.json'), 'utf8')) as { version: string }
  const output = run('daybook --version', join(home, 'cli/bin.js'), ['--version'], site).trim()
  if (output !== version) throw new Error(`daybook --version prints ${output}, but the package has version ${version}`)
}

/** Checks that all packages have one version, because create-daybook installs the Daybook of its own version. */
function requireOneVersion(packages: readonly Packed[]): void {
  const versions = packages.map(({ manifest: { name, version } }) => `${name} ${version}`)
  if (new Set(packages.map(({ manifest }) => manifest.version)).size === 1) return
  throw new Error(`The packages must have the same version, but have ${versions.join(', ')}`)
}

function checkShape({ manifest: { name, exports, engines }, tarball }: Packed): void {
  if (!engines?.node) throw new Error(`${name} has no engines.node`)
  run(`publint ${name}`, join(MODULES, '.bin/publint'), [tarball, '--strict'], ROOT)
  if (!('.' in exports)) return
  const args = [tarball, '--profile', 'esm-only', '--no-color', '--no-emoji']
  run(`attw ${name}`, join(MODULES, '.bin/attw'), args, ROOT)
}

/** Checks the notices that the licences of bundled code require in each copy. */
async function checkNotices(home: string): Promise<void> {
  const notices = await readFile(join(home, NOTICES_FILE), 'utf8')
  const named = new Set(notices.split(/[\s,]+/))
  const missing = [...(await findBundledNames())].filter((name) => !named.has(name))
  if (missing.length > 0)
    throw new Error(`${NOTICES_FILE} does not name ${missing.join(', ')}, whose code the docs page holds`)
  process.stdout.write('notices of third parties: ok\n')
}

/** Checks the packages as a user would use them, in a folder outside the checkout. */
async function checkUse(packages: readonly Packed[], site: string): Promise<void> {
  await install(packages, site)
  await writeConsumer(site)
  const home = join(site, 'node_modules/daybook')
  run('types of a consumer', join(MODULES, '.bin/tsc'), ['-p', site], site)
  await checkVersion(home, site)
  checkShared(site)
  await checkNotices(home)
  await serveFrom(home, site)
}

const folder = await mkdtemp(join(tmpdir(), 'daybook-package-'))
try {
  const packages = await packPackages(folder)
  requireOneVersion(packages)
  for (const packed of packages) checkShape(packed)
  await checkUse(packages, folder)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
} finally {
  await rm(folder, { recursive: true, force: true })
}
