import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { BIN, folderOf } from './cli.ts'

const TOKEN = 'token-of-the-env-file-0123456789abcdef'
const OTHER_TOKEN = 'token-of-somewhere-else-0123456789abcdef'

const configWith = (fields: string): string => `import { defineConfig, f } from 'DAYBOOK'
export default defineConfig({ collections: { notes: { fields: { title: f.text({ required: true }), ${fields} } } } })
`

/** Starts `daybook dev` in a folder; `listening` answers the address whenever it has started, or started again. */
function dev(cwd: string) {
  const child = spawn(process.execPath, [BIN, 'dev', '--port', '0', '--log', 'silent'], {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const listening = async (): Promise<string> => {
    for (;;) {
      const { value, done } = await lines.next()
      if (done) throw new Error('daybook dev ended')
      const url = /^listening on (\S+)/.exec(value)?.[1]
      if (url !== undefined) return url
    }
  }
  const end = async (): Promise<void> => {
    child.kill('SIGTERM')
    await ended
  }
  return { listening, [Symbol.asyncDispose]: end }
}

/** The status that a service answers a write with. */
async function write(url: string, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const { status } = await fetch(`${url}/api/notes`, { method: 'POST', headers, body: '{ "title": "A" }' })
  return status
}

test('daybook dev starts again with a changed config, and with a changed .env', async () => {
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
