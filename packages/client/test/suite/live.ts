import { DaybookError } from '@daybook/client'
import { type Case, equal, failure } from './case.ts'

async function until(isMet: () => boolean | Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 600; turn += 1) {
    if (await isMet()) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('The condition was not met.')
}

const event = (id: string, action: string, entry: string): string =>
  `event: ${action}\nid: ${id}\ndata: {"action":"${action}","collection":"posts","id":"${entry}"}\n\n`
const stream = (...blocks: readonly string[]) => ({
  headers: { 'Content-Type': 'text/event-stream' },
  body: `retry: 1\nid: 0\n\n${blocks.join('')}`,
})

export const LIVE: readonly Case[] = [
  {
    name: 'changes are paged, with a token to continue from',
    async run({ client, token }) {
      const writer = client({ token })
      const first = await client().changes({ collections: ['authors'], limit: 1 })
      equal(
        first.items.map(({ action, collection }) => [action, collection]),
        [['upsert', 'authors']],
      )
      const { next } = await client().changes({ collections: ['authors'], since: first.next })
      equal((await client().changes({ collections: ['authors'], since: next })).items, [])
      const author = await writer.collections.authors.create({ name: 'New' })
      const { items } = await client().changes({ collections: ['authors'], since: next })
      equal(items, [
        {
          action: 'upsert',
          collection: 'authors',
          id: author.id,
          slug: 'new',
          data: await client().collections.authors.findById(author.id),
        },
      ])
      await writer.collections.authors.delete(author)
      const error = await failure(client().changes({ since: 'junk' }), DaybookError)
      equal(error.code, 'VALIDATION_ERROR')
    },
  },
  {
    name: 'a subscription receives changes until it ends',
    async run({ client, token }) {
      const { authors } = client({ token }).collections
      const ending = new AbortController()
      const events = client().subscribe({ collections: ['authors'], signal: ending.signal })
      const firstEvent = events.next()
      // The subscription has begun when it receives the first change.
      let hasBegun = false
      void firstEvent.then(() => {
        hasBegun = true
      })
      const ids: string[] = []
      await until(async () => {
        if (!hasBegun) ids.push((await authors.create({ name: `Author ${ids.length}` })).id)
        return hasBegun
      })
      const { value } = await firstEvent
      equal([value?.action, value?.collection, ids.includes(value?.id ?? '')], ['upsert', 'authors', true])
      ending.abort()
      while (!(await events.next()).done) {
        // Changes that arrived before the end.
      }
      for (const id of ids) await authors.delete(id)
    },
  },
  {
    name: 'a subscription reconnects after a lost connection, and continues after the last event',
    async run({ script, clientOf }) {
      const server = await script(
        stream(event('a', 'delete', '1'), event('b', 'delete', '2')),
        { fault: 'reset' },
        { status: 503, body: '{"code":"SERVICE_UNAVAILABLE","message":"later","details":{}}' },
        stream(event('c', 'delete', '3')),
      )
      const events = clientOf(server).subscribe({ since: 'start' })
      const ids: string[] = []
      for await (const { id } of events) {
        ids.push(id)
        if (ids.length === 3) break
      }
      equal(ids, ['1', '2', '3'])
      const since = (await server.sent()).map(({ url }) => new URL(url, 'http://x').searchParams.get('since'))
      equal(since, ['start', 'b', 'b', 'b'])
    },
  },
  {
    name: 'a subscription that cannot continue throws, and one that is rejected is not retried',
    async run({ script, clientOf }) {
      const reset = await script(stream('event: reset\ndata: {"restart":"anew"}\n\n'))
      const { code, details } = await failure(clientOf(reset).subscribe().next(), DaybookError)
      equal([code, details.restart], ['GONE', 'anew'])
      const rejecting = await script({ status: 400, body: '{"code":"VALIDATION_ERROR","message":"no","details":{}}' })
      equal((await failure(clientOf(rejecting).subscribe().next(), DaybookError)).code, 'VALIDATION_ERROR')
      equal((await rejecting.sent()).length, 1)
    },
  },
  {
    name: 'a copy follows the content',
    async run({ client, token }) {
      const { posts } = client({ token }).collections
      const copy = client().memoryCopy()
      const ending = new AbortController()
      const synced = client().sync(copy, { signal: ending.signal })
      await until(() => copy.all('posts').length === 4)
      equal(copy.get('globals', 'site')?.name, 'Blog')
      const post = await posts.create({ title: 'Copied' })
      await until(() => copy.get('posts', post.id)?.title === 'Copied')
      await posts.update(post, { title: 'Copied again' })
      await until(() => copy.get('posts', post.id)?.title === 'Copied again')
      await posts.update(post.id, { status: 'draft' })
      await until(() => copy.get('posts', post.id) === undefined)
      await posts.delete(post.id)
      ending.abort()
      await synced
    },
  },
  {
    name: 'a copy is rebuilt when the view of its reader changes',
    async run({ client, token, script, clientOf }) {
      const writer = client({ token })
      const draft = await writer.collections.posts.create({ title: 'Draft', status: 'draft' })
      const sizes: number[] = []
      const copy = client().memoryCopy(() => sizes.push(copy.all('posts').length))
      const [first, second] = [new AbortController(), new AbortController()]
      const synced = writer.sync(copy, { signal: first.signal })
      await until(() => copy.get('posts', draft.id) !== undefined)
      first.abort()
      await synced
      const again = client().sync(copy, { signal: second.signal })
      await until(() => copy.get('posts', draft.id) === undefined && copy.all('posts').length === 4)
      second.abort()
      await again
      equal(sizes.includes(0), true)
      await writer.collections.posts.delete(draft.id)

      const gone = (restart: string) => ({
        status: 410,
        body: `{"code":"GONE","message":"changed","details":{"restart":"${restart}"}}`,
      })
      const server = await script(gone('a'), gone('b'), gone('c'), { body: '{"items":[],"next":"c"}' }, stream())
      const unsteady = new AbortController()
      const ended = clientOf(server).sync(client().memoryCopy(), { signal: unsteady.signal })
      await until(async () => (await server.sent()).length >= 5)
      unsteady.abort()
      await ended
      const since = (await server.sent()).map(({ url }) => new URL(url, 'http://x').searchParams.get('since'))
      equal(since.slice(0, 5), [null, 'a', 'b', 'c', 'c'])
    },
  },
  {
    name: 'a copy of another service, or one that is too old, is rebuilt',
    async run({ client, script, clientOf }) {
      const ending = new AbortController()
      const copy = client().memoryCopy()
      await copy.apply([{ action: 'upsert', collection: 'posts', id: 'old', data: {} as never }], 'foreign')
      const synced = client().sync(copy, { signal: ending.signal, collections: ['posts'] })
      await until(() => copy.all('posts').length === 4 && copy.get('posts', 'old') === undefined)
      ending.abort()
      await synced
      const gone = '{"code":"GONE","message":"too old","details":{"restart":"anew"}}'
      const page = (next: string) => ({ body: `{"items":[],"next":"${next}"}` })
      const server = await script({ status: 410, body: gone }, page('x'), page('x'), stream())
      const old = client().memoryCopy()
      await old.apply([], 'old')
      const other = new AbortController()
      const again = clientOf(server).sync(old, { signal: other.signal })
      await until(async () => (await server.sent()).length >= 4)
      other.abort()
      await again
      const since = (await server.sent()).map(({ url }) => new URL(url, 'http://x').searchParams.get('since'))
      equal(since.slice(0, 4), ['old', 'anew', 'x', 'x'])
    },
  },
]
