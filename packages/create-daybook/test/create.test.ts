import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { stripVTControlCharacters } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Outcome, ROOT, run } from '../../../docs/test/site.ts'
import { ENGINES } from '../../../scripts/packages/build-packages.ts'
import { AS_TERMINAL } from '../../daybook/test/support/built/command.ts'
import { whyTooOld } from '../src/node-version.ts'

const BIN = join(import.meta.dirname, '../src/bin.ts')

let cwd: string
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'daybook-create-'))
})
afterEach(() => rm(cwd, { recursive: true, force: true }))

/** Runs create-daybook in the folder, as a package manager does. */
const create = (args: readonly string[], env: Readonly<Record<string, string>> = {}, folder = cwd): Promise<Outcome> =>
  run(process.execPath, [BIN, ...args], folder, { npm_config_user_agent: 'npm/11.0.0 node/v24.0.0 linux x64', ...env })

/** Returns the titles of the prompts in an output. */
const promptsIn = (output: string): readonly string[] =>
  [...stripVTControlCharacters(output).matchAll(/^(\w+) \([\w-]+\): /gm)].map(([, title = '']) => title)

/** Runs create-daybook in a terminal, enters a line after each prompt, and then ends its input. */
async function enterLines(args: readonly string[], lines: readonly string[]): Promise<Outcome> {
  const child = spawn(process.execPath, [AS_TERMINAL, BIN, ...args], { cwd })
  const closed = once(child, 'close')
  const errors = text(child.stderr)
  const left = [...lines]
  let stdout = ''
  let promptCount = 0
  child.stdout.on('data', (chunk) => {
    stdout += chunk
    const count = promptsIn(stdout).length
    if (count === promptCount) return
    promptCount = count
    const next = left.shift()
    if (next === undefined) child.stdin.end()
    else child.stdin.write(`${next}\n`)
  })
  const [status] = await closed
  return { status, stdout, stderr: await errors }
}

const read = (file: string): Promise<string> => readFile(join(cwd, file), 'utf8')

const versionOf = async (folder: string): Promise<string> =>
  JSON.parse(await readFile(join(ROOT, folder, 'package.json'), 'utf8')).version

describe('a new project', () => {
  test('is a blog in the folder my-content by default, and prints the next steps', async () => {
    const { status, stdout, stderr } = await create(['--no-install'])
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toMatch(/Created \/.*\/my-content from the template blog\.\n/)
    expect(stdout).toMatch(/\.\n\nNext:\n {2}cd my-content\n {2}npm install\n {2}npm run dev\n\n/)
    expect(await read('my-content/daybook.config.ts')).toContain("author: f.relation('authors')")
    expect((await read('my-content/.gitignore')).split('\n')).toEqual(['node_modules/', '.daybook/', '.env', ''])
  })

  test('is named after its folder, and has the Daybook of this version', async () => {
    await create(['sites/field-notes', '--template', 'minimal', '--no-install'])
    const manifest = JSON.parse(await read('sites/field-notes/package.json'))
    expect(manifest).toMatchObject({ name: 'field-notes', private: true, type: 'module' })
    const version = await versionOf('packages/daybook')
    expect(manifest.dependencies).toEqual({ '@daybook/client': version, '@daybook/studio': version, daybook: version })
    expect(manifest.scripts).toMatchObject({ dev: 'daybook dev', start: 'daybook start' })
    expect(await read('sites/field-notes/README.md')).toMatch(/^# field-notes\n/)
    expect(await read('sites/field-notes/daybook.config.ts')).toContain("topic: f.relation('topics')")
  })

  test('has its own secret, which only the owner of the file can read', async () => {
    await create(['one', '--no-install'])
    await create(['two', '--no-install'])
    const [first, second] = await Promise.all([read('one/.env'), read('two/.env')])
    expect(first).toMatch(/^DAYBOOK_SERVICE_TOKEN=[0-9a-f]{64}\n$/)
    expect(second).not.toBe(first)
    expect((await stat(join(cwd, 'one/.env'))).mode & 0o777).toBe(0o600)
    expect(await read('one/.env.example')).toBe('DAYBOOK_SERVICE_TOKEN=\n')
  })

  test.each([
    ['blog', 'posts', []],
    ['site', 'posts', ['  Site       http://127.0.0.1:4321']],
    ['minimal', 'notes', []],
  ])('from the template %s says where its start will be found', async (template, collection, site) => {
    const { stdout } = await create(['--template', template, '--no-install'])
    const config = await read('my-content/daybook.config.ts')
    expect(config).toContain(`collections: { ${collection}, `)
    expect(stdout.slice(stdout.indexOf('Then open')).split('\n')).toEqual([
      'Then open:',
      ...site,
      '  Studio     http://127.0.0.1:3000/studio',
      `  API        http://127.0.0.1:3000/api/${collection}`,
      '  Docs page  http://127.0.0.1:3000/docs',
      '',
      'The first start prints a link with which you create your account.',
      '',
    ])
  })

  test('from the template site is the blog and a website, which a second command serves', async () => {
    const { stdout } = await create(['--template', 'site', '--no-install'])
    expect(stdout).toMatch(/\n {2}npm install\n {2}npm run dev\n {2}npm run site {3}# in a second terminal/)
    await create(['blog', '--template', 'blog', '--no-install'])
    expect(await read('my-content/daybook.config.ts')).toBe(await read('blog/daybook.config.ts'))
    const [site, blog] = await Promise.all(
      ['my-content', 'blog'].map(async (name) => JSON.parse(await read(`${name}/package.json`))),
    )
    expect(site.scripts).toEqual({ ...blog.scripts, site: 'node --watch site/server.ts' })
    const hono = { '@hono/node-server': expect.any(String), hono: expect.any(String) }
    expect(site.dependencies).toEqual({ ...blog.dependencies, ...hono })
    const { devDependencies } = JSON.parse(await readFile(join(ROOT, 'packages/create-daybook/package.json'), 'utf8'))
    for (const name of Object.keys(hono)) expect(site.dependencies[name]).toBe(`^${devDependencies[name]}`)
  })

  test.each(['blog', 'site', 'minimal'])(
    'from the template %s may have its content in PostgreSQL',
    async (template) => {
      const { stdout } = await create(['pages', '--template', template, '--database', 'postgres', '--no-install'])
      expect(stdout).toContain(
        '\n  createdb --encoding=UTF8 --template=template0 pages   # or change DATABASE_URL in .env\n',
      )
      const config = await read('pages/daybook.config.ts')
      expect(config).toContain("\nimport { postgres } from 'daybook/postgres'\n")
      expect(config).toContain('defineConfig({\n  database: postgres(process.env.DATABASE_URL),\n')
      const { peerDependencies } = JSON.parse(await readFile(join(ROOT, 'packages/daybook/package.json'), 'utf8'))
      expect(JSON.parse(await read('pages/package.json')).dependencies.pg).toBe(peerDependencies.pg)
      expect(await read('pages/.env')).toMatch(
        /^DATABASE_URL=postgres:\/\/localhost:5432\/pages\nDAYBOOK_SERVICE_TOKEN=\w{64}\n$/,
      )
      expect(await read('pages/.env.example')).toBe(
        'DATABASE_URL=postgres://user:password@host:5432/database\nDAYBOOK_SERVICE_TOKEN=\n',
      )
      const readme = await read('pages/README.md')
      expect(readme).toContain('\ncreatedb --encoding=UTF8 --template=template0 pages ')
      expect(readme).toContain('| `.daybook/` | uploaded files |')
    },
  )

  test('may be the current folder, also if it is a repository', async () => {
    const folder = join(cwd, 'here')
    await mkdir(join(folder, '.git'), { recursive: true })
    const { status, stdout } = await create(['.', '--no-install'], {}, folder)
    expect(status).toBe(0)
    expect(stdout).toMatch(/Next:\n {2}npm install\n {2}npm run dev\n\n/)
    expect(JSON.parse(await read('here/package.json')).name).toBe('here')
  })

  test('accepts the TypeScript of the checkout, and older ones that another project of its workspace may need', async () => {
    await create(['--no-install'])
    const { devDependencies } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
    const ranges = JSON.parse(await read('my-content/package.json')).devDependencies
    expect(ranges).toEqual({ '@types/node': '>=24', typescript: '>=5.9' })
    for (const [name, range] of Object.entries<string>(ranges))
      expect(Number.parseFloat(devDependencies[name])).toBeGreaterThanOrEqual(Number.parseFloat(range.slice(2)))
  })
})

describe('in a terminal', () => {
  test('it asks for the folder, the template and the database, and again after a mistake', async () => {
    await mkdir(join(cwd, 'full'))
    await writeFile(join(cwd, 'full/file'), '')
    const lines = ['full', 'notebook', 'shop', 'Minimal', '']
    const { status, stdout } = await enterLines(['--no-install'], lines)
    expect(status).toBe(0)
    expect(promptsIn(stdout)).toEqual(['Folder', 'Folder', 'Template', 'Template', 'Database'])
    expect(stdout).toContain('full is not empty')
    expect(stdout).toContain('Unknown template "shop"')
    expect(await read('notebook/daybook.config.ts')).toContain('collections: { notes, topics }')
    expect(JSON.parse(await read('notebook/package.json')).dependencies).not.toHaveProperty('pg')
  })

  test('it takes the defaults for empty lines', async () => {
    const { stdout } = await enterLines(['--no-install'], ['', '', ''])
    expect(stdout).toMatch(/\/my-content from the template blog\.\n/)
  })

  test('it asks only for what the command line leaves open', async () => {
    const some = await enterLines(['one', '--template', 'minimal', '--no-install'], ['postgres'])
    expect(promptsIn(some.stdout)).toEqual(['Database'])
    expect(await read('one/daybook.config.ts')).toContain('postgres(process.env.DATABASE_URL)')
    const all = await enterLines(['two', '--template', 'blog', '--database', 'sqlite', '--no-install'], [])
    expect(promptsIn(all.stdout)).toEqual([])
  })

  test('it creates nothing if the input ends', async () => {
    const { status, stderr } = await enterLines(['--no-install'], ['notebook'])
    expect({ status, stderr }).toEqual({ status: 130, stderr: '\ncreate-daybook: Nothing was created.\n' })
    expect(await run('ls', ['-A'], cwd)).toMatchObject({ stdout: '' })
  })
})

describe('packages', () => {
  test.each([
    ['npm', 'npm/11.0.0 node/v24.0.0 linux x64'],
    ['pnpm', 'pnpm/10.1.0 npm/? node/v24.0.0 linux x64'],
    ['bun', 'bun/1.2.0 npm/? node/v24.0.0 linux x64'],
    ['npm', 'yarn/4.18.1 npm/? node/v24.0.0 linux x64'],
    ['npm', 'constructor/1.0.0'],
  ])('are installed by %s if the user agent is %s', async (manager, agent) => {
    const { stdout } = await create(['--no-install'], { npm_config_user_agent: agent })
    expect(stdout).toMatch(new RegExp(`\n {2}${manager} install\n {2}${manager} run dev\n\n`))
  })

  test('that cannot be installed leave the files and the remaining steps', async () => {
    const { status, stdout, stderr } = await create([], { PATH: cwd })
    expect(status).toBe(1)
    expect(stderr).toContain('The packages could not be installed')
    expect(stdout).toMatch(/\n {2}cd my-content\n {2}npm install\n {2}npm run dev\n\n/)
    expect(await read('my-content/daybook.config.ts')).toContain('defineConfig')
  })
})

describe('what cannot be done is refused before anything is written:', () => {
  const REFUSED: Readonly<Record<string, readonly [args: readonly string[], said: string]>> = {
    'a folder that is not empty': [['full'], 'full is not empty: it has "file"'],
    'a file': [['full/file'], 'file is a file'],
    'a folder below a file': [['full/file/deeper'], 'is a file'],
    'a name with capitals and spaces': [['My Cöntent'], 'Try my-content.'],
    'a name that begins with a dot': [['.content'], 'Try content.'],
    'the name of a package that it needs': [['daybook'], 'the name is reserved. Try my-content.'],
    'a name of 215 characters': [['a'.repeat(215)], 'at most 214 characters'],
    'a second folder': [['one', 'two'], 'Unexpected argument "two". Name one folder.'],
    'an unknown option': [
      ['--tempalte', 'blog'],
      "'--tempalte'. Use one of: --template, --database, --no-install, --help, --version",
    ],
    'an option without its value': [['--template'], "'--template <value>' argument missing"],
    'an unknown template': [['--template', 'shop'], 'Unknown template "shop". Use one of: blog, site, minimal.'],
    'an unknown database': [['--database', 'mysql'], 'Unknown database "mysql". Use one of: sqlite, postgres.'],
    'a template that is a property of every object': [['--template', 'constructor'], 'Unknown template'],
  }

  test.each(Object.entries(REFUSED))('%s', async (_what, [args, said]) => {
    await mkdir(join(cwd, 'full'))
    await writeFile(join(cwd, 'full/file'), '')
    const { status, stdout, stderr } = await create(args)
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toContain(said)
    expect(stderr).toContain('npm create daybook -- --help')
    expect(stderr).not.toContain('    at ')
    expect(await run('ls', ['-A'], cwd), 'nothing else is there').toMatchObject({ stdout: 'full\n' })
  })

  test.each([
    ['--template', ['site', 'minimal'], { npm_config_template: 'true' }],
    ['--template', [], { npm_config_template: 'minimal' }],
    ['--database', ['site', 'postgres'], { npm_config_database: 'true' }],
    ['--no-install', ['site'], { npm_config_install: '' }],
  ])('%s, when npm took it as its own', async (option, args, env) => {
    // npm does so with options that no "--" stands before.
    const { status, stderr } = await create(args, env)
    expect(status).toBe(2)
    expect(stderr).toContain(`npm did not pass on ${option}`)
    expect(stderr).toContain('npm create daybook FOLDER -- --template minimal')
  })

  test('an old Node', () => {
    expect(whyTooOld('20.20.2')).toContain('requires Node 22.18 or newer, but this is 20.20.2')
    expect(['22.17.9', '22.18.0', '24.0.0'].map((version) => whyTooOld(version) === undefined)).toEqual([
      false,
      true,
      true,
    ])
  })
})

test('--help and --version print to standard output', async () => {
  expect(await create(['--help'])).toMatchObject({
    status: 0,
    stderr: '',
    stdout: expect.stringContaining('--template NAME'),
  })
  expect((await create(['--version'])).stdout).toBe(`${await versionOf('packages/create-daybook')}\n`)
})

test('the oldest supported Node is that of the published manifests', () => {
  const oldest = ENGINES.node.replace('>=', '')
  expect([whyTooOld(`${oldest}.0`), oldest]).toEqual([undefined, '22.18'])
})
