import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { useFile } from '../support/stores/folder.ts'
import { daybook, folderOf, start } from './cli.ts'

const CONFIG = `import { defineConfig, f } from 'DAYBOOK'
export default defineConfig({
  collections: { notes: { fields: { text: f.text() } } },
  globals: { site: { fields: { name: f.text() } } },
})
`
const TOKEN = 'a-token-of-the-service-with-32-characters'

async function serve(path: string) {
  const { url, stop } = await start(path)
  const send = async (method: string, target: string, json?: object, more: Record<string, string> = {}) => {
    const headers = { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json', ...more }
    const response = await fetch(`${url}${target}`, {
      method,
      headers,
      ...(json ? { body: JSON.stringify(json) } : {}),
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? {} : JSON.parse(text) }
  }
  return { send, stop }
}

/** True if any file of the database contains a text. */
async function holds(folder: string, text: string): Promise<boolean> {
  const files = (await readdir(folder)).filter((name) => name.startsWith('daybook.db'))
  const contents = await Promise.all(files.map((name) => readFile(join(folder, name))))
  return contents.some((content) => content.includes(text))
}

test('daybook erase erases the former content of an entry, keeps its records, and prints what stays', async () => {
  await using folder = await folderOf({ 'daybook.config.ts': CONFIG, '.env': `DAYBOOK_SERVICE_TOKEN=${TOKEN}\n` })
  const run = (...args: readonly string[]) => daybook(folder.path, ...args)
  const first = await serve(folder.path)
  const created = await first.send('POST', '/api/notes', { text: 'Ada lives in Arles' }, { 'Idempotency-Key': 'k' })
  const { id } = created.body
  await first.send('PUT', `/api/notes/${id}`, { text: 'Ada lives in Brest' })
  await first.send('PUT', `/api/notes/${id}`, { text: 'Ada has moved' })
  await first.send('PUT', '/api/globals/site', { name: 'of Ada' })
  await first.send('PUT', '/api/globals/site', { name: 'A site' })
  await first.stop()

  const stays =
    'The current version and the draft are kept. To erase them as well, delete the document and run the command again.\n'
  expect(await run('erase', 'notes', id)).toMatchObject({
    status: 0,
    stdout: `2 former versions of notes ${id} would be erased. To erase them, add --yes.\n${stays}`,
  })
  expect((await run('erase', 'notes', id, '--yes')).stdout).toBe(`2 former versions of notes ${id} erased.\n${stays}`)
  expect((await run('erase', 'notes', id, '--yes')).stdout).toBe(`0 former versions of notes ${id} erased.\n${stays}`)
  expect((await run('erase', 'globals', 'site', '--yes')).stdout).toContain(
    '1 former version of globals site erased.\n',
  )

  const second = await serve(folder.path)
  const { items } = (await second.send('GET', `/api/notes/${id}/versions`)).body
  expect(items).toMatchObject([
    { revision: 3, action: 'update' },
    { revision: 2, action: 'update', erased: true },
    { revision: 1, action: 'create', erased: true },
  ])
  expect(items[0]).not.toHaveProperty('erased')
  expect((await second.send('GET', `/api/notes/${id}/versions/1`)).body).toMatchObject({ erased: true, data: null })
  expect(await second.send('GET', `/api/notes/${id}/versions/3?against=1`)).toMatchObject({
    status: 404,
    body: { message: 'The content of version 1 was erased.' },
  })
  expect((await second.send('POST', `/api/notes/${id}/restore`, { revision: 1 })).status).toBe(404)
  expect((await second.send('GET', `/api/notes/${id}`)).body).toMatchObject({ text: 'Ada has moved' })
  await second.send('DELETE', `/api/notes/${id}`)
  await second.stop()
  const afterDelete = await run('erase', 'notes', id, '--yes')
  expect(afterDelete.stdout).toBe(`1 former version of notes ${id} erased.\n`)

  // Free pages of the file keep their bytes until the database is rebuilt.
  const data = join(folder.path, '.daybook')
  useFile(join(data, 'daybook.db'), (database) => database.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)'))
  expect(await holds(data, 'A site')).toBe(true)
  for (const text of ['Arles', 'Brest', 'has moved', 'of Ada']) expect(await holds(data, text), text).toBe(false)
})

test.each([
  [['erase'], /daybook erase COLLECTION ID/],
  [['erase', 'notes'], /daybook erase COLLECTION ID/],
  [['erase', 'posts', 'x'], /The collection "posts" does not exist\. Use one of: notes/],
  [['erase', 'globals', 'x'], /The global "x" does not exist\. Use one of: site/],
  [['erase', 'notes', 'my-note'], /does not exist and never did/],
] as const)('%j prints advice', async (args, advice) => {
  await using folder = await folderOf({ 'daybook.config.ts': CONFIG })
  const { status, stderr } = await daybook(folder.path, ...args)
  expect(status).toBeGreaterThan(0)
  expect(stderr).toMatch(advice)
})

test('daybook undo undoes changes, and lists blocked documents', async () => {
  await using folder = await folderOf({ 'daybook.config.ts': CONFIG, '.env': `DAYBOOK_SERVICE_TOKEN=${TOKEN}\n` })
  const run = (...args: readonly string[]) => daybook(folder.path, ...args)
  const service = await serve(folder.path)
  const { id } = (await service.send('POST', '/api/notes', { text: 'a' })).body
  await service.send('PUT', `/api/notes/${id}`, { text: 'b' })
  await service.stop()
  expect(await run('undo', '--from', '1', '--to', '1')).toEqual({
    status: 1,
    stdout: '0 documents were restored to their former content; 1 stay unchanged\n',
    stderr: `notes ${id}: changed_since, see change 2\n`,
  })
  expect((await run('undo', '--from', '2', '--dry-run')).stdout).toBe(
    '1 documents would be restored to their former content\n',
  )
  expect(await run('undo', '--from', '2')).toMatchObject({
    status: 0,
    stdout: '1 documents were restored to their former content\n',
  })
  const again = await serve(folder.path)
  expect((await again.send('GET', `/api/notes/${id}`)).body).toMatchObject({ text: 'a', updatedBy: 'system' })
  await again.stop()
  expect(await run('undo')).toMatchObject({ status: 2, stderr: expect.stringContaining('daybook undo --from SEQ') })
  expect(await run('undo', '--from', 'x')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('--from must be the number of a change'),
  })
  expect(await run('undo', '--from', '9')).toMatchObject({ status: 1, stderr: expect.stringContaining('at most 3') })
})
