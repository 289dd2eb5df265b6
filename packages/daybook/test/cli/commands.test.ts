import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import NativeDatabase from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { DAYBOOK } from '../support/built/command.ts'
import { PendingRequest } from '../support/network/pending-request.ts'
import { eventually, WAIT_TIMEOUT_MS } from '../support/timeouts.ts'
import { daybook, folderOf, start } from './cli.ts'

const NOTES = `import { defineConfig, f } from 'DAYBOOK'
export default defineConfig({ collections: { notes: { fields: { title: f.text({ required: true }) } } } })
`

/** The same with a public create. */
const OPEN_NOTES = NOTES.replace('notes: {', 'notes: { access: { create: () => true },')

/** Returns the status of a read; 0 if the server does not listen. */
const statusOf = (url: string): Promise<number> =>
  fetch(url).then(
    ({ status }) => status,
    () => 0,
  )

function statesOf(folder: string, collection: string): readonly unknown[] {
  const database = new NativeDatabase(join(folder, '.daybook/daybook.db'), { timeout: WAIT_TIMEOUT_MS })
  const rows = database
    .prepare('SELECT doc FROM daybook$journal JOIN daybook$journal_payload USING (seq) WHERE collection = ?')
    .all(collection) as { doc: string }[]
  database.close()
  return rows.map(({ doc }) => JSON.parse(doc))
}

describe('daybook start', () => {
  for (const file of ['daybook.config.ts', 'daybook.config.js', 'daybook.config.mjs']) {
    it(`finds ${file} in the current folder, prints its URL, and ends cleanly`, async () => {
      await using folder = await folderOf({ [file]: NOTES, 'package.json': '{ "type": "module" }' })
      const service = await start(folder.path)
      const response = await fetch(`${service.url}/api/notes`)
      expect([response.status, await service.stop()]).toEqual([200, 0])
    })
  }

  it('answers a pending request after SIGTERM', async () => {
    await using folder = await folderOf({ 'daybook.config.ts': OPEN_NOTES })
    const service = await start(folder.path)
    const underWay = await PendingRequest.begin(`${service.url}/api/notes`)
    const ended = service.stop()
    await eventually(async () => expect(await statusOf(`${service.url}/api/ready`)).not.toBe(200))
    expect([await underWay.finish(), await ended]).toEqual([201, 0])
  })

  const WRONG: Readonly<
    Record<string, readonly [files: Record<string, string>, args: readonly string[], status: number, advice: string]>
  > = {
    'no config': [{}, ['start'], 2, 'The config does not exist'],
    'a missing config': [{}, ['start', '--config', 'other.ts'], 2, 'other.ts'],
    'a config without a default export': [
      { 'daybook.config.ts': 'export const a = 1' },
      ['start'],
      2,
      'export default',
    ],
    'a wrong config': [
      {
        'daybook.config.ts':
          "import { f } from 'DAYBOOK'\nexport default { collections: { health: { fields: { a: f.text() } } } }",
      },
      ['start'],
      1,
      'collections.health is not allowed, because /api/health belongs to the service',
    ],
    'an invalid port': [{ 'daybook.config.ts': NOTES }, ['start', '--port', 'http'], 2, '--port'],
    'an unknown level': [{ 'daybook.config.ts': NOTES }, ['start', '--log', 'loud'], 2, '--log'],
    'an unknown option': [{ 'daybook.config.ts': NOTES }, ['start', '--prot', '1'], 2, '--prot'],
    'an unknown command': [{}, ['serve'], 2, 'Unknown command "serve"'],
  }

  for (const [name, [files, args, status, advice]] of Object.entries(WRONG)) {
    it(`rejects ${name} with advice`, async () => {
      await using folder = await folderOf(files)
      const ended = await daybook(folder.path, ...args)
      expect(ended.status).toBe(status)
      expect(ended.stderr).toContain(advice)
      expect(ended.stderr).not.toContain('    at ')
    })
  }

  it('rejects a token that is too short', async () => {
    await using folder = await folderOf({ 'daybook.config.ts': NOTES })
    const child = spawn(process.execPath, [...DAYBOOK, 'start', '--port', '0'], {
      cwd: folder.path,
      env: { ...process.env, DAYBOOK_SERVICE_TOKEN: 'short' },
      stdio: 'ignore',
    })
    const [status] = await once(child, 'exit')
    expect(status).toBe(1)
  })
})

describe('daybook --help and --version', () => {
  it('print to standard output', async () => {
    await using folder = await folderOf({})
    const help = await daybook(folder.path, '--help')
    expect(help).toMatchObject({ status: 0, stderr: '' })
    expect(help.stdout).toMatch(/^ {2}import +import a folder of Markdown and MDX files/m)
    expect(await daybook(folder.path)).toEqual(help)
    expect((await daybook(folder.path, '--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  })

  it('print the options of a single command', async () => {
    await using folder = await folderOf({})
    const help = await daybook(folder.path, 'import', '--help')
    expect(help).toMatchObject({ status: 0, stderr: '' })
    expect(help.stdout).toMatch(/^Usage: daybook import PATH \[options\]\n/)
    expect(help.stdout).toContain('--locale-folders')
    expect(help.stdout).not.toContain('--metrics-port')
    expect(await daybook(folder.path, 'help', 'import')).toEqual(help)
    const action = await daybook(folder.path, 'user', 'create', '--help')
    expect(action.stdout).toMatch(/^Usage: daybook user create EMAIL \[options\]\n/)
  })
})

describe('daybook migrate', () => {
  const before = `import { defineConfig, f } from 'DAYBOOK'
export default defineConfig({
  collections: {
    notes: { fields: { headline: f.text({ required: true }), text: f.markdown(), seo: f.group({ ttl: f.text() }), gone: f.text() } },
    old: { fields: { name: f.text() } },
  },
  seed: async (content) => {
    await content.create('notes', { headline: 'H', text: '*hi*', seo: { ttl: 'T' }, gone: 'bye' })
    await content.create('old', { name: 'One' })
  },
})
`
  const after = (gone: string): string => `import { defineConfig, f } from 'DAYBOOK'
export default defineConfig({
  collections: {
    notes: { fields: {
      title: f.text({ required: true, renamedFrom: 'headline' }), slug: f.slug({ from: 'title' }),
      body: f.markdown({ renamedFrom: 'text' }), seo: f.group({ title: f.text({ renamedFrom: 'ttl' }) }), ${gone}
    } },
    ${gone === '' ? '' : 'old: { fields: { name: f.text() } },'}
  },
})
`

  it('moves renamed fields at any depth with --apply; start refuses to serve until then', async () => {
    await using folder = await folderOf({ 'daybook.config.ts': before })
    await (await start(folder.path)).stop()
    await folder.write({ 'daybook.config.ts': after('gone: f.text(),') })
    const refused = await daybook(folder.path, 'start', '--port', '0')
    expect(refused).toMatchObject({ status: 1, stdout: '' })
    expect(refused.stderr).toContain('notes.title gets the values of headline (1)')
    expect(refused.stderr).toContain('daybook migrate --apply')
    const planned = await daybook(folder.path, 'migrate')
    expect(planned).toMatchObject({ status: 0 })
    expect(planned.stdout).toContain('Nothing was changed')
    expect((await daybook(folder.path, 'start', '--port', '0')).status).toBe(1)
    expect(await daybook(folder.path, 'migrate', '--apply')).toMatchObject({ status: 0 })
    expect((await daybook(folder.path, 'migrate')).stdout).toBe('The stored content fits the config.\n')
    const service = await start(folder.path)
    const { items } = (await (await fetch(`${service.url}/api/notes?q=hi`)).json()) as { items: unknown[] }
    await service.stop()
    expect(items).toMatchObject([
      { title: 'H', slug: 'h', body: '*hi*', bodyHtml: '<p><em>hi</em></p>', seo: { title: 'T' }, gone: 'bye' },
    ])
  })

  it('lists losses, and refuses them without --allow-loss', async () => {
    await using folder = await folderOf({ 'daybook.config.ts': before })
    await (await start(folder.path)).stop()
    await folder.write({ 'daybook.config.ts': after('') })
    const refused = await daybook(folder.path, 'migrate', '--apply')
    expect(refused.status).toBe(1)
    expect(refused.stdout).toMatch(/LOSS +notes\.gone .*\(1\)/)
    expect(refused.stdout).toMatch(/LOSS +old is no longer a collection .*\(1\)/)
    expect(refused.stdout).toContain('--allow-loss')
    expect((await daybook(folder.path, 'migrate')).stdout).toContain('gets the values of headline')
    expect(await daybook(folder.path, 'migrate', '--apply', '--allow-loss')).toMatchObject({ status: 0 })
    const service = await start(folder.path)
    expect((await fetch(`${service.url}/api/old`)).status).toBe(404)
    await service.stop()
    expect(statesOf(folder.path, 'old'), 'what a dropped collection held stays in the journal').toMatchObject([
      { name: 'One' },
    ])
  })
})

describe('daybook openapi', () => {
  const PRIVATE = NOTES.replace(
    'notes: {',
    'plans: { access: { read: (caller) => caller.principal !== null }, fields: { a: f.text() } }, notes: {',
  )

  it('prints the document of a config, public or complete, and leaves no store', async () => {
    await using folder = await folderOf({ 'daybook.config.ts': PRIVATE })
    const [open, all] = [await daybook(folder.path, 'openapi'), await daybook(folder.path, 'openapi', '--all')]
    const paths = [open, all].map(({ stdout }) => Object.keys(JSON.parse(stdout).paths))
    expect([open.status, open.stderr, all.status]).toEqual([0, '', 0])
    expect(paths.map((keys) => [keys.includes('/api/notes'), keys.includes('/api/plans')])).toEqual([
      [true, false],
      [true, true],
    ])
    expect(await readdir(folder.path)).toEqual(['daybook.config.ts'])
  })

  it('takes no arguments', async () => {
    await using folder = await folderOf({ 'daybook.config.ts': NOTES })
    expect(await daybook(folder.path, 'openapi', 'file.json')).toMatchObject({ status: 2, stdout: '' })
  })
})
