import { afterAll, beforeAll, expect, test } from 'vitest'
import { HookReceiver } from '../support/network/hook-receiver.ts'
import { eventually } from '../support/timeouts.ts'
import { daybook, folderOf, start } from './cli.ts'

const TOKEN = 'token-of-the-webhooks-test-0123456789'
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

const configOf = (
  url: string,
  retries = '{ firstMs: 1, maxMs: 1, forMs: 1 }',
): string => `import { defineCollection, defineConfig, f } from 'DAYBOOK'
import { webhooks } from 'PLUGINS'
export default defineConfig({
  collections: { notes: defineCollection({ fields: { text: f.text() } }) },
  plugins: [webhooks({
    endpoints: { site: { url: '${url}', secrets: ['${SECRET}'], allowPrivate: true } },
    retries: ${retries},
  })],
})
`

const PLUGINS = new URL('../../src/plugins/index.ts', import.meta.url).pathname

let receiver: HookReceiver
let folder: Awaited<ReturnType<typeof folderOf>>

beforeAll(async () => {
  receiver = await HookReceiver.open((_hook, response) => response.writeHead(500).end())
  folder = await folderOf({
    'daybook.config.ts': configOf(receiver.url).replace("'PLUGINS'", `'${PLUGINS}'`),
    '.env': `DAYBOOK_SERVICE_TOKEN=${TOKEN}\n`,
  })
})
afterAll(async () => {
  await folder[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
})

const run = async (...args: readonly string[]) => {
  const { status, stdout, stderr } = await daybook(folder.path, 'webhooks', ...args)
  return { status, stdout, stderr: stderr.replace(/^.*Accounts are kept in memory.*\n/m, '') }
}

test('daybook webhooks lists failed deliveries and replays them, with and without a running service', async () => {
  const service = await start(folder.path)
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
  await fetch(`${service.url}/api/notes`, { method: 'POST', headers, body: '{"text":"one"}' })
  await eventually(async () => expect((await run('list')).stdout).toMatch(/^site +1 +0 +0 +1$/m))
  expect(await run('list', '--parked', '--endpoint', 'site')).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(
      /^ENDPOINT +SEQ +ACTION +DOCUMENT +STATE +ATTEMPTS +FAILED AT +NEXT ATTEMPT +REASON\nsite +1 +create +notes\/\S+ +parked +\d+ +\S+Z +The receiver responded with 500\.\n$/,
    ),
  })
  expect(JSON.parse((await run('list', '--json')).stdout)).toEqual([
    { endpoint: 'site', seq: 1, head: 1, pending: 0, parked: 1 },
  ])
  receiver.respond = (_hook, response) => response.end()
  const failed = receiver.received.length
  const sent = 'The messages of site will be sent again as soon as a service runs.\n'
  expect(await run('replay', 'site', '--parked')).toEqual({ status: 0, stdout: sent, stderr: '' })
  await eventually(() => expect(receiver.received).toHaveLength(failed + 1))
  await eventually(async () => expect((await run('list')).stdout).toMatch(/^site +1 +0 +0 +0$/m))
  await service.stop()
  expect((await run('replay', 'site', '--from', '1', '--to', '1')).stdout).toBe(sent)
  expect(receiver.received).toHaveLength(failed + 1)
  const next = await start(folder.path)
  await eventually(() => expect(receiver.received).toHaveLength(failed + 2))
  await next.stop()
})

test('daybook webhooks list --pending prints the time of the next attempt', async () => {
  receiver.respond = (_hook, response) => response.writeHead(500).end()
  const patient = configOf(receiver.url, '{ firstMs: 1_000_000_000, maxMs: 1_000_000_000 }')
  await folder.write({ 'patient.config.ts': patient.replace("'PLUGINS'", `'${PLUGINS}'`) })
  const args = ['--config', 'patient.config.ts', '--data', 'patient']
  const service = await start(folder.path, ...args)
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
  await fetch(`${service.url}/api/notes`, { method: 'POST', headers, body: '{"text":"one"}' })
  const list = (...more: readonly string[]) => run('list', '--pending', ...more, ...args)
  await eventually(async () =>
    expect((await list()).stdout).toMatch(/ pending +1 +\S+Z +\S+Z +The receiver responded with 500/),
  )
  const [{ dueAt }] = JSON.parse((await list('--json')).stdout)
  expect((await list()).stdout).toContain(dueAt)
  expect(Date.parse(dueAt)).toBeGreaterThan(Date.now())
  await service.stop()
})

test.each([
  [['lst'], 2, 'Did you mean daybook webhooks list?'],
  [['list', 'site'], 2, 'Write: daybook webhooks list'],
  [['replay'], 2, 'Write: daybook webhooks replay ENDPOINT'],
  [['replay', 'site'], 2, 'Write: daybook webhooks replay ENDPOINT'],
  [['replay', 'site', '--seq', '1', '--parked'], 2, 'Write: daybook webhooks replay ENDPOINT'],
  [['replay', 'site', '--seq', '0'], 2, '--seq must be a number of the journal'],
  [['replay', 'site', '--to', '3'], 2, 'Write: daybook webhooks replay ENDPOINT'],
  [['replay', 'sit', '--seq', '1'], 1, 'The webhook endpoint "sit" does not exist. Did you mean site?'],
  [['list', '--endpoint', 'other'], 1, 'The webhook endpoint "other" does not exist. The config has: site.'],
])('daybook webhooks %j is refused', async (args, status, message) => {
  const ended = await run(...args)
  expect(ended).toMatchObject({ status, stdout: '' })
  expect(ended.stderr).toContain(message)
})
