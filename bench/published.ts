// node bench/published.ts: what the published package takes: packages, bytes, the time of a start, and memory.
import { cp, lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import config from '../examples/blog/daybook.config.ts'
import { compileModel } from '../packages/daybook/src/model/compile.ts'
import { FreshFolder } from '../scripts/packages/fresh-folder.ts'
import { startArgs } from './bench.ts'
import { SqliteDatabases } from './databases/sqlite-databases.ts'
import { Child, here } from './load/child.ts'
import { printedAmounts } from './print.ts'
import { type Amount, amountOf, thisMachine } from './report.ts'
import { memoryOf } from './sections/costs/memory-cost.ts'
import { startTime } from './sections/costs/start-time.ts'

const { values: given } = parseArgs({
  options: {
    entries: { type: 'string', default: '10000' },
    seconds: { type: 'string', default: '3' },
    data: { type: 'string', default: join(tmpdir(), 'daybook-bench') },
    out: { type: 'string' },
  },
})

const MAX_PACKAGES = 75
const MAX_MEGABYTES = 85
const MAX_START_MS = 450
/** What the reference example imports besides, which a project installs when it needs it. */
const PEERS = ['pg', '@aws-sdk/client-s3']
const FOLDER = 'project'

/** Makes a project with Daybook in it, as `npm install daybook` does. */
async function makeProject(fresh: FreshFolder): Promise<string> {
  const folder = join(fresh.path, FOLDER)
  await mkdir(folder)
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  await install(fresh, 'daybook')
  return folder
}

async function install(fresh: FreshFolder, name: string): Promise<void> {
  const { status, stderr } = await fresh.run(FOLDER, 'npm', 'install', name)
  if (status !== 0) throw new Error(`npm install ${name} failed:\n${stderr}`)
}

async function sizeOf(folder: string): Promise<readonly Amount[]> {
  const modules = join(folder, 'node_modules')
  const lock: unknown = JSON.parse(await readFile(join(modules, '.package-lock.json'), 'utf8'))
  const { packages } = lock as { readonly packages: object }
  const paths = await readdir(modules, { recursive: true, withFileTypes: true })
  const files = paths.filter((one) => one.isFile())
  const sizes = await Promise.all(files.map(async (one) => (await lstat(join(one.parentPath, one.name))).size))
  const bytes = sizes.reduce((sum, one) => sum + one, 0)
  return [
    amountOf('npm install daybook: packages', Object.keys(packages).length, '', MAX_PACKAGES),
    amountOf('npm install daybook: size', bytes / 1e6, 'MB', MAX_MEGABYTES),
  ]
}

/** Puts the reference example into a project; answers the path of its config. */
async function addExample(folder: string): Promise<string> {
  for (const name of PEERS) {
    const path = join(folder, 'node_modules', name)
    await mkdir(dirname(path), { recursive: true })
    await symlink(here(`../../node_modules/${name}`), path)
  }
  await cp(here('../../examples/blog'), join(folder, 'blog'), { recursive: true })
  return join(folder, 'blog/daybook.config.ts')
}

async function measureInstalled(scratch: string): Promise<readonly Amount[]> {
  await using fresh = await FreshFolder.make()
  const folder = await makeProject(fresh)
  const size = await sizeOf(folder)
  // The example has the Studio, which is a package of its own.
  await install(fresh, '@daybook/studio')
  const installed = { cli: join(folder, 'node_modules/.bin/daybook'), config: await addExample(folder) }
  const model = compileModel(config)
  const say = (line: string): void => void process.stderr.write(`${line}\n`)
  await using databases = new SqliteDatabases({ root: resolve(given.data), scratch, model, say })
  const store = await databases.seeded(Number(given.entries))
  await using generator = new Child('load', [here('load.ts')])
  const effort = { seconds: Number(given.seconds), rounds: 1 }
  const onNew = await startTime(installed, () => databases.blank())
  const onSeeded = await startTime(installed, async () => store)
  return [
    ...size,
    amountOf('start to first answer, new store', onNew, 'ms', MAX_START_MS),
    amountOf(`start to first answer, ${given.entries} entries`, onSeeded, 'ms', MAX_START_MS),
    ...(await memoryOf({ model, store, generator, effort }, 'published', startArgs(store, installed))),
  ]
}

async function measureInScratch(): Promise<readonly Amount[]> {
  const scratch = await mkdtemp(join(resolve(given.data), 'run-'))
  try {
    return await measureInstalled(scratch)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

const { processor, system, node, date, loadBefore } = thisMachine()
const head = `${given.entries} entries; ${processor}, ${system}, Node ${node}, ${date}, load before ${loadBefore}`
const text = `${head}\n\n${printedAmounts(await measureInScratch())}\n`
process.stdout.write(text)
if (given.out) await writeFile(given.out, text)
