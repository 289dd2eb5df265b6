import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ROOT } from '../../../docs/test/site.ts'
import { TutorialReader } from '../../../docs/test/tutorial.ts'
import { blocksOf } from '../../../scripts/markdown.ts'
import { FreshFolder } from '../../../scripts/packages/fresh-folder.ts'
import { openBrowser } from '../../client/test/support/browser.ts'
import { PostgresDatabase } from '../../daybook/test/support/postgres/postgres-database.ts'

/** The timeout of building, packing, installing and starting packages, in milliseconds. */
const PATIENT = 900_000

/** A program of the project that uses the client. */
const DRIVE = `
import { createClient, DaybookError, etagOf } from '@daybook/client'
import type config from '../daybook.config.ts'

const { DAYBOOK_URL: baseUrl = '', DAYBOOK_SERVICE_TOKEN: token } = process.env
const { posts, authors } = createClient<typeof config>({ baseUrl, token }).collections
const ada = await authors.findBySlug('ada-example')
const made = await posts.create({ title: 'Driven', author: ada?.id ?? null })
const read = await posts.findBySlug('driven', { include: ['author'] })
console.log('created', read?.slug, 'by', read?.author?.name)
const changed = await posts.patch(made, { title: 'Driven twice' })
console.log('changed', changed.title)
const stale = await posts.patch(made, { title: 'Lost' }, { ifMatch: etagOf(made) }).catch((error: unknown) => error)
console.log('stale', stale instanceof DaybookError ? stale.code : stale)
const slugs: string[] = []
for await (const post of posts.iterate({ limit: 1, sort: '-createdAt', status: 'published' })) slugs.push(post.slug)
console.log('walked', slugs.join(', '))
await posts.delete(changed)
console.log('gone', await posts.findBySlug('driven'))
`

let fresh: FreshFolder
beforeAll(async () => {
  fresh = await FreshFolder.make()
}, PATIENT)
afterAll(() => fresh?.[Symbol.asyncDispose]())

const read = (file: string): Promise<string> => readFile(join(fresh.path, file), 'utf8')

async function get<T>(url: string): Promise<T> {
  return (await fetch(url)).json() as Promise<T>
}

/** Returns the size of a package without its nested packages, in bytes. */
async function sizeOf(folder: string): Promise<number> {
  const items = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = items.filter((item) => item.isFile() && !item.parentPath.slice(folder.length).includes('/node_modules'))
  const sizes = await Promise.all(files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** Reads the encodings of the docs page's largest script, and whether it is that script. */
async function docsOf(
  url: string,
): Promise<readonly { readonly encoding: string | null; readonly isScript: boolean }[]> {
  const page = await (await fetch(`${url}/docs`)).text()
  const script = `${/src="([^"]+)start\.js"/.exec(page)?.[1]}standalone.esm.js`
  const fetchFile = async (accepted: string) => {
    const response = await fetch(url + script, { headers: { 'Accept-Encoding': accepted } })
    const encoding = response.headers.get('content-encoding')
    return { encoding, isScript: (await response.text()).includes('createApiReference') }
  }
  return Promise.all(['gzip, deflate, br', 'gzip', 'identity'].map(fetchFile))
}

/** Creates a project like a reader of the docs, and ignores npm's own output. */
async function create(...args: readonly string[]): Promise<void> {
  const { status, stdout, stderr } = await fresh.run('.', 'npm', 'create', '--prefer-offline', 'daybook', ...args)
  expect(status, stderr).toBe(0)
  expect(stdout).toMatch(/\n {2}npm run dev\n\nThen open:\n/)
  expect(stderr).not.toContain('allowScripts')
}

describe('the packed packages, where nobody has seen the checkout:', { timeout: PATIENT }, () => {
  test('npm create daybook makes a project with packages', async () => {
    await create('my-content')
    const { packages } = JSON.parse(await read('my-content/node_modules/.package-lock.json'))
    const runtime = Object.entries<{ dev?: boolean }>(packages).flatMap(([folder, { dev }]) => (dev ? [] : [folder]))
    expect(runtime.length, 'packages that serving takes').toBeGreaterThan(1)
    expect(runtime.length, 'packages that serving takes').toBeLessThanOrEqual(75)
    const sizes = await Promise.all(runtime.map((folder) => sizeOf(join(fresh.path, 'my-content', folder))))
    const total = sizes.reduce((sum, size) => sum + size, 0)
    expect(total, 'bytes that serving takes').toBeGreaterThan(20_000_000)
    expect(total, 'bytes that serving takes').toBeLessThanOrEqual(85_000_000)
  })

  test('its lock is what npm ci takes', async () => {
    const installed = await read('my-content/node_modules/.package-lock.json')
    expect(await fresh.run('my-content', 'npm', 'ci', '--prefer-offline', '--no-audit')).toMatchObject({ status: 0 })
    expect(await read('my-content/node_modules/.package-lock.json')).toBe(installed)
  })

  test('the project serves, and its script writes with the token of .env', async () => {
    await using service = await fresh.serve('my-content', 'npm', 'start', '--', '--port', '0', '--log', 'warn')
    expect(await get(`${service.url}/api/posts?include=author&select=title,author`)).toMatchObject({
      total: 1,
      items: [{ title: 'Hello, daybook', author: { name: 'Ada Example' } }],
    })
    expect(await docsOf(service.url)).toEqual(['br', 'gzip', null].map((encoding) => ({ encoding, isScript: true })))
    const add = `DAYBOOK_URL=${service.url} npm run -s add -- "My first post" "With *Markdown*."`
    const { status, stdout, stderr } = await fresh.run('my-content', 'sh', '-c', add)
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: 'Written: /api/posts/my-first-post\n', stderr: '' })
    expect(await get(`${service.url}/api/posts/my-first-post`)).toMatchObject({
      bodyHtml: '<p>With <em>Markdown</em>.</p>',
    })
  })

  test('the packed client reads, changes, walks and deletes what the project holds', async () => {
    await writeFile(join(fresh.path, 'my-content/scripts/drive.ts'), DRIVE)
    await using service = await fresh.serve('my-content', 'npm', 'start', '--', '--port', '0', '--log', 'warn')
    const drive = `DAYBOOK_URL=${service.url} node --env-file=.env scripts/drive.ts`
    const { stdout, stderr } = await fresh.run('my-content', 'sh', '-c', drive)
    expect({ output: stdout.trim().split('\n'), stderr }).toEqual({
      output: [
        'created driven by Ada Example',
        'changed Driven twice',
        'stale PRECONDITION_FAILED',
        'walked driven, my-first-post, hello-daybook',
        'gone null',
      ],
      stderr: '',
    })
  })

  test('who has no token neither writes nor makes an account', async () => {
    await using service = await fresh.serve('my-content', 'npm', 'start', '--', '--port', '0', '--log', 'warn')
    const post = (path: string, body: object): Promise<Response> =>
      fetch(service.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    expect((await post('/api/posts', { title: 'A' })).status).toBe(401)
    const account = { email: 'a@example.org', password: 'a password of some length', name: 'A' }
    expect((await post('/api/cms/auth/actions/register', account)).status).toBe(403)
  })

  test('the project keeps its content, in dev, too', async () => {
    await using service = await fresh.serve('my-content', 'npm', 'run', 'dev', '--', '--port', '0', '--log', 'warn')
    expect(await get(`${service.url}/api/posts`)).toMatchObject({ total: 2 })
  })

  test('the types of the project fit those of the package', async () => {
    expect(await fresh.run('my-content', 'npm', 'run', '-s', 'types')).toMatchObject({ status: 0, stdout: '' })
    const add = await read('my-content/scripts/add.ts')
    const wrong = `${add}\nexport const wrong = () => client.collections.posts.create({ titel: 'A' })\n`
    await writeFile(join(fresh.path, 'my-content/scripts/wrong.ts'), wrong)
    expect((await fresh.run('my-content', 'npm', 'run', '-s', 'types')).stdout).toContain("'titel' does not exist")
  })

  test('a project with PostgreSQL installs the driver, and keeps its content in the database', async () => {
    await create('on-postgres', '--', '--template', 'minimal', '--database', 'postgres')
    expect(await fresh.run('on-postgres', 'npm', 'run', '-s', 'types')).toMatchObject({ status: 0, stdout: '' })
    await using database = await PostgresDatabase.make()
    const start = `DATABASE_URL=${database.url} npm start -- --port 0 --log warn`
    await using service = await fresh.serve('on-postgres', 'sh', '-c', start)
    const add = `DAYBOOK_URL=${service.url} npm run -s add -- "My first note"`
    expect((await fresh.run('on-postgres', 'sh', '-c', add)).stdout).toBe('Written: /api/notes/my-first-note\n')
    expect(await database.rows('SELECT slug FROM notes')).toEqual([{ slug: 'my-first-note' }])
  })

  test('the first commands of the README make and start a project', async () => {
    const [commands] = blocksOf(await readFile(join(ROOT, 'README.md'), 'utf8'))
    expect(commands?.code).toContain('npm run dev')
    await mkdir(join(fresh.path, 'readme'))
    await using reader = new TutorialReader(fresh, 'readme')
    if (commands) await reader.followBlock(commands, 'README.md')
  })

  describe('the tutorial', () => {
    test('is what a reader sees, from its first command to its last', async () => {
      await mkdir(join(fresh.path, 'tutorial'))
      await using open = await openBrowser()
      const context = await open.browser.newContext({ locale: 'en-GB' })
      await using reader = new TutorialReader(fresh, 'tutorial', await context.newPage())
      await reader.follow('docs/tutorial/blog.md')
      await reader.follow('docs/tutorial/site.md')
    })

    test('leads to the project of the template site', async () => {
      for (const file of ['server.ts', 'pages.ts', 'content.ts', 'style.css']) {
        expect(await read(`tutorial/my-content/site/${file}`)).toBe(await read(`tutorial/my-site/site/${file}`))
      }
      const [followed, created] = await Promise.all(
        ['my-content', 'my-site'].map(async (name) => JSON.parse(await read(`tutorial/${name}/package.json`))),
      )
      expect(followed).toEqual({ ...created, name: 'my-content' })
    })
  })

  test('a project of the template site shows what is published, and nothing else', async () => {
    const folder = 'tutorial/my-site'
    expect(await fresh.run(folder, 'npm', 'run', '-s', 'types')).toMatchObject({ status: 0, stdout: '' })
    await using service = await fresh.serve(folder, 'npm', 'run', 'dev', '--', '--port', '0', '--log', 'warn')
    await using site = await fresh.serve(folder, 'sh', '-c', `PORT=0 DAYBOOK_URL=${service.url} npm run site`)
    const readPage = async (path: string): Promise<string> => (await fetch(site.url + path)).text()
    const titlesIn = (page: string): readonly string[] =>
      [...page.matchAll(/<h2>.*>(.+)<\/a>/g)].map(([, title = '']) => title)
    expect(titlesIn(await readPage('/'))).toEqual(['Hello, daybook'])
    const add = `DAYBOOK_URL=${service.url} npm run -s add -- "<Fish> & chips" "With *salt*."`
    await fresh.run(folder, 'sh', '-c', add)
    expect(titlesIn(await readPage('/'))).toEqual(['&lt;Fish&gt; &amp; chips', 'Hello, daybook'])
    expect(await readPage('/posts/fish-chips')).toContain('<p>With <em>salt</em>.</p>')
    expect((await fetch(`${site.url}/posts/not-ready-yet`)).status).toBe(404)
    await service[Symbol.asyncDispose]()
    expect((await fetch(site.url)).status).toBe(503)
  })

  test('without a network, what was fetched once is enough for the next project', async () => {
    await fresh.goOffline()
    await create('field-notes', '--', '--template', 'minimal')
    expect(await fresh.run('field-notes', 'npm', 'run', '-s', 'types')).toMatchObject({ status: 0, stdout: '' })
    await using service = await fresh.serve('field-notes', 'npm', 'start', '--', '--port', '0', '--log', 'warn')
    expect(await docsOf(service.url)).toEqual(['br', 'gzip', null].map((encoding) => ({ encoding, isScript: true })))
    const add = `DAYBOOK_URL=${service.url} npm run -s add -- "My first note"`
    expect((await fresh.run('field-notes', 'sh', '-c', add)).stdout).toBe('Written: /api/notes/my-first-note\n')
    expect(await get(`${service.url}/api/notes`)).toMatchObject({ items: [{ slug: 'my-first-note', topic: null }] })
  })
})
