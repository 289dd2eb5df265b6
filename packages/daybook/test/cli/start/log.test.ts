import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { LogOutput } from '../../../src/cli/log-output.ts'
import { DAYBOOK } from '../../support/built/command.ts'
import { eventually } from '../../support/timeouts.ts'
import { folderOf } from '../cli.ts'

const CONFIG = `import { defineConfig, f } from 'DAYBOOK'
const crash = () => {
  setImmediate(() => { throw new Error('thrown outside any request') })
  return new Response('soon')
}
const responses = { 200: { description: 'Announces the crash.', mediaType: 'text/plain', schema: { type: 'string' } } }
export default defineConfig({
  collections: { notes: { fields: { title: f.text() } } },
  routes: [{ method: 'GET', path: '/crash', summary: 'Ends the process.', protection: 'public', responses, run: crash }],
})`

interface Line {
  readonly level: number
  readonly time: string
  readonly msg: string
  readonly url?: string
  readonly lines?: number
  readonly worker?: number
}

const linesOf = (log: string): readonly Line[] =>
  log
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Line)

/** Starts `daybook start` with its log on a file or a pipe. */
async function serve(cwd: string, log: number | 'pipe', ...args: readonly string[]) {
  const child = spawn(process.execPath, [...DAYBOOK, 'start', '--port', '0', ...args], {
    cwd,
    stdio: ['ignore', 'pipe', log],
  })
  const { stdout, stderr } = child
  if (!stdout) throw new Error('no output')
  const ended = once(child, 'exit')
  const [chunk] = await once(stdout, 'data')
  const url = /listening on (http:\S+)/.exec(String(chunk))?.[1] ?? ''
  const sendRequest = async (path: string): Promise<number> => (await fetch(`${url}${path}`)).status
  const stop = async (signal: NodeJS.Signals): Promise<unknown> => {
    child.kill(signal)
    return (await ended)[0]
  }
  return { sendRequest, stop, ended, stderr }
}

it('writes a line for each request, with the time and the fields of the request', async () => {
  await using folder = await folderOf({ 'daybook.config.ts': CONFIG })
  const { sendRequest, stop, stderr } = await serve(folder.path, 'pipe')
  const log = stderr && text(stderr)
  await sendRequest('/api/notes?q="quoted"')
  await stop('SIGTERM')
  expect(linesOf((await log) ?? '').filter(({ msg }) => msg === 'request')).toEqual([
    {
      level: 30,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      requestId: expect.stringMatching(/^[\w-]{36}$/),
      method: 'GET',
      url: '/api/notes?q=%22quoted%22',
      status: 200,
      ms: expect.any(Number),
      msg: 'request',
    },
  ])
})

it('writes the line of a request soon, even if no other request follows', async () => {
  await using folder = await folderOf({ 'daybook.config.ts': CONFIG })
  const file = join(folder.path, 'log')
  await using handle = await open(file, 'a')
  const { sendRequest, stop } = await serve(folder.path, handle.fd)
  await sendRequest('/api/notes')
  await eventually(async () => expect(await readFile(file, 'utf8')).toContain('"url":"/api/notes"'))
  await stop('SIGTERM')
})

it.each([
  ['SIGTERM', 'a file', 0],
  ['SIGTERM', 'a pipe', 0],
  ['an error that nothing catches', 'a file', 1],
  ['an error that nothing catches', 'a pipe', 1],
] as const)('all lines of the log are written after %s, to %s', async (end, target, status) => {
  await using folder = await folderOf({ 'daybook.config.ts': CONFIG })
  const file = join(folder.path, 'log')
  await using handle = await open(file, 'a')
  const { sendRequest, stop, ended, stderr } = await serve(folder.path, target === 'a pipe' ? 'pipe' : handle.fd)
  const piped = stderr && text(stderr)
  const paths = Array.from({ length: 700 }, (_, index) => `/api/notes/number-${index}`)
  for (let index = 0; index < paths.length; index += 50)
    await Promise.all(paths.slice(index, index + 50).map(sendRequest))
  if (end === 'SIGTERM') expect(await stop('SIGTERM')).toBe(status)
  else {
    await sendRequest('/crash')
    expect((await ended)[0]).toBe(status)
  }
  const lines = linesOf((await piped) ?? (await readFile(file, 'utf8')))
  const logged = lines.flatMap(({ msg, url }) => (msg === 'request' && url?.startsWith('/api') ? [url] : []))
  expect(logged.toSorted()).toEqual(paths.toSorted())
})

// Some systems have a file that is always full.
it.runIf(existsSync('/dev/full'))('continues to serve if the log cannot be written', async () => {
  await using folder = await folderOf({ 'daybook.config.ts': CONFIG })
  await using full = await open('/dev/full', 'w')
  const { sendRequest, stop } = await serve(folder.path, full.fd)
  for (let round = 0; round < 3; round++) {
    const statuses = Array.from({ length: 300 }, (_, index) => sendRequest(`/api/notes/number-${index}`))
    expect(new Set(await Promise.all(statuses))).toEqual(new Set([404]))
  }
  expect(await stop('SIGTERM')).toBe(0)
})

it('buffers a bounded number of unread lines, and logs how many are missing', async () => {
  await using folder = await folderOf({})
  const pipe = join(folder.path, 'pipe')
  spawnSync('mkfifo', [pipe])
  // A pipe that is open for both directions does not block.
  await using handle = await open(pipe, 'r+')
  const output = new LogOutput({ fd: handle.fd, base: { worker: 3 }, isShared: true, waitingBytes: 100_000 })
  const count = 5000
  for (let index = 0; index < count; index++) {
    output.writeRequest({ requestId: `number-${index}`, method: 'GET', url: '/', status: 200, ms: 1 })
  }
  output.write('{"msg":"the last line"}\n')
  const buffer = Buffer.alloc(65_536)
  let log = ''
  while (!log.includes('could not be written')) log += buffer.toString('utf8', 0, (await handle.read(buffer)).bytesRead)
  const lines = linesOf(log)
  const missing = lines.find(({ msg }) => msg.includes('could not be written'))
  expect(missing).toMatchObject({ level: 40, worker: 3 })
  const requests = lines.filter(({ msg }) => msg === 'request')
  expect(new Set(requests.map(({ worker }) => worker))).toEqual(new Set([3]))
  const written = requests.length + lines.filter(({ msg }) => msg === 'the last line').length
  expect(written + Number(missing?.lines)).toBe(count + 1)
})
