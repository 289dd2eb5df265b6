import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DAYBOOK } from '../../support/built/command.ts'
import { PostgresDatabase } from '../../support/postgres/postgres-database.ts'
import { SLOW_MACHINE_DATABASE } from '../../support/postgres/slow-machine-postgres.ts'
import { daybook, folderOf, start } from '../cli.ts'

const POSTGRES = join(import.meta.dirname, '../../../src/store/postgres/index.ts')

/** The engines, each with a line of the config. */
const ENGINES = [
  { name: 'sqlite', open: async () => ({ database: '', [Symbol.asyncDispose]: async () => {} }) },
  {
    name: 'postgres',
    open: async () => {
      const database = await PostgresDatabase.make()
      return {
        database: `database: postgres('${database.url}', ${JSON.stringify(SLOW_MACHINE_DATABASE)}),`,
        [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
      }
    },
  },
]

const SEED = `seed: async (content) => {
    for (const title of ['One', 'Two', 'Three']) await content.create('notes', { title })
  },`

const config = (fields: string, more = ''): string => `import { defineConfig, f } from 'DAYBOOK'
import { postgres } from '${POSTGRES}'
export default defineConfig({
  ${more}
  collections: { notes: { fields: { ${fields} } } },
})
`

const migration = (body: string, description = ''): string => `import { defineMigration } from 'DAYBOOK'
export default defineMigration({ ${description} async run({ content, log, dryRun }) { ${body} } })
`

const SHOUT = `log(dryRun ? 'trying' : 'storing')
  await content.each('notes', {}, (note) => ({ title: String(note.title).toUpperCase() }))`

async function notesOf(path: string): Promise<readonly { readonly [key: string]: unknown }[]> {
  const service = await start(path)
  const list = (await (await fetch(`${service.url}/api/notes?sort=createdAt`)).json()) as {
    items: Record<string, unknown>[]
  }
  await service.stop()
  return list.items
}

const titlesOf = async (path: string): Promise<readonly unknown[]> => (await notesOf(path)).map(({ title }) => title)

async function logOfStart(path: string): Promise<string> {
  const child = spawn(process.execPath, [...DAYBOOK, 'start', '--port', '0'], { cwd: path })
  let log = ''
  child.stderr.on('data', (chunk) => {
    log += String(chunk)
  })
  const [greeting] = await once(child.stdout, 'data')
  expect(String(greeting)).toContain('listening on')
  child.kill()
  await once(child, 'close')
  return log
}

describe.each(ENGINES)('daybook migrate on $name', ({ open }) => {
  it('counts and lists invalid values, does a dry run, and runs fills and migrations once', async () => {
    await using place = await open()
    await using folder = await folderOf({ 'daybook.config.ts': config('title: f.text()', place.database + SEED) })
    await (await start(folder.path)).stop()
    await folder.write({
      'daybook.config.ts': config(
        `title: f.text(), text: f.text({ required: true }), mood: f.text({ required: true, fill: ({ title }) => \`mood of \${title}\` })`,
        place.database,
      ),
      'migrations/1-shout.ts': migration(SHOUT, "description: 'Shouts',"),
      'migrations/notes.md': 'no code',
    })
    const plan =
      '      notes.mood is empty and can be filled in (3)\n' +
      '      migrations/1-shout has not run: Shouts\n' +
      'CHECK notes.text is required (3)\n' +
      '      Find them: daybook migrate --list notes.text\n'
    const nothing = 'Nothing was changed. To apply it, run: daybook migrate --apply\n'
    expect(await daybook(folder.path, 'migrate')).toEqual({ status: 0, stdout: plan + nothing, stderr: '' })
    const listed = await daybook(folder.path, 'migrate', '--list', 'notes.text')
    expect(listed.stdout).toMatch(/^(?:[0-9a-f-]{36} is required\n){3}$/)
    const failing = await daybook(folder.path, 'migrate', '--dry-run')
    expect(failing, 'a change may leave no required field empty').toMatchObject({ status: 1 })
    expect(failing.stderr).toMatch(
      /migrations\/1-shout failed: each: the change of notes [0-9a-f-]{36} was rejected\. text is required\.\nNothing was changed\./,
    )
    await folder.write({
      'daybook.config.ts': config(
        `title: f.text(), text: f.text({ required: true, fill: '-' }), mood: f.text({ fill: ({ title }) => \`mood of \${title}\` })`,
        place.database,
      ),
    })
    expect(await daybook(folder.path, 'migrate', '--dry-run')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining(
        '      notes.text would be filled in (3)\n      notes.mood would be filled in (3)\n  1-shout: trying\n      migrations/1-shout would run (3 changes)\n' +
          nothing,
      ),
    })
    expect(await titlesOf(folder.path), 'the dry run changed nothing').toEqual(['One', 'Two', 'Three'])
    expect(await daybook(folder.path, 'migrate', '--apply')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/storing\n {6}migrations\/1-shout has run \(3 changes\)\nDone\.\n$/),
      stderr: '',
    })
    expect(await titlesOf(folder.path)).toEqual(['ONE', 'TWO', 'THREE'])
    expect((await daybook(folder.path, 'migrate')).stdout).toBe('The stored content fits the config.\n')
    await folder.write({ 'migrations/1-shout.ts': migration('') })
    const changed = await daybook(folder.path, 'migrate', '--apply')
    expect(changed).toMatchObject({ status: 1, stdout: '' })
    expect(changed.stderr).toMatch(/^daybook: migrations\/1-shout has changed since it ran/)
  }, 120_000)
})

describe.each(ENGINES)('a collection that is removed from the config, on $name', ({ open }) => {
  const NAMED = 'name: f.text({ required: true })'
  const withPosts = (
    collections: string,
    author: string,
    more: string,
  ): string => `import { defineConfig, f } from 'DAYBOOK'
import { postgres } from '${POSTGRES}'
export default defineConfig({
  ${more}
  collections: { ${collections} posts: { fields: { title: f.text(), ${author} } } },
})
`

  it('is reported by start and migrate, and so are references to its entries', async () => {
    await using place = await open()
    const seed = `seed: async (content) => {
      const { id } = await content.create('authors', { name: 'Ada' })
      for (const title of ['One', 'Two']) await content.create('posts', { title, author: id })
    },`
    const before = withPosts(`authors: { fields: { ${NAMED} } },`, "author: f.relation('authors')", place.database)
    await using folder = await folderOf({ 'daybook.config.ts': before.replace('collections:', `${seed} collections:`) })
    await (await start(folder.path)).stop()

    await folder.write({ 'daybook.config.ts': withPosts('', "author: f.relation('authors')", place.database) })
    for (const command of [['start', '--port', '0'], ['migrate'], ['migrate', '--apply', '--allow-loss']]) {
      const refused = await daybook(folder.path, ...command)
      expect(refused).toMatchObject({ status: 1, stdout: '' })
      expect(refused.stderr).toContain(
        'collections.posts.fields.author refers to "authors", which is not a collection. Use one of: posts',
      )
    }

    const moved = withPosts(`people: { fields: { ${NAMED} } },`, "author: f.relation('people')", place.database)
    await folder.write({ 'daybook.config.ts': moved })
    const gone = 'LOSS  authors is no longer a collection of the config; its entries will be lost (1)\n'
    const nothing = 'Nothing was changed. To apply it, run: daybook migrate --apply\n'
    const check =
      'CHECK posts.author refers to an entry that does not exist in people (2)\n' +
      '      Find them: daybook migrate --list posts.author\n'
    expect(await daybook(folder.path, 'migrate')).toEqual({ status: 0, stdout: gone + check + nothing, stderr: '' })
    const listed = await daybook(folder.path, 'migrate', '--list', 'posts.author')
    expect(listed.stdout).toMatch(/^(?:[0-9a-f-]{36} refers to an entry that does not exist in people\n){2}$/)

    await folder.write({ 'daybook.config.ts': withPosts('', '', place.database) })
    const lost = `LOSS  posts.author is not in the config; its values will be lost (2)\n${gone}`
    expect((await daybook(folder.path, 'migrate')).stdout).toBe(lost + nothing)
    expect(await daybook(folder.path, 'migrate', '--apply')).toMatchObject({ status: 1 })
    await folder.write({ 'daybook.config.ts': before })
    expect((await daybook(folder.path, 'migrate')).stdout, 'what was refused lost nothing').toBe(
      'The stored content fits the config.\n',
    )
    await folder.write({ 'daybook.config.ts': withPosts('', '', place.database) })
    expect((await daybook(folder.path, 'migrate', '--apply', '--allow-loss')).stdout).toBe(`${lost}Done.\n`)
    expect((await daybook(folder.path, 'migrate')).stdout).toBe('The stored content fits the config.\n')
  }, 120_000)
})

describe.each(ENGINES)('values that their fields no longer accept, on $name', ({ open }) => {
  const BEFORE = `title: f.text(), color: f.select({ options: ['red', 'blue'], required: true }),
    colors: f.select({ options: ['red', 'blue'], many: true }), parts: f.blocks({ text: { words: f.text() }, quote: { by: f.text() } }),
    size: f.integer()`
  const ALL_SEED = `seed: async (content) => {
    await content.create('notes', { title: 'One', color: 'blue', colors: ['red', 'blue'], size: 5,
      parts: [{ _type: 'text', words: 'W' }, { _type: 'quote', by: 'B' }] })
    await content.create('notes', { title: 'Two', color: 'red' })
  },`
  const after = (color: string, options: readonly [colors?: string, parts?: string, size?: string] = []): string =>
    `title: f.text(), color: f.select({ options: ['red', 'azure'], required: true, ${color} }),
    colors: f.select({ options: ['red', 'azure'], many: true, ${options[0] ?? ''} }),
    parts: f.blocks({ text: { words: f.text() } }, { ${options[1] ?? ''} }), size: f.text({ ${options[2] ?? ''} })`
  const HEALED = [
    {
      title: 'One',
      color: 'azure',
      colors: ['red', 'azure'],
      parts: [
        { _type: 'text', words: 'W' },
        { _type: 'text', words: 'B' },
      ],
      size: '5',
    },
    { title: 'Two', color: 'red', colors: [], parts: [], size: null },
  ]

  it('are reported and rejected, and never lost in a required field', async () => {
    await using place = await open()
    await using folder = await folderOf({ 'daybook.config.ts': config(BEFORE, place.database + ALL_SEED) })
    await (await start(folder.path)).stop()

    await folder.write({ 'daybook.config.ts': config(after(''), place.database) })
    const lines = [
      'LOSS  notes.color does not accept "blue"; these values will be lost (1)',
      'LOSS  notes.colors does not accept "blue"; these values will be lost (1)',
      'LOSS  notes.parts does not accept "quote"; these values will be lost (1)',
      'LOSS  notes.size does not accept 5; these values will be lost (1)',
    ]
    const plan = await daybook(folder.path, 'migrate')
    for (const line of lines) expect(plan.stdout).toContain(`${line}\n`)
    expect((await daybook(folder.path, 'migrate', '--list', 'notes.color')).stdout).toMatch(
      /^[0-9a-f-]{36} does not accept the stored value "blue"\n[0-9a-f-]{36} is required\n$/,
    )
    expect(await daybook(folder.path, 'migrate', '--apply')).toMatchObject({ status: 1, stderr: '' })
    const emptied = await daybook(folder.path, 'migrate', '--apply', '--allow-loss')
    expect(emptied).toMatchObject({ status: 1, stdout: expect.not.stringContaining('Done.') })
    expect(emptied.stderr).toContain('notes.color is required, but would be empty (1): it does not accept "blue"')

    await folder.write({
      'daybook.config.ts': config(
        after('fill: { blue: "azure" }', [
          'fill: { blue: "azure" }',
          'fill: ({ parts }) => parts.map((part) => part._type === "quote" ? { _type: "text", words: part.by } : part)',
          'fill: ({ size }) => String(size)',
        ]),
        place.database,
      ),
    })
    const filled = ['color', 'colors', 'parts', 'size'].map((key) => `notes.${key}`)
    expect(await daybook(folder.path, 'migrate', '--apply')).toEqual({
      status: 0,
      stdout: [
        ...filled.map(
          (path) => `      ${path} does not accept the stored value, which can be replaced by the fill (1)\n`,
        ),
        ...filled.map((path) => `      ${path} filled in (1)\n`),
        'Done.\n',
      ].join(''),
      stderr: '',
    })
    expect(await notesOf(folder.path)).toMatchObject(HEALED)
    expect((await daybook(folder.path, 'migrate')).stdout).toBe('The stored content fits the config.\n')
  }, 120_000)

  it('are visible to migrations, and stay if a fill returns nothing for them', async () => {
    await using place = await open()
    await using folder = await folderOf({ 'daybook.config.ts': config(BEFORE, place.database + ALL_SEED) })
    await (await start(folder.path)).stop()

    await folder.write({ 'daybook.config.ts': config(after('fill: () => undefined'), place.database) })
    const left = await daybook(folder.path, 'migrate', '--apply', '--allow-loss')
    expect(left).toMatchObject({ status: 1, stdout: expect.not.stringContaining('Done.') })
    expect(left.stderr).toContain('notes.color is required, but would be empty (1): it does not accept "blue"')

    await folder.write({
      'daybook.config.ts': config(after(''), place.database),
      'migrations/1.ts':
        migration(`await content.each('notes', {}, ({ color, colors, parts, size }) => color !== 'blue' ? undefined : {
        color: 'azure', colors: colors.map((name) => name === 'blue' ? 'azure' : name), size: String(size),
        parts: parts.map((part) => part._type === 'quote' ? { _type: 'text', words: part.by } : part) })`),
    })
    expect(await daybook(folder.path, 'migrate', '--apply')).toMatchObject({ status: 1, stderr: '' })
    expect(await daybook(folder.path, 'migrate', '--apply', '--allow-loss')).toMatchObject({ status: 0, stderr: '' })
    expect(await notesOf(folder.path)).toMatchObject(HEALED)
    expect((await daybook(folder.path, 'migrate')).stdout).toBe('The stored content fits the config.\n')
  }, 120_000)
})

describe.each(ENGINES)('fields that are removed from groups, lists and blocks, on $name', ({ open }) => {
  it('are reported, and stay until their loss is allowed', async () => {
    const inner = (hint: string, size: string, by: string): string =>
      `seo: f.group({ words: f.text(), ${hint} }), rows: f.list(f.group({ name: f.text(), ${size} })),
      parts: f.blocks({ quote: { text: f.text(), ${by} } })`
    const before = inner('hint: f.text()', 'size: f.integer()', 'by: f.group({ name: f.text(), born: f.integer() })')
    const after = inner('', '', 'by: f.group({ name: f.text() })')
    const content = {
      seo: { words: 'W', hint: 'H' },
      rows: [{ name: 'a', size: 1 }, { name: 'b' }],
      parts: [{ _type: 'quote', text: 'T', by: { name: 'N', born: 1900 } }],
    }
    const seed = `seed: async (content) => { await content.create('notes', ${JSON.stringify(content)}) },`
    await using place = await open()
    await using folder = await folderOf({ 'daybook.config.ts': config(before, place.database + seed) })
    await (await start(folder.path)).stop()

    await folder.write({ 'daybook.config.ts': config(after, place.database) })
    const lost = ['seo.hint', 'rows.size', 'parts.by.born']
      .map((path) => `LOSS  notes.${path} is not in the config; its values will be lost (1)\n`)
      .join('')
    expect((await daybook(folder.path, 'migrate')).stdout).toContain(lost)
    expect(await daybook(folder.path, 'migrate', '--apply')).toMatchObject({ status: 1 })
    await folder.write({ 'daybook.config.ts': config(before, place.database) })
    expect(await notesOf(folder.path), 'a refused loss loses nothing').toMatchObject([content])

    await folder.write({ 'daybook.config.ts': config(after, place.database) })
    expect(await daybook(folder.path, 'migrate', '--apply', '--allow-loss')).toMatchObject({
      status: 0,
      stdout: `${lost}Done.\n`,
    })
    expect((await daybook(folder.path, 'migrate')).stdout).toBe('The stored content fits the config.\n')
  }, 120_000)
})

describe.each(ENGINES)('entries that a migration does not change, on $name', ({ open }) => {
  it('stay unchanged, and so does updatedAt of entries with equal content', async () => {
    await using place = await open()
    const seed = `seed: async (content) => {
      await content.create('notes', { title: 'One', old: 'x' })
      await content.create('notes', { title: 'Two' })
    },`
    const before = config('title: f.text(), old: f.text()', place.database + seed)
    await using folder = await folderOf({ 'daybook.config.ts': before })
    const [first, second] = await notesOf(folder.path)

    const renamed = "title: f.text(), more: f.text(), name: f.text({ renamedFrom: 'old' })"
    await folder.write({ 'daybook.config.ts': config(renamed, place.database) })
    expect((await daybook(folder.path, 'migrate', '--apply')).stdout).toBe(
      '      notes.name gets the values of old (1)\nDone.\n',
    )
    const [moved, unchanged] = await notesOf(folder.path)
    expect(moved).toMatchObject({ name: 'x', updatedAt: expect.not.stringMatching(String(first?.updatedAt)) })
    expect(unchanged).toEqual({ ...second, old: undefined, more: null, name: null })

    await folder.write({ 'daybook.config.ts': config('title: f.text()', place.database) })
    expect((await daybook(folder.path, 'migrate', '--apply', '--allow-loss')).stdout).toBe(
      'LOSS  notes.name is not in the config; its values will be lost (1)\nDone.\n',
    )
    expect(await notesOf(folder.path)).toEqual([
      { ...moved, name: undefined, more: undefined },
      { ...second, old: undefined },
    ])
    expect((await daybook(folder.path, 'migrate')).stdout).toBe('The stored content fits the config.\n')
  }, 120_000)
})

describe.each(ENGINES)('daybook migrate with a fill of an optional field, on $name', ({ open }) => {
  it('counts the entries, and fills them once', async () => {
    await using place = await open()
    await using folder = await folderOf({ 'daybook.config.ts': config('title: f.text()', place.database + SEED) })
    await (await start(folder.path)).stop()
    await folder.write({
      'daybook.config.ts': config(
        'title: f.text(), size: f.integer({ fill: ({ title }) => String(title).length })',
        place.database,
      ),
    })
    const plan = '      notes.size is empty and can be filled in (3)\n'
    const applied = await daybook(folder.path, 'migrate', '--apply')
    expect(applied).toEqual({ status: 0, stdout: `${plan}      notes.size filled in (3)\nDone.\n`, stderr: '' })
    expect((await daybook(folder.path, 'migrate')).stdout).toBe('The stored content fits the config.\n')
  })
})

describe('migrations of a folder', () => {
  const NOTES = config('title: f.text()', SEED)

  it('are recorded as run when start creates the store; later ones are reported by start', async () => {
    await using folder = await folderOf({ 'daybook.config.ts': NOTES, 'migrations/1.ts': migration(SHOUT) })
    expect(await titlesOf(folder.path)).toEqual(['One', 'Two', 'Three'])
    expect((await daybook(folder.path, 'migrate', '--apply')).stdout).toBe('The stored content fits the config.\n')
    await folder.write({ 'migrations/2.ts': migration(SHOUT) })
    expect(await logOfStart(folder.path)).toContain(
      'Migrations have not run on this store. Run: daybook migrate --apply',
    )
    expect(await daybook(folder.path, 'migrate', '--skip', '2')).toMatchObject({ status: 0 })
    expect((await daybook(folder.path, 'migrate')).stdout).toBe('The stored content fits the config.\n')
    await folder.write({ 'migrations/2.ts': migration('') })
    expect(await logOfStart(folder.path), 'it serves all the same').toContain('migrations/2 has changed since it ran')
  })

  it('are rejected with a message if they cannot run', async () => {
    await using folder = await folderOf({ 'daybook.config.ts': NOTES })
    await (await start(folder.path)).stop()
    const faults = [
      ['my step.ts', migration(''), 'The name of migrations/my step.ts is invalid. Use at most 100 letters'],
      [
        'none.ts',
        'export const run = 1',
        'migrations/none does not export a migration. Write: export default defineMigration(',
      ],
      ['broken.ts', 'export default {', 'migrations/broken cannot be loaded: '],
      ['throws.ts', migration("throw new Error('no luck')"), 'migrations/throws failed: Error: no luck'],
      ['a.js', 'export default { run() {}, description: 7 }', 'The description of migrations/a must be a string'],
    ] as const
    for (const [name, text, message] of faults) {
      await using invalidFolder = await folderOf({ 'daybook.config.ts': NOTES, [`migrations/${name}`]: text })
      const ended = await daybook(invalidFolder.path, 'migrate', '--apply', '--data', join(folder.path, '.daybook'))
      expect(ended.status, name).toBe(1)
      expect(ended.stderr, name).toContain(message)
    }
    expect(await readdir(folder.path)).toEqual(['.daybook', 'daybook.config.ts'])
  })

  it('reject contradictory options', async () => {
    await using folder = await folderOf({ 'daybook.config.ts': NOTES })
    await (await start(folder.path)).stop()
    for (const [args, message] of [
      [['--apply', '--dry-run'], '--apply and --dry-run exclude each other'],
      [['--list', 'notes.nope'], '--list must be a collection or global and one of its fields'],
      [['--skip', 'nope'], 'The migration migrations/nope does not exist'],
    ] as const) {
      const ended = await daybook(folder.path, 'migrate', ...args)
      expect(ended).toMatchObject({ status: 2, stdout: '' })
      expect(ended.stderr).toContain(message)
    }
  })

  it('end with Ctrl-C, even while they wait, and run again', async () => {
    await using folder = await folderOf({ 'daybook.config.ts': NOTES })
    await (await start(folder.path)).stop()
    await folder.write({ 'migrations/waits.ts': migration("log('waiting'); await new Promise(() => {})") })
    const child = spawn(process.execPath, [...DAYBOOK, 'migrate', '--apply'], { cwd: folder.path })
    let stdout = ''
    await new Promise<void>((resolve) => {
      child.stdout.on('data', (chunk) => {
        stdout += String(chunk)
        if (stdout.includes('waits: waiting')) resolve()
      })
    })
    child.kill('SIGINT')
    expect((await once(child, 'close'))[0]).toBe(130)
    expect(stdout).toContain('Stopped. Changes that were already stored are kept. Run the command again to continue.')
    await folder.write({ 'migrations/waits.ts': migration('') })
    expect(await daybook(folder.path, 'migrate', '--apply')).toMatchObject({ status: 0 })
  })
})
