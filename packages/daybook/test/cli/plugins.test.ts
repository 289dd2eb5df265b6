import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { DAYBOOK } from '../support/built/command.ts'
import { daybook, folderOf } from './cli.ts'

const CONFIG = `import { defineCollection, defineConfig, definePlugin, f } from 'DAYBOOK'
const links = definePlugin({
  name: 'links',
  version: '1.2.3',
  system: true,
  requires: { daybook: '>=0.1' },
  collections: { links: defineCollection({ fields: { to: f.url() } }) },
  fields: { notes: { link: f.relation('links') } },
  hooks: { collections: { notes: { beforeChange: () => {}, afterCommit: () => {} }, '*': { beforeValidate: () => {} } } },
  setup: (context) => {
    context.route({
      method: 'GET', path: '/rejects', summary: 'Leaves a rejection alone.', protection: 'public',
      responses: { 200: { description: 'Done.' } },
      run: () => {
        void Promise.reject(new Error('nobody waits for this'))
        return new Response('done')
      },
    })
  },
})
const after = definePlugin({ name: 'after', version: '1.0.0', after: ['links'], routes: [{
  method: 'POST', path: '/after', summary: 'Does nothing.', protection: 'session',
  responses: { 204: { description: 'Done.' } }, run: () => new Response(null, { status: 204 }),
}] })
export default defineConfig({
  collections: { notes: defineCollection({ fields: { title: f.text() } }) },
  plugins: [after, links],
})
`

test('daybook plugins prints the contributions of each plugin, in order', async () => {
  await using folder = await folderOf({ 'daybook.config.ts': CONFIG })
  const { status, stdout, stderr } = await daybook(folder.path, 'plugins')
  expect([status, stderr.replace(/^.*Accounts are kept in memory.*$/m, '')]).toEqual([0, ''])
  expect(stdout).toBe(`links 1.2.3, has all rights (asSystem)
  requires     daybook >=0.1
  collections  links
  fields       notes: link
  hooks        notes: beforeChange, afterCommit
               *: beforeValidate
  routes       GET /rejects (public)

after 1.0.0
  routes  POST /after (session)
`)
})

test('daybook plugins reports a config without plugins', async () => {
  const config = CONFIG.replace('plugins: [after, links],', '')
  await using folder = await folderOf({ 'daybook.config.ts': config })
  expect((await daybook(folder.path, 'plugins')).stdout).toBe('The config has no plugins.\n')
})

test('daybook openapi includes the routes of plugins', async () => {
  await using folder = await folderOf({ 'daybook.config.ts': CONFIG })
  const { stdout } = await daybook(folder.path, 'openapi')
  expect(Object.keys(JSON.parse(stdout).paths)).toEqual(expect.arrayContaining(['/rejects', '/after', '/api/links']))
})

test('an invalid plugin is reported without a stack', async () => {
  await using folder = await folderOf({ 'daybook.config.ts': CONFIG.replace("path: '/after'", "path: '/api/ready'") })
  const { status, stderr } = await daybook(folder.path, 'start', '--port', '0')
  expect(status).toBe(1)
  expect(stderr).toContain(
    'plugins.after.routes.0.path is "/api/ready", which is already used by GET /api/ready of Daybook',
  )
  expect(stderr).not.toContain('    at ')
})

/** The same route in the config. */
const CONFIG_ROUTE = `import { defineCollection, defineConfig, f } from 'DAYBOOK'
export default defineConfig({
  collections: { notes: defineCollection({ fields: { title: f.text() } }) },
  routes: [{
    method: 'GET', path: '/rejects', summary: 'Leaves a rejection alone.', protection: 'public',
    responses: { 200: { description: 'Done.' } },
    run: () => {
      void Promise.reject(new Error('nobody waits for this'))
      return new Response('done')
    },
  }],
})
`

test.each([
  ['a plugin', CONFIG],
  ['the config', CONFIG_ROUTE],
])('an unhandled rejection in %s is logged, and daybook start continues', async (_owner, config) => {
  await using folder = await folderOf({ 'daybook.config.ts': config })
  const child = spawn(process.execPath, [...DAYBOOK, 'start', '--port', '0', '--log', 'error'], {
    cwd: folder.path,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const stderr = text(child.stderr)
  const [chunk] = await once(child.stdout, 'data')
  const url = /listening on (http:\S+)/.exec(String(chunk))?.[1] ?? ''
  for (let n = 0; n < 3; n++) expect(await (await fetch(`${url}/rejects`)).text()).toBe('done')
  expect((await fetch(`${url}/api/ready`)).status).toBe(200)
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])
  const lines = (await stderr).split('\n').filter((line) => line.includes('unhandled rejection'))
  expect(lines).toHaveLength(3)
  expect(lines[0]).toContain('nobody waits for this')
})
