import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, open, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it, vi } from 'vitest'
import { DAYBOOK } from '../support/built/command.ts'
import { daybook, type Ended, folderOf, start } from './cli.ts'

// Each case starts a process, and `dev` starts several.
vi.setConfig({ testTimeout: 60_000 })

const configOf = (fields: string, more = ''): string => `import { defineConfig, f } from 'DAYBOOK'
export default defineConfig({ auth: { registration: 'closed' }, collections: { notes: { fields: { ${fields} } } }, ${more} })
`
const NOTES = configOf('title: f.text({ required: true }), slug: f.slug({ from: "title" })')
const SERVE = ['start', '--port', '0', '--log', 'silent']

interface Mistake {
  readonly files?: Readonly<Record<string, string>>
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly status: number
  /** All of standard error after `daybook: `, with `.` for the folder. */
  readonly reads: string | RegExp
}

const ELSEWHERE = 'Name another folder with --data, DAYBOOK_DATA or the option data of createService.'
const USAGE = '\nSee daybook --help.\n'
const NO_CONFIG = `The config does not exist: daybook.config.ts, daybook.config.js, daybook.config.mjs in this folder. Name one with --config FILE.${USAGE}`

const seeded = (seed: string): Readonly<Record<string, string>> => ({
  'daybook.config.ts': configOf(
    'title: f.text({ required: true }), rank: f.integer()',
    `seed: async (c) => { ${seed} }`,
  ),
})
const typed = (field: string): Readonly<Record<string, string>> => ({
  'daybook.config.ts': configOf(`title: ${field}`),
})

const MISTAKES: Readonly<Record<string, Mistake>> = {
  'dev without a config': { files: {}, args: ['dev'], status: 2, reads: NO_CONFIG },
  'dev with a config that is not there': {
    args: ['dev', '--config', 'other.ts'],
    status: 2,
    reads: `The config does not exist: other.ts. Name one with --config FILE.${USAGE}`,
  },
  'dev with a port that is none': {
    args: ['dev', '--port', 'http'],
    status: 2,
    reads: `--port must be a number from 0 to 65535, not "http".${USAGE}`,
  },
  'a folder below /proc': {
    args: [...SERVE, '--data', '/proc/x/y'],
    status: 1,
    reads: `The folder /proc/x/y cannot be created: the file system takes no new folders there. ${ELSEWHERE}\n`,
  },
  'a folder below /proc in dev': {
    args: ['dev', '--port', '0', '--log', 'silent', '--data', '/proc/x/y'],
    status: 1,
    reads: `The folder /proc/x/y cannot be created: the file system takes no new folders there. ${ELSEWHERE}\n`,
  },
  '--data naming a file': {
    files: { 'daybook.config.ts': NOTES, content: '' },
    args: [...SERVE, '--data', 'content'],
    status: 1,
    reads: `./content is a file, and the database needs a folder. ${ELSEWHERE}\n`,
  },
  '--data naming a file in dev': {
    files: { 'daybook.config.ts': NOTES, content: '' },
    args: ['dev', '--port', '0', '--log', 'silent', '--data', 'content'],
    status: 1,
    reads: `./content is a file, and the database needs a folder. ${ELSEWHERE}\n`,
  },
  '--data naming a folder inside of a file': {
    files: { 'daybook.config.ts': NOTES, content: '' },
    args: [...SERVE, '--data', 'content/a/b'],
    status: 1,
    reads: `The folder ./content/a/b cannot be created: part of its path is a file. ${ELSEWHERE}\n`,
  },
  'a mistyped option': {
    args: ['start', '--prot', '1'],
    status: 2,
    reads: `Unknown option --prot. Did you mean --port?${USAGE}`,
  },
  'a mistyped option with its value': {
    args: ['export', '--sinse=5', 'x'],
    status: 2,
    reads: `Unknown option --sinse. Did you mean --since?${USAGE}`,
  },
  'an option of no command': {
    args: ['migrate', '--verbose'],
    status: 2,
    reads: `Unknown option --verbose. Use one of: --apply, --allow-loss, --dry-run, --list, --skip, --config, --data${USAGE}`,
  },
  'an option without its value': {
    args: ['export', '--since', '--without-people', 'x'],
    status: 2,
    reads: `--since requires a value: --since SEQ. Write a value with a dash as --since=VALUE.${USAGE}`,
  },
  'a value for an option that takes none': {
    args: ['openapi', '--all=yes'],
    status: 2,
    reads: `--all does not take a value.${USAGE}`,
  },
  'a missing name': {
    args: ['erase', 'notes'],
    status: 2,
    reads: `The arguments are invalid. Write: daybook erase COLLECTION ID${USAGE}`,
  },
  'a mistyped command': {
    args: ['strat'],
    status: 2,
    reads: `Unknown command "strat". Did you mean daybook start?${USAGE}`,
  },
  'a mistyped action of a command': {
    args: ['user', 'crate', 'ann@example.org'],
    status: 2,
    reads: `Unknown command "user crate". Did you mean daybook user create?${USAGE}`,
  },
  'help of a mistyped command': {
    args: ['help', 'imprt'],
    status: 2,
    reads: `Unknown command "imprt". Did you mean daybook import?${USAGE}`,
  },
  'a command of another program': {
    args: ['serve'],
    status: 2,
    reads: `Unknown command "serve". Use one of: start, dev, import, update, delete, undo, erase, export, backup, restore, copy, user, token, openapi, plugins, webhooks, migrate${USAGE}`,
  },
  'a field type of another system': {
    files: typed('f.string()'),
    args: SERVE,
    status: 1,
    reads: 'f.string is not a field type. Use f.text().\n',
  },
  'a field type of another system, in its spelling': {
    files: typed('f.rich_text()'),
    args: SERVE,
    status: 1,
    reads: 'f.rich_text is not a field type. Use f.markdown().\n',
  },
  'a mistyped field type': {
    files: typed('f.bolean()'),
    args: SERVE,
    status: 1,
    reads: 'f.bolean is not a field type. Use f.boolean().\n',
  },
  'a field type that nothing is like': {
    files: typed('f.geometry()'),
    args: SERVE,
    status: 1,
    reads: /^f\.geometry is not a field type\. Use one of: f\.text\(\), f\.markdown\(\), .*f\.blocks\(\)\.\n$/,
  },
  'a seed with entries that do not fit': {
    files: seeded("await c.create('notes', { title: 'a' }); await c.create('notes', { rank: 'x' })"),
    args: SERVE,
    status: 1,
    reads:
      'The seed of the config was rejected at entry 2, of notes.\n  title is required.\n  rank must be an integer or null.\n',
  },
  'a seed that names a collection wrongly': {
    files: seeded("await c.create('posts', { title: 'a' })"),
    args: SERVE,
    status: 1,
    reads: 'The seed of the config was rejected at entry 1, of posts. The collection "posts" does not exist.\n',
  },
  'a seed that names a global wrongly': {
    files: seeded("await c.writeGlobal('site', { title: 'a' })"),
    args: SERVE,
    status: 1,
    reads: 'The seed of the config was rejected at the global site. The global "site" does not exist.\n',
  },
  'a token that is too short': {
    env: { DAYBOOK_SERVICE_TOKEN: 'short' },
    args: SERVE,
    status: 1,
    reads:
      'DAYBOOK_SERVICE_TOKEN has 5 characters, but at least 32 are required. Generate one with: openssl rand -hex 32\n',
  },
  'a host that this machine is not': {
    args: [...SERVE, '--host', '192.0.2.1'],
    status: 1,
    reads: 'This machine does not have that address. Choose another one with --host or --metrics-host.\n',
  },
}

async function run(cwd: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ended> {
  const child = spawn(process.execPath, [...DAYBOOK, ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close')
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  const [status] = await ended
  return { status, stdout, stderr }
}

describe('a mistake on the command line gets advice, without a stack', () => {
  it.each(Object.entries(MISTAKES))('%s', async (_name, { files, args, env = {}, status, reads }) => {
    await using folder = await folderOf(files ?? { 'daybook.config.ts': NOTES })
    const ended = await run(folder.path, args, env)
    const said = ended.stderr.replaceAll(folder.path, '.')
    expect(said).toMatch(/^daybook: /)
    if (typeof reads === 'string') expect(said.slice('daybook: '.length)).toBe(reads)
    else expect(said.slice('daybook: '.length)).toMatch(reads)
    expect(ended.status).toBe(status)
  })
})

const REST = 'Put a backup in its place, or move it away and restore an export with: daybook import FILE'
const DAMAGED = `./.daybook/daybook.db is damaged. ${REST}\nWhat can still be read of it, as SQL: sqlite3 ./.daybook/daybook.db .recover\n`

/** Damages of a database file, each with the message of every command. */
const DAMAGES: Readonly<Record<string, readonly [damage: (file: string) => Promise<void>, reads: string]>> = {
  'that begins with something else': [
    (file) => overwrite(file, 0),
    `./.daybook/daybook.db is damaged, or no database of SQLite. ${REST}\n`,
  ],
  'whose tables are written over': [(file) => overwrite(file, 100), DAMAGED],
  'that was cut off': [(file) => truncate(file, 8192), DAMAGED],
}

async function overwrite(file: string, at: number): Promise<void> {
  const handle = await open(file, 'r+')
  await handle.write(Buffer.alloc(3000, 'garbage'), 0, 3000, at)
  await handle.close()
}

describe('a database file', () => {
  it.each(Object.entries(DAMAGES))('%s is reported with advice', async (_name, [damage, reads]) => {
    await using folder = await folderOf({ 'daybook.config.ts': NOTES })
    await (await start(folder.path)).stop()
    await damage(join(folder.path, '.daybook/daybook.db'))
    for (const args of [SERVE, ['token', 'list']]) {
      const { status, stderr } = await daybook(folder.path, ...args)
      expect(stderr.replaceAll(folder.path, '.')).toBe(`daybook: ${reads}`)
      expect(status).toBe(1)
    }
  })

  it('that cannot be opened is reported with advice', async () => {
    await using folder = await folderOf({ 'daybook.config.ts': NOTES })
    await mkdir(join(folder.path, '.daybook/daybook.db'), { recursive: true })
    const { status, stderr } = await daybook(folder.path, ...SERVE)
    const reads = './.daybook/daybook.db cannot be opened. Let this user read and write the file and its folder.\n'
    expect([stderr.replaceAll(folder.path, '.'), status]).toEqual([`daybook: ${reads}`, 1])
  })

  it('is created in existing folders and in new ones', async () => {
    await using folder = await folderOf({ 'daybook.config.ts': NOTES })
    await mkdir(join(folder.path, 'a/b'), { recursive: true })
    for (const data of ['a', 'a/b', 'a/b/c/d', './x/../y/']) {
      const service = await start(folder.path, '--data', data)
      expect([data, await service.stop()]).toEqual([data, 0])
    }
  })
})
