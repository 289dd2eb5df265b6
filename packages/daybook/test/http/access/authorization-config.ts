import {
  defineCollection,
  defineConfig,
  defineGlobal,
  definePlugin,
  f,
  type HookData,
  hasRole,
  type PluginRoute,
} from 'daybook'
import { People } from '../../support/auth/people.ts'

export const SERVICE_TOKEN = 'the-service-token-of-the-authorization-matrix'
const people = new People({ cleo: [], ines: ['contributor'], ann: ['editor'] })
const editors = hasRole('editor', 'service')
/** All collections are orderable, so that moves follow the same rules. */
const orderable = true
const fields = { title: f.text({ required: true }), slug: f.slug({ from: 'title' }) }
const isOpen = (request: { readonly entry?: Readonly<Record<string, unknown>> }) => request.entry?.title !== 'shut'

const through = (
  operationId: string,
  method: PluginRoute['method'],
  path: string,
  status: number,
  run: PluginRoute['run'],
): PluginRoute => ({
  method,
  path,
  operationId,
  summary: 'Does what a route of Daybook does.',
  protection: 'public',
  ...(method === 'POST' || method === 'PUT' ? { body: { schema: { type: 'object' } } } : {}),
  responses: { [status]: { description: 'Done.' } },
  run,
})

/** A plugin whose public routes pass every caller on to content, where the same rules hold as for Daybook's own routes. */
const door = definePlugin({
  name: 'door',
  version: '1.0.0',
  routes: [
    through('listThrough', 'GET', '/through/:collection', 200, async ({ content, path }) =>
      Response.json(await content.list(path.collection ?? '')),
    ),
    through('createThrough', 'POST', '/through/:collection', 201, async ({ content, path, body }) =>
      Response.json(await content.create(path.collection ?? '', body as HookData), { status: 201 }),
    ),
    through('updateThrough', 'PUT', '/through/:collection/:id', 200, async ({ content, path, body }) =>
      Response.json(await content.update(path.collection ?? '', path.id ?? '', body as HookData)),
    ),
    through('deleteThrough', 'DELETE', '/through/:collection/:id', 204, async ({ content, path }) => {
      await content.delete(path.collection ?? '', path.id ?? '')
      return new Response(null, { status: 204 })
    }),
    { ...through('sessionThrough', 'POST', '/session', 200, () => Response.json({})), protection: 'session' },
  ],
})

/** One collection and one global for each kind of access rule. */
export const config = defineConfig({
  auth: people.adapter,
  plugins: [door],
  collections: {
    plain: defineCollection({ orderable, fields: { ...fields, status: f.status() } }),
    edited: defineCollection({ orderable, fields, access: { create: editors, update: editors, delete: editors } }),
    closed: defineCollection({
      orderable,
      fields,
      access: { read: editors, create: editors, update: editors, delete: editors },
    }),
    /** Everyone may write here, but only editors see the entries. */
    limited: defineCollection({
      orderable,
      fields,
      access: {
        read: (request) => editors(request) || { title: { eq: 'no such title' } },
        create: () => true,
        update: (request) => editors(request) || isOpen(request),
        delete: (request) => editors(request) || isOpen(request),
      },
    }),
  },
  globals: {
    plain: defineGlobal({ fields: { text: f.text() } }),
    edited: defineGlobal({ fields: { text: f.text() }, access: { update: editors } }),
    closed: defineGlobal({ fields: { text: f.text() }, access: { read: editors, update: editors } }),
  },
})
