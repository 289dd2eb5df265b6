import type { TestService } from 'daybook/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { kitchen } from '../../support/configs/configs.ts'
import { multilingual } from '../../support/configs/locales.ts'
import { parseBody, sendRequest } from '../../support/scenarios/client.ts'
import { expectQuietProcess } from '../../support/scenarios/sane.ts'
import { type Connection, type TestResponse, TRANSPORTS } from '../../support/scenarios/transports.ts'
import { STORES } from '../../support/stores/stores.ts'

function countStatuses(responses: readonly TestResponse[]): Readonly<Record<number, number>> {
  const counts: Record<number, number> = {}
  for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

describe.each(STORES)('concurrent writes in one locale on $name', (store) => {
  test('of 200 creates with one slug, one succeeds, and the slug stays free in other locales', async () => {
    await using service = await store.open(multilingual)
    const send = (locale: string) =>
      sendRequest(service, `/api/pages?locale=${locale}`, { method: 'POST', json: { title: 'x', slug: 'race' } })
    const responses = await Promise.all(Array.from({ length: 200 }, () => send('de')))
    expect(countStatuses(responses)).toEqual({ 201: 1, 409: 199 })
    expect((await send('fr')).status).toBe(201)
    expect(parseBody(await sendRequest(service, '/api/pages?limit=0')).total).toBe(2)
    await expectQuietProcess()
  })
})

describe.each(STORES)('concurrent writes on $name', (store) => {
  describe.each(TRANSPORTS)('over $name', (transport) => {
    let service: TestService
    let connection: Connection
    beforeAll(async () => {
      service = await store.open(kitchen)
      connection = await transport.connect(service)
    })
    afterAll(async () => {
      await connection.close()
      await expectQuietProcess()
    })

    const write = (
      method: string,
      path: string,
      json?: object,
      more: Readonly<Record<string, string>> = {},
    ): Promise<TestResponse> => {
      const headers = { Authorization: `Bearer ${service.token}`, 'Content-Type': 'application/json', ...more }
      return connection.send({ method, path, headers, body: json && JSON.stringify(json) })
    }
    const many = (count: number, send: (index: number) => Promise<TestResponse>): Promise<readonly TestResponse[]> =>
      Promise.all(Array.from({ length: count }, (_, index) => send(index)))

    test('of 200 creates with one slug, one succeeds and 199 are conflicts', async () => {
      const responses = await many(200, () => write('POST', '/api/pages', { title: 'x', slug: 'race' }))
      expect(countStatuses(responses)).toEqual({ 201: 1, 409: 199 })
      expect(parseBody(await sendRequest(service, '/api/pages?limit=0')).total).toBe(1)
    })

    test('of 100 creates with one unique value, one succeeds', async () => {
      const responses = await many(100, (index) => write('POST', '/api/things', { title: `t${index}`, code: 'ZZ1' }))
      expect(countStatuses(responses)).toEqual({ 201: 1, 409: 99 })
    })

    test('100 creates with one title get 100 slugs', async () => {
      const responses = await many(100, () => write('POST', '/api/few', { title: 'Same' }))
      expect(countStatuses(responses)).toEqual({ 201: 100 })
      expect(new Set(responses.map((response) => parseBody(response).slug)).size).toBe(100)
    })

    test('rejected creates do not affect concurrent ones, and leave no gap in the journal', async () => {
      const before = Number(parseBody(await sendRequest(service, '/api/things?limit=0')).total)
      const nobody = '00000000-0000-7000-8000-000000000000'
      const responses = await many(60, (index) => {
        if (index % 3 === 1) return write('POST', '/api/things', { title: `stray ${index}`, parent: nobody })
        return write('POST', '/api/things', { title: `row ${index}`, ...(index % 3 === 2 ? { code: 'ZZ2' } : {}) })
      })
      expect(countStatuses(responses)).toEqual({ 201: 21, 400: 20, 409: 19 })
      expect(parseBody(await sendRequest(service, '/api/things?limit=0')).total).toBe(before + 21)
      const created = responses.filter(({ status }) => status === 201).map((response) => parseBody(response).id)
      const rows = parseBody(await sendRequest(service, '/api/things?limit=100&sort=id&where[title][startsWith]=row '))
      expect((rows.items as { id: string }[]).map(({ id }) => id)).toEqual(created.toSorted())
      const seqs = responses.flatMap(({ status, headers }) =>
        status === 201 ? [Number(headers.get('daybook-seq'))] : [],
      )
      expect(seqs.toSorted((a, b) => a - b)).toEqual(seqs.map((_, index) => Math.min(...seqs) + index))
    })

    test('of 50 updates to one slug, one succeeds', async () => {
      const pages = await many(50, (index) => write('POST', '/api/pages', { slug: `from-${index}` }))
      const responses = await Promise.all(
        pages.map((response) => write('PUT', `/api/pages/${parseBody(response).id}`, { slug: 'goal' })),
      )
      expect(countStatuses(responses)).toEqual({ 200: 1, 409: 49 })
    })

    test('of two updates with one tag, one succeeds, and the other gets the new tag', async () => {
      const { id } = parseBody(await write('POST', '/api/ledgers', { title: '0' }))
      let tag = String((await sendRequest(service, `/api/ledgers/${id}`)).headers.get('etag'))
      for (let round = 1; round <= 50; round++) {
        const pair = await many(2, (index) =>
          write('PUT', `/api/ledgers/${id}`, { title: `${round} ${index}` }, { 'If-Match': tag }),
        )
        expect(countStatuses(pair)).toEqual({ 200: 1, 412: 1 })
        const [done, late] = [...pair].sort((a, b) => a.status - b.status) as [TestResponse, TestResponse]
        tag = String(done.headers.get('etag'))
        expect(parseBody(late).details).toEqual({ current: tag })
        expect(parseBody(await sendRequest(service, `/api/ledgers/${id}`)).title).toBe(parseBody(done).title)
      }
    })

    test('no update is lost if every writer retries after 412', async () => {
      const { id } = parseBody(await write('POST', '/api/things', { title: 'counter', count: 0 }))
      const addOne = async (): Promise<void> => {
        for (let status = 412; status === 412; ) {
          const read = await sendRequest(service, `/api/things/${id}`)
          const count = Number(parseBody(read).count) + 1
          status = (
            await write('PUT', `/api/things/${id}`, { count }, { 'If-Match': String(read.headers.get('etag')) })
          ).status
        }
      }
      await Promise.all(Array.from({ length: 25 }, addOne))
      expect(parseBody(await sendRequest(service, `/api/things/${id}`)).count).toBe(25)
    })

    test('concurrent updates of different fields are all stored', async () => {
      const { id } = parseBody(await write('POST', '/api/things', { title: 'fields' }))
      const changes = [
        { amount: 1 },
        { count: 2 },
        { flag: true },
        { day: '2026-01-01' },
        { body: 'x' },
        { kinds: ['a'] },
        { long: 'y' },
      ]
      const responses = await Promise.all(changes.map((change) => write('PUT', `/api/things/${id}`, change)))
      expect(countStatuses(responses)).toEqual({ 200: changes.length })
      expect(parseBody(await sendRequest(service, `/api/things/${id}`))).toMatchObject(Object.assign({}, ...changes))
    })

    test('of 20 deletes of one entry, one succeeds, and the others are 404', async () => {
      const { id } = parseBody(await write('POST', '/api/notes', { text: 'x' }))
      expect(countStatuses(await many(20, () => write('DELETE', `/api/notes/${id}`)))).toEqual({ 204: 1, 404: 19 })
    })

    test('an entry that is deleted and updated concurrently is updated first or missing', async () => {
      const { id } = parseBody(await write('POST', '/api/notes', { text: 'x' }))
      const responses = await Promise.all([
        write('DELETE', `/api/notes/${id}`),
        write('PUT', `/api/notes/${id}`, { text: 'y' }),
      ])
      expect(responses[0]?.status).toBe(204)
      expect([200, 404]).toContain(responses[1]?.status)
      expect((await sendRequest(service, `/api/notes/${id}`)).status).toBe(404)
    })

    test('rejected writes that share a commit with others leave no search rows', async () => {
      const word = 'quokka'
      const responses = await many(60, (index) =>
        write('POST', '/api/pages', {
          title: `${word} ${index % 2}`,
          slug: index % 3 === 0 ? 'taken' : `free-${index}`,
        }),
      )
      expect(countStatuses(responses)).toEqual({ 201: 41, 409: 19 })
      expect(parseBody(await sendRequest(service, `/api/pages?q=${word}&limit=0`)).total).toBe(41)
    })

    test('every change has its own number in the journal, without gaps', async () => {
      const responses = await many(60, (index) => write('POST', '/api/notes', { text: `${index}` }))
      const seqs = responses.map(({ headers }) => Number(headers.get('daybook-seq'))).sort((a, b) => a - b)
      expect(seqs).toEqual(Array.from({ length: 60 }, (_, index) => Number(seqs[0]) + index))
    })

    test('of first writes of a global with If-None-Match: *, one succeeds', async () => {
      const responses = await many(20, (index) =>
        write('PUT', '/api/globals/banner', { text: `${index}` }, { 'If-None-Match': '*' }),
      )
      expect(countStatuses(responses)).toEqual({ 200: 1, 412: 19 })
    })

    test('a failing batch does not affect other batches, and totals stay right', async () => {
      const before = Number(parseBody(await sendRequest(service, '/api/guestbook?limit=0')).total)
      const responses = await many(40, (index) =>
        write('POST', '/api/guestbook', index % 2 === 0 ? { title: `g${index}` } : { title: 'dup', slug: 'dup' }),
      )
      expect(countStatuses(responses)).toEqual({ 201: 21, 409: 19 })
      expect(parseBody(await sendRequest(service, '/api/guestbook?limit=0')).total).toBe(before + 21)
      const listed = parseBody(await sendRequest(service, '/api/guestbook?limit=100')).items as readonly unknown[]
      expect(listed).toHaveLength(before + 21)
    })
  })
})
