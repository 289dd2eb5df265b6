import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { f } from 'daybook'
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { DAYBOOK } from '../../support/built/command.ts'
import { PostgresDatabase } from '../../support/postgres/postgres-database.ts'
import { SLOW_MACHINE_DATABASE, slowMachinePostgres } from '../../support/postgres/slow-machine-postgres.ts'
import { toLines, withoutHeader } from '../../support/stores/export.ts'
import { daybook, type Ended, folderOf, start } from '../cli.ts'
import { type Place, readResponses, serve } from '../copy/copy-content.ts'
import { allRows, change, rows } from '../copy/copy-place.ts'
import { before, everything } from './restore-config.ts'
import { fillBefore, touch } from './restore-content.ts'

const CONFIG = join(import.meta.dirname, 'restore-config.ts')
const POSTGRES = join(import.meta.dirname, '../../../src/store/postgres/index.ts')
let folder: Awaited<ReturnType<typeof folderOf>>

beforeEach(async () => {
  folder = await folderOf({})
  return () => folder[Symbol.asyncDispose]()
})
afterEach(() => vi.unstubAllEnvs())

const at = (name: string): string => join(folder.path, name)
const text = (name: string): Promise<string> => readFile(at(name), 'utf8')

/** Runs a command on a data folder, or on the database of a URL. */
function run(place: string, ...args: readonly string[]): Promise<Ended> {
  const isUrl = place.startsWith('postgres')
  vi.stubEnv('DATABASE_URL', isUrl ? place : '')
  return daybook(folder.path, ...args, '--config', CONFIG, ...(isUrl ? [] : ['--data', place]))
}

describe('an export of every field type, in several locales, with orphaned values', () => {
  test('uses each field type', () => {
    const usedTypes = new Set<unknown>(Object.values(everything.collections.things.fields).map(({ type }) => type))
    const types = Object.entries(f).map(([name, build]) => [name, (build as CallableFunction)({}).type] as const)
    const unused = types.filter(([, type]) => !usedTypes.has(type)).map(([name]) => name)
    expect(unused).toEqual([])
    for (const to of ['things', ['things', 'people']]) expect(usedTypes).toContain(f.relation(to).type)
  })

  test('is the same after a restore, on both stores and across them', async () => {
    await using first = await PostgresDatabase.make()
    await using second = await PostgresDatabase.make()
    await serve(before, { data: at('source') }, fillBefore)
    await serve(everything, { data: at('source') }, touch)
    expect(await run('source', 'export', 'source.ndjson')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^exported 11 entries, 1 global, as of \d+, to source\.ndjson$/m),
    })
    const source = await text('source.ndjson')
    expect(source).toContain('"orphaned":{"gone":')
    expect(source.match(/"draft":\{.*"orphaned":\{"gone":"gone, too"/g)).toHaveLength(1)
    expect(source.match(/"schedule":\[/g)).toHaveLength(2)
    const way = [
      ['source', 'file'],
      ['file', first.url],
      [first.url, second.url],
      [second.url, 'back'],
    ] as const
    for (const [index, [from, to]] of way.entries()) {
      const name = `${index}.ndjson`
      expect(await run(from, 'export', name)).toMatchObject({ status: 0 })
      expect(withoutHeader(await text(name))).toBe(withoutHeader(source))
      expect(await run(to, 'import', name)).toMatchObject({ status: 0, stdout: expect.stringContaining('restored 11') })
    }
    expect(await run('back', 'export', 'back.ndjson')).toMatchObject({ status: 0 })
    expect(withoutHeader(await text('back.ndjson'))).toBe(withoutHeader(source))
  })

  test('gives the same responses, except tags, and the same rows after a restore on both stores', async () => {
    await using database = await PostgresDatabase.make()
    await serve(before, { data: at('source') }, fillBefore)
    await serve(everything, { data: at('source') }, touch)
    await run('source', 'export', 'source.ndjson')
    for (const target of ['target', database.url]) await run(target, 'import', 'source.ndjson')
    const sendRequest = async (place: Place): Promise<ReadonlyMap<string, readonly unknown[]>> =>
      serve(everything, place, async (service) => {
        const responses = await readResponses(service, ['things', 'people', 'empty'], ['site', 'untouched'])
        return new Map([...responses].map(([path, [status, , body]]) => [path, [status, body]]))
      })
    const source = await sendRequest({ data: at('source') })
    expect(await sendRequest({ data: at('target') })).toEqual(source)
    expect(await sendRequest({ database: slowMachinePostgres(database.url) })).toEqual(source)
    const { daybook$meta, ...fileRows } = allRows(join(at('target'), 'daybook.db'))
    const rowsOf = async (table: string): Promise<readonly string[]> =>
      (await database.rows(`SELECT * FROM "${table}"`)).map((row) => JSON.stringify(row)).sort()
    for (const [table, rows] of Object.entries(fileRows)) expect(await rowsOf(table), table).toEqual(rows)
  })
})

const NOTES = `import { f } from 'DAYBOOK'
export default { collections: { notes: { fields: { text: f.text(), slug: f.slug({ from: 'text' }), status: f.status() } } } }
`
const notes = {
  collections: { notes: { fields: { text: f.text(), slug: f.slug({ from: 'text' }), status: f.status() } } },
}

const runNotes = (...args: readonly string[]): Promise<Ended> => daybook(folder.path, ...args)

/** Folders with a store of notes and its export, by number of notes; each is created once. */
const notesFolders = new Map<number, Awaited<ReturnType<typeof folderOf>>>()
afterAll(() => Promise.all([...notesFolders.values()].map((notesFolder) => notesFolder[Symbol.asyncDispose]())))

/** Copies a store of notes to `source`, and returns its export. */
async function makeNotes(count: number): Promise<string> {
  const from = notesFolders.get(count) ?? (await fillNotes(count))
  await cp(from.path, folder.path, { recursive: true })
  return text('notes.ndjson')
}

async function fillNotes(count: number): Promise<Awaited<ReturnType<typeof folderOf>>> {
  const notesFolder = await folderOf({ 'daybook.config.ts': NOTES })
  notesFolders.set(count, notesFolder)
  await serve(notes, { data: join(notesFolder.path, 'source') }, async ({ content }) => {
    const make = (n: number) => content.create('notes', { text: `note ${n}` } as never)
    await Promise.all(Array.from({ length: count }, (_, n) => make(n)))
  })
  expect(await daybook(notesFolder.path, 'export', 'notes.ndjson', '--data', 'source')).toMatchObject({ status: 0 })
  return notesFolder
}

test('entries of an export without an order by hand are ordered by their creation', async () => {
  await makeNotes(3)
  const ordered = NOTES.replace('notes: {', 'notes: { orderable: true,')
  await folder.write({ 'daybook.config.ts': ordered })
  expect(await runNotes('import', 'notes.ndjson', '--data', 'target')).toMatchObject({ status: 0 })
  const config = { collections: { notes: { ...notes.collections.notes, orderable: true } } }
  const created = await serve(config, { data: at('target') }, async ({ content }) => {
    const { items } = await content.list('notes', { limit: 3 })
    return items as unknown as readonly { readonly createdAt: string; readonly rank: string }[]
  })
  expect(created.map(({ rank }) => rank)).toEqual(['a0', 'a1', 'a2'])
  expect(created.map(({ createdAt }) => createdAt)).toEqual(created.map(({ createdAt }) => createdAt).toSorted())
})

describe('daybook export', () => {
  test('writes the same to standard output and to a file, which only its owner may read', async () => {
    const whole = await makeNotes(3)
    const { stdout, stderr, status } = await runNotes('export', '-', '--data', 'source')
    expect(status).toBe(0)
    expect(withoutHeader(stdout)).toBe(withoutHeader(whole))
    expect(stderr).toContain('exported 3 entries, 0 globals, as of 3')
    expect((await stat(at('notes.ndjson'))).mode & 0o777).toBe(0o600)
    expect(await readdir(folder.path)).toEqual(['daybook.config.ts', 'notes.ndjson', 'source'])
  })

  test('--since writes the changes after a sequence number', async () => {
    await makeNotes(3)
    const { stdout } = await runNotes('export', '-', '--since', '2', '--data', 'source')
    expect(toLines(stdout)).toEqual([
      expect.objectContaining({ since: 2, seq: 3 }),
      expect.objectContaining({ collection: 'notes' }),
      { counts: { collections: { assets: 0, notes: 1 }, globals: 0, deleted: 0 } },
    ])
  })

  test('replaces a file only by a complete one', async () => {
    await makeNotes(1)
    await writeFile(at('kept.ndjson'), 'kept')
    expect(await runNotes('export', 'kept.ndjson', '--since', '9', '--data', 'source')).toMatchObject({ status: 2 })
    expect(await text('kept.ndjson')).toBe('kept')
    expect(await runNotes('export', 'kept.ndjson', '--data', 'source')).toMatchObject({ status: 0 })
    expect(await text('kept.ndjson')).toContain('"counts"')
  })

  test('rejects an invalid command line or path with a reason', async () => {
    await makeNotes(1)
    const cases = [
      [['export'], 2, 'Write: daybook export FILE'],
      [['export', 'a', 'b'], 2, 'Write: daybook export FILE'],
      [['export', 'a', '--since', 'x'], 2, '--since must be a whole number'],
      [['export', 'a', '--since', '2', '--data', 'source'], 2, '--since must be at most 1'],
      [['export', 'a', '--data', 'nowhere'], 1, 'does not exist. Check --data'],
      [['export', 'nowhere/a', '--data', 'source'], 1, 'nowhere/a cannot be written: ENOENT'],
    ] as const
    for (const [args, status, message] of cases) {
      expect(await runNotes(...args), args.join(' ')).toMatchObject({
        status,
        stderr: expect.stringContaining(message),
      })
    }
  })
})

describe('daybook import FILE rejects', () => {
  /** Restores a changed file, which has to be rejected without storing anything. */
  async function expectRejected(change: (lines: string[]) => readonly string[], status = 1): Promise<Ended> {
    const whole = await makeNotes(3)
    const lines = change(whole.trimEnd().split('\n'))
    await writeFile(at('changed.ndjson'), `${lines.join('\n')}\n`)
    const ended = await runNotes('import', 'changed.ndjson', '--data', 'target')
    expect(ended.status).toBe(status)
    const { stdout } = await runNotes('import', 'notes.ndjson', '--data', 'target')
    expect(stdout, 'the whole file goes into the same store').toContain('restored 3 entries')
    return ended
  }

  test('a file without its last line, or without some before it', async () => {
    expect((await expectRejected((lines) => lines.slice(0, -1))).stderr).toContain('is incomplete')
    await folder.write({ 'cut.ndjson': (await text('notes.ndjson')).slice(0, -5) })
    expect((await runNotes('import', 'cut.ndjson', '--data', 'other')).stderr).toContain('is incomplete')
    const short = (await text('notes.ndjson')).split('\n')
    await folder.write({ 'short.ndjson': short.toSpliced(2, 1).join('\n') })
    expect((await runNotes('import', 'short.ndjson', '--data', 'other')).stderr).toContain(
      'The file has 4 lines, but its last line counts 5.',
    )
  })

  test('a file that is no export, or contains only changes', async () => {
    expect((await expectRejected(() => ['{"a":1}', '{}'])).stderr).toContain('It is not an export of Daybook')
    await runNotes('export', 'since.ndjson', '--since', '1', '--data', 'source')
    expect((await runNotes('import', 'since.ndjson', '--data', 'other')).stderr).toContain('only the changes after 1')
  })

  test('invalid lines, each with its number and the reason', async () => {
    const { stderr, stdout } = await expectRejected(
      ([header = '', first = '', second = '', third = '', counts = '']) => [
        header,
        first.replace('"notes"', '"nothing"'),
        second.replace('"text":"note', '"typo":"note'),
        third.slice(0, -1),
        counts,
      ],
    )
    expect(stderr).toContain('line 2: The config has no collection "nothing"')
    expect(stderr).toContain('line 3: document.typo is not a field of notes')
    expect(stderr).toContain('line 4: The line must be well-formed JSON')
    expect(stdout).toContain('3 of 3 lines are invalid. Nothing of this file was stored.')
  })

  test('documents that no write could have stored', async () => {
    const { stderr } = await expectRejected(([header = '', first = '', second = '', third = '', counts = '']) => [
      header,
      first.replace(/"text":"note \d"/, '"__proto__":1'),
      second.replace(/"text":"note \d"/, '"text":5'),
      third.replace(/"text":"note \d"/, '"text":"\\ud800"'),
      counts,
    ])
    const whole = await text('notes.ndjson')
    await writeFile(at('nobody.ndjson'), whole.replace(/("document":.*)"status":"published"/, '$1"status":null'))
    expect((await runNotes('import', 'nobody.ndjson', '--data', 'other')).stderr).toContain(
      'line 2: document.status is required',
    )
    await writeFile(at('half.ndjson'), whole.replace('"slug":"note-', '"slug":"\\ud800'))
    expect((await runNotes('import', 'half.ndjson', '--data', 'other')).stderr).toContain(
      'line 2: slug must not contain half of a surrogate pair',
    )
    expect(stderr).toMatch(/line 2: .*is not allowed as a key/)
    expect(stderr).toContain('line 3: document.text is not a field of notes')
    expect(stderr).toMatch(/line 4: .*half of a surrogate pair/)
  })

  test('drafts and schedules that no write could have stored', async () => {
    const draft = (line: string, document: object): string => {
      const { schemaHash } = JSON.parse(line) as { readonly schemaHash: string }
      const copy = { updatedAt: '2026-01-01T00:00:00.000Z', schemaHash, document }
      return `${line.slice(0, -1)},"draft":${JSON.stringify(copy)}}`
    }
    const twice =
      ',"schedule":[{"action":"publish","at":"2026-01-01T00:00:00.000Z"},{"action":"publish","at":"2026-01-02T00:00:00.000Z"}]}'
    const { stderr } = await expectRejected(([header = '', first = '', second = '', third = '', counts = '']) => [
      header,
      draft(first, { text: 5 }),
      draft(second, { other: 'x' }),
      `${third.slice(0, -1)}${twice}`,
      counts,
    ])
    expect(stderr).toContain('line 2: draft.document.text is not a field of notes')
    expect(stderr).toContain('line 3: draft.document.other is not a field of notes')
    expect(stderr).toContain('line 4: schedule must have at most one time for each action')
  })

  test('a store with content, and leaves it unchanged', async () => {
    await makeNotes(2)
    const ended = await runNotes('import', 'notes.ndjson', '--data', 'source')
    expect(ended).toMatchObject({ status: 1, stderr: expect.stringContaining('The store contains content') })
    expect(withoutHeader((await runNotes('export', '-', '--data', 'source')).stdout)).toBe(
      withoutHeader(await text('notes.ndjson')),
    )
  })

  test('options for folders, and more than one file', async () => {
    await makeNotes(1)
    const ended = await runNotes('import', 'notes.ndjson', '--dry-run')
    expect(ended).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--dry-run is allowed only for a folder'),
    })
    expect(await runNotes('import', 'notes.ndjson', 'notes.ndjson')).toMatchObject({ status: 2 })
  })
})

describe('a restore of authors', () => {
  const peopleOf = (data: string): Promise<readonly unknown[]> =>
    serve(notes, { data: at(data) }, async ({ content }) => {
      const { items } = await content.list('notes', { sort: 'text' })
      return items.map(({ createdBy, updatedBy }) => [createdBy, updatedBy])
    })

  test('keeps both authors; without authors in the file, they are null', async () => {
    const whole = await makeNotes(3)
    await writeFile(at('authors.ndjson'), whole.replaceAll('"createdBy":"system"', '"createdBy":"ann"'))
    await writeFile(at('older.ndjson'), whole.replaceAll(/"(?:created|updated)By":"system",/g, ''))
    for (const name of ['authors', 'older'])
      expect(await runNotes('import', `${name}.ndjson`, '--data', name)).toMatchObject({ status: 0 })
    expect(await peopleOf('authors')).toEqual(Array(3).fill(['ann', 'system']))
    expect(await peopleOf('older')).toEqual(Array(3).fill([null, null]))
    const { stdout } = await runNotes('export', '-', '--without-people', '--data', 'authors')
    expect(withoutHeader(stdout)).toBe(withoutHeader(await text('older.ndjson')))
  })
})

describe('a restore with another config', () => {
  test('keeps values without a field, and leaves new fields empty', async () => {
    const whole = await makeNotes(1)
    await folder.write({
      'daybook.config.ts': `import { f } from 'DAYBOOK'
export default { collections: { notes: { fields: { slug: f.slug(), other: f.integer() } } } }
`,
    })
    expect(await runNotes('import', 'notes.ndjson', '--data', 'target')).toMatchObject({ status: 0 })
    const [, line] = toLines((await runNotes('export', '-', '--data', 'target')).stdout)
    expect(line).toMatchObject({ orphaned: { text: 'note 0' }, document: { slug: 'note-0', other: null } })
    await folder.write({ 'daybook.config.ts': NOTES })
    expect(withoutHeader((await runNotes('export', '-', '--data', 'target')).stdout)).toBe(withoutHeader(whole))
  })

  test('with another default locale is rejected', async () => {
    await serve(before, { data: at('other') }, fillBefore)
    await run('other', 'export', 'other.ndjson')
    await makeNotes(1)
    const ended = await runNotes('import', 'other.ndjson', '--data', 'target')
    expect(ended).toMatchObject({ status: 1, stderr: expect.stringContaining('Its default locale is "en"') })
  })
})

const TARGETS = [
  { name: 'sqlite', make: async () => undefined },
  { name: 'postgres', make: () => PostgresDatabase.make() },
] as const

/** Returns the options that name the store of notes. */
async function placeIn(database: PostgresDatabase | undefined): Promise<readonly string[]> {
  if (!database) return ['--data', 'target']
  const url = `database: postgres('${database.url}', ${JSON.stringify(SLOW_MACHINE_DATABASE)}), collections`
  await folder.write({
    'placed.config.ts': `import { postgres } from '${POSTGRES}'\n${NOTES.replace('collections', url)}`,
  })
  return ['--config', 'placed.config.ts']
}

describe.each(TARGETS)('a restore of two entries with one slug on $name', ({ make }) => {
  test('names the line of the second, and stores none of its batch', async () => {
    const whole = await makeNotes(5)
    const lines = whole.split('\n')
    const slug = /"slug":"note-\d"/g
    await writeFile(
      at('same.ndjson'),
      lines.with(4, String(lines[4]).replaceAll(slug, `${lines[2]?.match(slug)?.[0]}`)).join('\n'),
    )
    await using database = await make()
    const target = await placeIn(database)
    const ended = await runNotes('import', 'same.ndjson', ...target)
    expect(ended).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('line 5: This slug is already used by another entry.'),
    })
    const count = 'SELECT count(*) AS count FROM notes'
    const counts = database ? await database.rows(count) : rows(join(at('target'), 'daybook.db'), count)
    expect(counts).toEqual([{ count: 0 }])
  })
})

describe.each(TARGETS)('a restore into a store that a service serves on $name', ({ make }) => {
  test('names the service', async () => {
    await makeNotes(5)
    await using database = await make()
    const target = await placeIn(database)
    const service = await start(folder.path, ...target)
    const ended = await runNotes('import', 'notes.ndjson', ...target)
    await service.stop()
    expect(ended).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(`These processes serve the store: \\S+/${service.pid}\\. Stop them: `),
    })
  })
})

describe.each(TARGETS)('a restore that was killed on $name', ({ make }) => {
  /** Starts a restore, and kills it once it has reported lines. */
  async function kill(target: readonly string[]): Promise<void> {
    const child = spawn(process.execPath, [...DAYBOOK, 'import', 'notes.ndjson', ...target], {
      cwd: folder.path,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const exited = once(child, 'exit')
    for await (const line of createInterface({ input: child.stderr })) {
      if (/^\d+\/\d+ lines restored/.test(line)) child.kill('SIGKILL')
    }
    expect(await exited).toEqual([null, 'SIGKILL'])
  }

  test('can be continued; until then, the store cannot be served, exported or migrated', async () => {
    const whole = await makeNotes(5000)
    await using database = await make()
    const target = await placeIn(database)
    await kill(target)
    for (const args of [['start', '--port', '0'], ['export', '-'], ['migrate']]) {
      const ended = await runNotes(...args, ...target)
      expect(ended).toMatchObject({ status: 1, stderr: expect.stringContaining('holds an unfinished restore') })
    }
    await writeFile(at('other.ndjson'), whole.replace('note 1"', 'note one"'))
    expect(await runNotes('import', 'other.ndjson', ...target)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('an unfinished restore of another file'),
    })
    const ended = await runNotes('import', 'notes.ndjson', ...target)
    expect(ended).toMatchObject({ status: 0, stdout: expect.stringContaining('restored 5000 entries') })
    expect(ended.stderr).not.toContain('\n1000/5000 lines restored')
    expect(withoutHeader((await runNotes('export', '-', ...target)).stdout)).toBe(withoutHeader(whole))
    expect(await runNotes('import', 'notes.ndjson', ...target)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('is already restored'),
    })
  })

  test('cannot be continued after another write to the store', async () => {
    await makeNotes(5000)
    await using database = await make()
    const target = await placeIn(database)
    await kill(target)
    if (database) await database.rows('UPDATE daybook$head SET seq = seq + 1')
    else change(join(at('target'), 'daybook.db'), 'UPDATE daybook$head SET seq = seq + 1')
    expect(await runNotes('import', 'notes.ndjson', ...target)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('Another process has written to the store'),
    })
  })
})
