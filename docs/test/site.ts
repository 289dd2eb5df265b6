import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { AS_BUILT } from '../../packages/daybook/test/support/built/command.ts'
import type { Block } from '../../scripts/markdown.ts'

export const ROOT: string = fileURLToPath(new URL('../..', import.meta.url))
/** Settings for a run without a terminal: curl draws no progress meter, and npx does not search for programs on the path. */
const QUIET = 'curl() { command curl --silent --show-error "$@"; }\nnpx() { command "$@"; }\n'
const TOKEN = 'token-of-the-documented-examples-0123456789'

/** The secrets of the programs on the pages, which a reader would generate. */
export const SECRETS: Readonly<Record<string, string>> = {
  IMAGE_SECRET: randomBytes(32).toString('hex'),
  UPLOADS_SECRET: randomBytes(32).toString('hex'),
}

export interface Outcome {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

export async function run(
  command: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { status: Number(status), stdout, stderr }
}

export function markOf({ words }: Block, name: string): string | undefined {
  return words.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1)
}

export function fileOf(block: Block): string | undefined {
  return markOf(block, 'file')
}

/** Changes a config for a busy machine: hashing a password has no timeout. */
export const withPatience = (code: string): string =>
  code.includes('authMs') ? code : code.replace('defineConfig({', 'defineConfig({ limits: { authMs: 60_000 },')

const onPostgres = (code: string): string =>
  // The example reads DATABASE_URL itself.
  code.includes("from 'daybook/postgres'")
    ? code
    : `import { postgres } from 'daybook/postgres'\n${code.replace('defineConfig({', 'defineConfig({ database: postgres(process.env.DATABASE_URL),')}`

/** Creates a folder with `daybook` installed, and with the files of a page. */
export async function makeFolder(blocks: readonly Block[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'daybook-docs-'))
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }\n')
  for (const block of blocks) {
    const file = fileOf(block)
    if (file === undefined) continue
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await writeFile(join(folder, file), `${block.code}\n`)
  }
  return folder
}

/** A service on a real socket, in the folder of a page. */
export interface Site extends AsyncDisposable {
  /** Runs a command of a console block in a shell, with `localhost:3000` replaced by this service. */
  shell(command: string): Promise<Outcome>
}

/** Returns the host and port of a service once it listens. */
export async function addressOf(service: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: service.stdout as Readable })) {
    const address = /^listening on http:\/\/(.+)$/.exec(line)?.[1]
    if (address !== undefined) return address
  }
  throw new Error('daybook start ended before it listened')
}

async function changeConfigs(folder: string, change: (code: string) => string): Promise<void> {
  for (const name of (await readdir(folder)).filter((file) => file.endsWith('config.ts'))) {
    const file = join(folder, name)
    await writeFile(file, change(await readFile(file, 'utf8')))
  }
}

/** Writes the config of the example, unless the page has one. */
async function writeConfig(folder: string, blocks: readonly Block[]): Promise<void> {
  if (blocks.some((block) => fileOf(block) === 'daybook.config.ts')) return
  for (const file of ['daybook.config.ts', 'seed.ts']) await cp(join(ROOT, 'examples/blog', file), join(folder, file))
}

/**
 * Starts the service of a page with the config of the page, or of the example.
 *
 * @param database the URL of a PostgreSQL database instead of the embedded file
 */
export async function startSite(blocks: readonly Block[], database?: string): Promise<Site> {
  const cwd = await makeFolder(blocks)
  await writeConfig(cwd, blocks)
  await changeConfigs(cwd, withPatience)
  if (database !== undefined) await changeConfigs(cwd, onPostgres)
  const env = {
    ...(database === undefined ? {} : { DATABASE_URL: database }),
    npm_config_loglevel: 'error',
    DAYBOOK_SERVICE_TOKEN: TOKEN,
    ENABLE_CMS_EXPORT: 'true',
    PATH: `${ROOT}/node_modules/.bin:${process.env.PATH}`,
    NODE_OPTIONS: AS_BUILT,
  }
  const service = spawn('daybook', ['start', '--port', '0', '--log', 'warn'], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(service, 'exit')
  const address = await addressOf(service)
  return {
    shell: (command) => {
      const all = { ...env, DAYBOOK_URL: `http://${address}` }
      return run('bash', ['-c', QUIET + command.replaceAll('localhost:3000', address)], cwd, all)
    },
    async [Symbol.asyncDispose]() {
      service.kill('SIGTERM')
      await ended
      await rm(cwd, { recursive: true, force: true })
    },
  }
}
