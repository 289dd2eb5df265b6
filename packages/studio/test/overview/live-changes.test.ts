import { createClient } from '@daybook/client'
import { QueryClient } from '@tanstack/react-query'
import { defineCollection, defineConfig, f } from 'daybook'
import { createTestService } from 'daybook/testing'
import { expect, test } from 'vitest'
import { followChanges, type LiveChange } from '../../src/app/api/live-changes.ts'
import { Emitter } from '../../src/app/api/observable.ts'

/** Only posts of open teams are visible. */
const config = defineConfig({
  collections: {
    posts: defineCollection({
      access: { read: () => ({ 'team.open': { eq: true } }) },
      fields: { title: f.text(), team: f.relation('teams') },
    }),
    teams: defineCollection({ fields: { open: f.boolean() } }),
  },
})

test('when visibility may have changed, all cached responses are invalidated and the stream goes on', async () => {
  await using service = await createTestService(config)
  const client = createClient<typeof config>({
    baseUrl: 'http://localhost:3000',
    token: service.token,
    fetch: (url, init) => service.fetch(new Request(url, init)),
  })
  const { posts, teams } = client.collections
  const team = await teams.create({ open: true })
  const queries = new QueryClient()
  queries.setQueryData(['anything'], 'cached')
  const changes = new Emitter<LiveChange>()
  const received: LiveChange[] = []
  changes.subscribe((change) => received.push(change))
  const ending = new AbortController()
  const following = followChanges(client, queries, changes, ending.signal)

  // A change may be made before the stream is open, so repeat it.
  await expect
    .poll(async () => {
      await teams.create({ open: false })
      return queries.getQueryState(['anything'])?.isInvalidated
    })
    .toBe(true)
  received.length = 0
  await expect
    .poll(async () => {
      await posts.create({ title: 'New', team: team.id })
      return received.some(({ collection }) => collection === 'posts')
    })
    .toBe(true)
  ending.abort()
  await following
})
