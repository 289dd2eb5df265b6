import { type Client, createClient } from '@daybook/client'
import { expect, test } from 'vitest'
import { knownRoutes } from '../../daybook/test/support/scenarios/routes.ts'
import type { Blog } from './support/config.ts'

const ID = '01a1f9d5-ddca-7255-9a37-e7bf8ce09df2'

const STREAM = 'event: delete\nid: 1\ndata: {}\n\n'

/** Every route with the client method that calls it. */
const CALLS: Readonly<Record<string, (client: Client<Blog>) => Promise<unknown>>> = {
  'GET /api/health': (client) => client.health(),
  'GET /api/ready': (client) => client.ready(),
  'GET /api/globals/:key': (client) => client.globals.site.get(),
  'PUT /api/globals/:key': (client) => client.globals.site.update({}),
  'POST /api/cms/batch': (client) => client.batch([]),
  'GET /api/:collection': (client) => client.collections.posts.findMany(),
  'POST /api/:collection': (client) => client.collections.posts.create({ title: 'A' }),
  'PATCH /api/:collection': (client) => client.collections.posts.updateMany({ title: { eq: 'A' } }, {}),
  'DELETE /api/:collection': (client) => client.collections.posts.deleteMany({ title: { eq: 'A' } }),
  'POST /api/assets': (client) => client.assets.upload(new Blob(['a'])),
  'GET /api/:collection/:slug': (client) => client.collections.posts.findBySlug('a'),
  'PUT /api/:collection/:id': (client) => client.collections.posts.update(ID, {}),
  'PATCH /api/:collection/:id': (client) => client.collections.posts.patch(ID, {}),
  'DELETE /api/:collection/:id': (client) => client.collections.posts.delete(ID),
  'GET /api/:collection/:id/references': (client) => client.collections.posts.references(ID),
  'POST /api/:collection/:id/publish': (client) => client.collections.posts.publish(ID),
  'POST /api/:collection/:id/unpublish': (client) => client.collections.posts.unpublish(ID),
  'DELETE /api/:collection/:id/schedule': (client) => client.collections.posts.unschedule(ID),
  'POST /api/:collection/:id/move': (client) => client.collections.authors.move(ID, { position: 'first' }),
  'POST /api/:collection/:id/restore': (client) => client.collections.posts.restore(ID, 1),
  'POST /api/:collection/:id/preview': (client) => client.collections.posts.preview(ID),
  'DELETE /api/:collection/:id/preview': (client) => client.collections.posts.revokePreviews(ID),
  'GET /api/cms/search': (client) => client.search({ q: 'a' }),
  'GET /api/cms/drafts': (client) => client.drafts(),
  'GET /api/cms/schedules': (client) => client.schedules(),
  'GET /api/cms/broken-links': (client) => client.brokenLinks(),
  'GET /api/cms/auth/session': (client) => client.auth.session(),
  'GET /api/cms/auth/actions': (client) => client.auth.actions(),
  'GET /api/cms/auth/permissions': (client) => client.auth.permissions(),
  'GET /api/cms/auth/people': (client) => client.auth.people(['mia']),
  'GET /api/cms/model': (client) => client.model(),
  'GET /api/:collection/:id/versions': (client) => client.collections.posts.versions(ID),
  'GET /api/:collection/:id/versions/:revision': (client) => client.collections.posts.version(ID, 1),
  'GET /api/globals/:key/versions': (client) => client.globals.site.versions(),
  'GET /api/globals/:key/versions/:revision': (client) => client.globals.site.difference({ revision: 2, against: 1 }),
  'POST /api/cms/undo': (client) => client.undo({ from: 1 }),
  'GET /api/cms/journal': (client) => client.journal(),
  'POST /api/:collection/:id/presence': (client) => client.collections.posts.enter(ID),
  'DELETE /api/:collection/:id/presence': (client) => client.collections.posts.leave(ID),
  'GET /api/cms/changes': (client) => client.changes(),
  'GET /api/cms/events': (client) => client.subscribe().next(),
  'POST /api/cms/auth/actions/:action': (client) => client.auth.action('login'),
}

/** Routes without a client method, each with the reason. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'GET /openapi.json': 'for generators of other clients',
  'GET /docs': 'a page for people',
  'GET /api/assets/:id/image': 'a URL for the src of <img>',
  'GET /api/cms/administration': 'only for administration, as in the Studio',
  'GET /api/cms/auth/invitations': 'only for administration, as in the Studio',
  'POST /api/cms/auth/invitations': 'only for administration, as in the Studio',
  'DELETE /api/cms/auth/invitations/:id': 'only for administration, as in the Studio',
  'GET /api/cms/auth/outstanding': 'only for administration, as in the Studio',
  'GET /api/cms/auth/tokens': 'only for administration, as in the Studio',
  'POST /api/cms/auth/tokens': 'only for administration, as in the Studio',
  'DELETE /api/cms/auth/tokens/:id': 'only for administration, as in the Studio',
  'GET /api/cms/metrics': 'only for administration, as in the Studio',
  'GET /api/export': 'a stream of all content, which daybook export writes to a file',
}

const routes = await knownRoutes()

test('every route has a client method, or a reason for having none', () => {
  expect([...Object.keys(CALLS), ...Object.keys(LEFT_OUT)].sort()).toEqual(routes.toSorted())
})

test.each(Object.entries(CALLS))('%s is called by its method', async (route, call) => {
  const requests: string[] = []
  const client = createClient<Blog>({
    baseUrl: 'https://cms.example.org',
    fetch: async (url, { method }) => {
      requests.push(`${method} ${new URL(url).pathname}`)
      if (url.endsWith('/events')) return new Response(STREAM, { headers: { 'Content-Type': 'text/event-stream' } })
      return Response.json({ items: [], results: [], present: [] })
    },
  })
  await call(client)
  const pattern = new RegExp(`^${route.replaceAll(/:\w+/g, '[^/]+')}$`)
  expect(requests).toEqual([expect.stringMatching(pattern)])
})
