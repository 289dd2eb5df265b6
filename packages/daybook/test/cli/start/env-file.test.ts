import { existsSync } from 'node:fs'
import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { daybook, folderOf, start } from '../cli.ts'

const CONFIG = `import { defineConfig, f } from 'DAYBOOK'
export default defineConfig({ collections: { notes: { fields: { title: f.text({ required: true }) } } } })
`
const FILE_TOKEN = 'token-of-the-env-file-0123456789abcdef'
const OTHER_TOKEN = 'token-of-somewhere-else-0123456789abcdef'
const DOT_ENV = `# Who may write.\nDAYBOOK_SERVICE_TOKEN="${FILE_TOKEN}"\nDAYBOOK_DATA=kept\n`

async function write(url: string, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const { status } = await fetch(`${url}/api/notes`, { method: 'POST', headers, body: '{ "title": "A" }' })
  return status
}

async function writeTo(cwd: string, args: readonly string[], ...tokens: readonly string[]): Promise<readonly number[]> {
  const service = await start(cwd, ...args)
  try {
    const statuses: number[] = []
    for (const token of tokens) statuses.push(await write(service.url, token))
    return statuses
  } finally {
    await service.stop()
  }
}

afterEach(() => vi.unstubAllEnvs())

describe('a .env beside the config', () => {
  test('is read at start', async () => {
    await using folder = await folderOf({ 'daybook.config.ts': CONFIG, '.env': DOT_ENV })
    expect(await writeTo(folder.path, [], FILE_TOKEN, OTHER_TOKEN)).toEqual([201, 401])
    expect(existsSync(join(folder.path, 'kept/daybook.db')), 'DAYBOOK_DATA counts').toBe(true)
  })

  test('is the one of the config, and not of the current folder', async () => {
    await using folder = await folderOf({
      'site/daybook.config.ts': CONFIG,
      'site/.env': DOT_ENV,
      '.env': `DAYBOOK_SERVICE_TOKEN=${OTHER_TOKEN}`,
    })
    const args = ['--config', 'site/daybook.config.ts']
    expect(await writeTo(folder.path, args, FILE_TOKEN, OTHER_TOKEN)).toEqual([201, 401])
  })

  test('does not override the environment', async () => {
    await using folder = await folderOf({ 'daybook.config.ts': CONFIG, '.env': DOT_ENV })
    vi.stubEnv('DAYBOOK_SERVICE_TOKEN', OTHER_TOKEN)
    expect(await writeTo(folder.path, [], FILE_TOKEN, OTHER_TOKEN)).toEqual([401, 201])
  })

  test('applies to workers', async () => {
    await using folder = await folderOf({ 'daybook.config.ts': CONFIG, '.env': DOT_ENV })
    expect(await writeTo(folder.path, ['--workers', '1'], FILE_TOKEN)).toEqual([201])
  })

  test('is ignored if it is a folder', async () => {
    await using folder = await folderOf({ 'daybook.config.ts': CONFIG })
    await mkdir(join(folder.path, '.env'))
    expect(await writeTo(folder.path, [], FILE_TOKEN)).toEqual([401])
  })

  test('that cannot be read ends the command with an error', async () => {
    await using folder = await folderOf({ 'daybook.config.ts': CONFIG })
    await symlink('.env', join(folder.path, '.env'))
    const { status, stderr } = await daybook(folder.path, 'start', '--port', '0')
    expect(status).toBe(1)
    expect(stderr).toContain('.env cannot be read: ELOOP')
    expect(stderr).not.toContain('    at ')
  })
})
