import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { DAYBOOK } from '../../support/built/command.ts'
import { freePort } from '../../support/network/free-port.ts'
import { folderOf } from '../cli.ts'

const TOKEN = 'token-of-the-env-file-0123456789abcdef'
const OTHER_TOKEN = 'token-of-somewhere-else-0123456789abcdef'

const configWith = (fields: string): string => `import { defineConfig, f } from 'DAYBOOK'
export default defineConfig({ collections: { notes: { fields: { title: f.text({ required: true }), ${fields} } } } })
`

/** Starts `daybook dev` in a folder; `listening` resolves with the URL after each start and restart. */
function dev(cwd: string, port = 0) {
  const child = spawn(process.execPath, [...DAYBOOK, 'dev', '--port', `${port}`, '--log', 'silent'], {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const changes = new Set<string>()
  const listening = async (): Promise<string> => {
    for (;;) {
      const { value, done } = await lines.next()
      if (done) throw new Error('daybook dev ended')
      const [, change] = /^Change detected in '(.+)'/.exec(value) ?? []
      if (change !== undefined) changes.add(change)
      const url = /^listening on (\S+)/.exec(value)?.[1]
      if (url !== undefined) return url
    }
  }
  const end = async (): Promise<void> => {
    child.kill('SIGTERM')
    await ended
  }
  // `changes` contains the files whose changes have restarted the service.
  return { listening, changes, [Symbol.asyncDispose]: end }
}

async function write(url: string, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const { status } = await fetch(`${url}/api/notes`, { method: 'POST', headers, body: '{ "title": "A" }' })
  return status
}

test('daybook dev restarts when the config or its .env changes', async () => {
  const files = { 'daybook.config.ts': configWith(''), '.env': `DAYBOOK_SERVICE_TOKEN=${TOKEN}\n` }
  await using folder = await folderOf(files)
  await using service = dev(folder.path)
  expect(await write(await service.listening(), TOKEN)).toBe(201)

  await folder.write({ 'daybook.config.ts': configWith('minutes: f.integer()') })
  const withField = await service.listening()
  expect(await (await fetch(`${withField}/api/notes`)).json()).toMatchObject({ items: [{ title: 'A', minutes: null }] })

  await folder.write({ '.env': `DAYBOOK_SERVICE_TOKEN=${OTHER_TOKEN}\n` })
  const withToken = await service.listening()
  expect([await write(withToken, OTHER_TOKEN), await write(withToken, TOKEN)]).toEqual([201, 401])
})

test('daybook dev names the session cookie after its port, so that services on one host have separate sessions', async () => {
  await using folder = await folderOf({ 'daybook.config.ts': configWith('') })
  const port = await freePort()
  await using service = dev(folder.path, port)
  const response = await fetch(`${await service.listening()}/api/cms/auth/actions/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Ann', email: 'ann@example.org', password: 'correct horse battery' }),
  })
  expect(response.headers.get('set-cookie')).toMatch(new RegExp(`^better-auth-${port}\\.session_token=`))
})

test('daybook dev restarts for files that the config imports, and for no other file', async () => {
  const config = (title: string) => `export const fields = (f) => ({ title: f.text({ description: '${title}' }) })\n`
  await using folder = await folderOf({
    'daybook.config.ts': `import { defineConfig, f } from 'DAYBOOK'
import { fields } from './fields.js'
export default defineConfig({ collections: { notes: { fields: fields(f) } } })
`,
    'fields.js': config('One'),
  })
  await using service = dev(folder.path)
  const url = await service.listening()
  // Loads everything that is loaded on demand.
  await fetch(`${url}/openapi.json`)
  await fetch(`${url}/docs`)
  await folder.write({ 'notes.md': '# Notes\n', 'other.ts': 'export {}\n', 'site/index.ts': 'export {}\n' })
  await folder.write({ 'fields.js': config('Two') })
  await service.listening()
  expect([...service.changes]).toEqual([join(folder.path, 'fields.js')])
})

/** A rule filters the lists of anonymous callers, so that every list goes to the reading thread. */
const RULED = `import { defineConfig, f } from 'DAYBOOK'
export default defineConfig({
  collections: {
    articles: {
      fields: { title: f.text({ required: true }), minutes: f.integer(), body: f.markdown() },
      access: { read: ({ principal }) => principal ? true : { minutes: { lt: 9 } } },
    },
  },
  seed: async ({ create }) => {
    for (let minutes = 1; minutes <= 12; minutes++) await create('articles', { title: 'Title ' + minutes, minutes })
  },
})
`

/** The body of a list; without its members for an error. */
interface ListBody {
  readonly total?: number
  readonly items?: readonly { readonly minutes: number }[]
}

test('the first concurrent lists after each start get the right responses', async () => {
  await using folder = await folderOf({ 'daybook.config.ts': RULED })
  await using service = dev(folder.path)
  for (const start of ['first', 'second']) {
    if (start === 'second') await folder.write({ 'daybook.config.ts': `${RULED}// changed\n` })
    const url = await service.listening()
    const limits = [1, 2, 3, 4, 5, 6, 7, 8]
    const results = await Promise.all(
      limits.map(async (limit) => {
        const response = await fetch(`${url}/api/articles?sort=-minutes&limit=${limit}&where[minutes][gt]=0`)
        return { status: response.status, body: (await response.json()) as ListBody }
      }),
    )
    for (const [index, { status, body }] of results.entries()) {
      expect({
        start,
        status,
        total: body.total,
        items: body.items?.map(({ minutes }) => minutes),
      }).toEqual({
        start,
        status: 200,
        total: 8,
        items: [8, 7, 6, 5, 4, 3, 2, 1].slice(0, limits[index]),
      })
    }
  }
})

test('the first long Markdown after a start is rendered', async () => {
  const files = { 'daybook.config.ts': RULED, '.env': `DAYBOOK_SERVICE_TOKEN=${TOKEN}\n` }
  await using folder = await folderOf(files)
  await using service = dev(folder.path)
  const url = await service.listening()
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
  const bodies = ['one', 'two', 'three'].map((word) => `# ${word}\n\n${`${word} `.repeat(3000)}`)
  const stored = await Promise.all(
    bodies.map(async (body) => {
      const response = await fetch(`${url}/api/articles`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ title: 'A', body }),
      })
      return ((await response.json()) as { readonly bodyHtml?: string }).bodyHtml ?? ''
    }),
  )
  expect(stored.map((html) => /one|two|three/.exec(html)?.[0])).toEqual(['one', 'two', 'three'])
})
