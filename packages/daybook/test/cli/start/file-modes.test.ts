import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { DAYBOOK } from '../../support/built/command.ts'
import { folderOf } from '../cli.ts'

const CONFIG = `import { defineConfig, f } from 'DAYBOOK'
export default defineConfig({
  auth: { registration: 'closed' },
  collections: { notes: { fields: { title: f.text(), slug: f.slug({ from: 'title' }), body: f.markdown() } } },
})`

/** Runs `daybook` under the umask of most systems. */
function run(cwd: string, ...args: readonly string[]) {
  const command = ['umask 022 && exec "$@"', 'sh', process.execPath, ...DAYBOOK, ...args]
  const child = spawn('sh', ['-c', ...command], { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  return { child, stdout: child.stdout, stderr: text(child.stderr), closed: once(child, 'close') }
}

async function serve(cwd: string, data: string): Promise<{ modes: Readonly<Record<string, string>>; log: string }> {
  const { child, stdout, stderr, closed } = run(cwd, 'start', '--port', '0', '--log', 'warn', '--data', data)
  await once(stdout, 'data')
  const modes = await modesIn(join(cwd, data))
  child.kill('SIGTERM')
  await closed
  return { modes, log: await stderr }
}

async function modesIn(folder: string): Promise<Readonly<Record<string, string>>> {
  const names = (await readdir(folder)).filter((name) => name.startsWith('daybook.db'))
  const paths = [['.', folder], ...names.map((name) => [name, join(folder, name)])] as const
  return Object.fromEntries(await Promise.all(paths.map(async ([name, path]) => [name, await modeOf(path)])))
}

const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8)

const PRIVATE = { '.': '700', 'daybook.db': '600', 'daybook.db-wal': '600', 'daybook.db-shm': '600' }

describe.skipIf(process.platform === 'win32')('files of a data folder under umask 022', () => {
  test('can be read by their owner only, without a warning at start', async () => {
    await using folder = await folderOf({ 'daybook.config.ts': CONFIG })
    expect(await serve(folder.path, 'state/data')).toEqual({ modes: PRIVATE, log: '' })
    expect(await modeOf(join(folder.path, 'state'))).toBe('700')
  })

  test('are private in a readable folder, and the log contains advice', async () => {
    await using folder = await folderOf({ 'daybook.config.ts': CONFIG })
    const data = join(folder.path, "the editor's data")
    await mkdir(data)
    await chmod(data, 0o755)
    const first = await serve(folder.path, "the editor's data")
    expect(first.modes).toEqual({ ...PRIVATE, '.': '755' })
    const [line, ...rest] = first.log.trim().split('\n')
    expect(rest).toEqual([])
    const { level, msg } = JSON.parse(line ?? '') as { level: number; msg: string }
    expect([level, msg]).toEqual([40, expect.stringContaining('Other users of this machine can read the data folder')])
    const command = msg.slice(msg.indexOf('chmod'))
    expect(command).toMatch(/^chmod 700 '[^&]+'$/)

    await chmod(join(data, 'daybook.db'), 0o644)
    const second = JSON.parse((await serve(folder.path, "the editor's data")).log) as { msg: string }
    const closing = second.msg.slice(second.msg.indexOf('chmod'))
    expect(closing).toMatch(/^chmod 700 '.+' && chmod 600 '.+daybook\.db'/)
    await once(spawn('sh', ['-c', closing], { cwd: folder.path }), 'close')
    expect(await serve(folder.path, "the editor's data")).toEqual({ modes: PRIVATE, log: '' })
  })

  test('keep group permissions without a warning', async () => {
    await using folder = await folderOf({ 'daybook.config.ts': CONFIG, 'data/daybook.db': '' })
    await chmod(join(folder.path, 'data'), 0o750)
    await chmod(join(folder.path, 'data/daybook.db'), 0o640)
    const { modes, log } = await serve(folder.path, 'data')
    expect(modes).toMatchObject({ '.': '750', 'daybook.db': '640', 'daybook.db-wal': '640' })
    expect(log).toBe('')
  })

  test('are private after import, restore and copy, too', async () => {
    await using folder = await folderOf({ 'daybook.config.ts': CONFIG, 'pages/a.md': '---\ntitle: A\n---\nText.' })
    const works = [
      ['import', 'pages', '--collection', 'notes', '--data', 'imported'],
      ['export', 'all.ndjson', '--data', 'imported'],
      ['import', 'all.ndjson', '--data', 'restored'],
      ['copy', '--from', 'sqlite:imported', '--to', 'sqlite:copied'],
    ]
    for (const args of works) {
      const { stdout, stderr, closed } = run(folder.path, ...args)
      await text(stdout)
      const [status] = await closed
      expect([args[0], status, status === 0 ? '' : await stderr]).toEqual([args[0], 0, ''])
    }
    for (const data of ['imported', 'restored', 'copied']) {
      expect(await modesIn(join(folder.path, data)), data).toMatchObject({ '.': '700', 'daybook.db': '600' })
    }
    expect(await modeOf(join(folder.path, 'all.ndjson'))).toBe('600')
  })

  test('are in private folders if they are uploads', async () => {
    await using folder = await folderOf({
      'daybook.config.ts': CONFIG,
      'site/a.md': '---\ntitle: A\n---\n![A](a.svg)',
    })
    await writeFile(join(folder.path, 'site/a.svg'), '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>')
    const { stdout, closed } = run(folder.path, 'import', 'site', '--collection', 'notes', '--data', 'data')
    await text(stdout)
    expect((await closed)[0]).toBe(0)
    expect(await modeOf(join(folder.path, 'data/uploads'))).toBe('700')
  })
})
