import { defineCollection, defineConfig, f } from 'daybook'
import { describe, expect, test } from 'vitest'
import { People } from '../support/auth/people.ts'
import { EventReader, type ServerEvent } from '../support/network/event-reader.ts'
import { parseBody, sendRequest } from '../support/scenarios/client.ts'
import { create } from '../support/stores/place.ts'
import { POSTGRES, STORES, type StoredService } from '../support/stores/stores.ts'
import { eventually } from '../support/timeouts.ts'

const people = new People({ cleo: [], ann: ['editor'] })
const config = defineConfig({
  auth: people.adapter,
  collections: {
    posts: defineCollection({ fields: { title: f.text(), status: f.status() } }),
    secrets: defineCollection({
      access: { read: ({ identity }) => identity?.roles.includes('editor') === true },
      fields: { title: f.text() },
    }),
  },
})

const as = (name: string) => ({ Authorization: `Bearer ${name}` })
const enter = (service: StoredService, path: string, name: string) =>
  sendRequest(service, `/api/${path}/presence`, { method: 'POST', headers: as(name), auth: false })
const leave = (service: StoredService, path: string, name: string) =>
  sendRequest(service, `/api/${path}/presence`, { method: 'DELETE', headers: as(name), auth: false })

async function listenAs(service: Pick<StoredService, 'fetch'>, name: string | undefined): Promise<EventReader> {
  const request = new Request('http://daybook.test/api/cms/events', { headers: name === undefined ? {} : as(name) })
  const reader = new EventReader(await service.fetch(request))
  await reader.begun()
  return reader
}

describe.each(STORES)('presence on $name', (store) => {
  test('sends the people who have an entry open to sessions that can read it', async () => {
    await using service = await store.open(config)
    const { id } = await create(service, 'posts', { title: 'Open' })
    await using cleo = await listenAs(service, 'cleo')
    await using stranger = await listenAs(service, undefined)
    const first = await enter(service, `posts/${id}`, 'ann')
    expect(parseBody(first)).toEqual({ present: [{ subject: 'ann', since: expect.any(String) }] })
    const presenceEvent = { event: 'presence', data: { collection: 'posts', id, present: [{ subject: 'ann' }] } }
    expect(await cleo.next()).toMatchObject(presenceEvent)
    const second = parseBody(await enter(service, `posts/${id}`, 'cleo')) as unknown as {
      present: { subject: string }[]
    }
    expect(second.present.map(({ subject }) => subject)).toEqual(['ann', 'cleo'])
    expect(await cleo.next()).toMatchObject({ data: { present: [{ subject: 'ann' }, { subject: 'cleo' }] } })
    expect((await leave(service, `posts/${id}`, 'ann')).status).toBe(204)
    expect(await cleo.next()).toMatchObject({ data: { present: [{ subject: 'cleo' }] } })
    const seq = (await service.rows('SELECT seq FROM daybook$head'))[0]?.seq
    await create(service, 'posts', { title: 'Next' })
    // A reader without a session receives only the change.
    expect(await stranger.next()).toMatchObject({ event: 'upsert' })
    expect(stranger.lines.join()).not.toMatch(/presence|ann/)
    expect(seq).toBe(1)
  })

  test('rejects callers who cannot read the entry or have no session', async () => {
    await using service = await store.open(config)
    const { id } = await create(service, 'secrets', { title: 'Shut' })
    await using cleo = await listenAs(service, 'cleo')
    expect((await enter(service, `secrets/${id}`, 'cleo')).status).toBe(403)
    expect((await enter(service, `secrets/${id}`, 'ann')).status).toBe(200)
    expect((await enter(service, `posts/${id}`, 'ann')).status).toBe(404)
    const path = `/api/secrets/${id}/presence`
    const post = (json: unknown) =>
      sendRequest(service, path, { method: 'POST', headers: as('ann'), auth: false, json })
    expect([(await post({})).status, (await post({ x: 1 })).status, (await post([])).status]).toEqual([200, 400, 400])
    expect((await sendRequest(service, `/api/posts/${id}/presence`, { method: 'POST', auth: false })).status).toBe(401)
    const next = await create(service, 'posts', { title: 'Next' })
    expect(await cleo.next()).toMatchObject({ event: 'upsert', data: { id: next.id } })
    expect(cleo.lines.join()).not.toMatch(/presence/)
  })
})

test('on PostgreSQL, presence is sent to every node', async () => {
  await using place = await POSTGRES.at()
  const sender = await place.open(config as never)
  const receiver = await place.open(config as never)
  const { id } = await create(sender, 'posts', { title: 'Open' })
  await using reader = await listenAs(receiver as never, 'cleo')
  let event: ServerEvent | undefined
  const hearing = (async () => {
    while (event?.event !== 'presence') event = await reader.next()
  })()
  // Repeated, as browsers do: the other node may not listen yet.
  await eventually(async () => {
    const request = new Request(`http://daybook.test/api/posts/${id}/presence`, { method: 'POST', headers: as('ann') })
    expect((await sender.fetch(request)).status).toBe(200)
    expect(event?.data).toMatchObject({ id, present: [{ subject: 'ann' }] })
  })
  await hearing
  await reader[Symbol.asyncDispose]()
  await sender.close()
  await receiver.close()
})
