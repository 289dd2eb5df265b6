import type { TestService } from 'daybook/testing'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { kitchen } from '../../support/configs/configs.ts'
import { parseBody, sendRequest } from '../../support/scenarios/client.ts'
import { expectQuietProcess } from '../../support/scenarios/sane.ts'
import { POLICY_STORES } from '../../support/stores/stores.ts'

const NASTY = [
  "'",
  '"',
  '\\',
  '--',
  ';',
  ']',
  '[',
  '$1',
  '?',
  '\0',
  '`',
  '%',
  '_',
  '*',
  '(',
  ')',
  '/*',
  '\n',
  ' OR 1=1',
  '$',
  '.',
  ',',
  '-',
  ':',
  '\u{1f389}',
  '\u202e',
  'title',
  'posts',
  '../../',
]
const nasty = fc.array(fc.constantFrom(...NASTY), { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''))
const escaped = nasty.map(encodeURIComponent)

/** Characters with a meaning for databases, in every name and value of a request. */
describe.each(POLICY_STORES)('hostile characters on $name', (store) => {
  let service: TestService
  beforeAll(async () => {
    service = await store.open(kitchen)
    for (const title of ['One', 'Two', 'Three']) {
      await sendRequest(service, '/api/things', {
        method: 'POST',
        json: { title, body: 'some words', code: `AA${title.length}${title.charCodeAt(1)}` },
      })
    }
  })
  afterAll(async () => {
    await service.close()
    await expectQuietProcess()
  })

  const stored = async (): Promise<string> => (await sendRequest(service, '/api/things?limit=100', { auth: true })).text

  const READS: Readonly<Record<string, (text: string) => string>> = {
    'a collection': (text) => `/api/${text}`,
    'a collection with a slug': (text) => `/api/things${text}/one`,
    'a slug': (text) => `/api/things/${text}`,
    'a global': (text) => `/api/globals/${text}`,
    'a parameter’s name': (text) => `/api/things?${text}=1`,
    'a sort key': (text) => `/api/things?sort=${text}`,
    'part of a sort key': (text) => `/api/things?sort=title${text}`,
    'a part of a dotted sort key': (text) => `/api/things?sort=seo.${text}`,
    'a selected name': (text) => `/api/things?select=${text}`,
    'a status': (text) => `/api/things?status=${text}`,
    'a status after a valid one': (text) => `/api/things?status=published,${text}`,
    'a search': (text) => `/api/things?q=${text}`,
    'a search with words': (text) => `/api/things?q=some${text}words`,
    'a cursor': (text) => `/api/things?cursor=${text}`,
    'a limit': (text) => `/api/things?limit=1${text}`,
    'an offset': (text) => `/api/things?offset=${text}`,
  }

  test.each(Object.entries(READS))('in %s', async (_name, path) => {
    const before = await stored()
    await fc.assert(
      fc.asyncProperty(escaped, fc.boolean(), async (text, auth) => {
        expect([200, 400, 404]).toContain((await sendRequest(service, path(text), { auth })).status)
      }),
      { numRuns: 40 },
    )
    expect(await stored()).toBe(before)
  })

  test.each([
    'If-None-Match',
    'If-Match',
    'X-Request-Id',
    'Origin',
    'Authorization',
    'Cookie',
    'Accept',
    'Content-Type',
  ])('in the header %s', async (name) => {
    const value = nasty.filter((text) => /^[\x20-\x7e]*$/.test(text))
    await fc.assert(
      fc.asyncProperty(value, async (text) => {
        const { status } = await sendRequest(service, '/api/things', { headers: { [name]: text } })
        expect(name === 'If-Match' ? [200, 400, 412] : [200, 304, 400]).toContain(status)
        const written = await sendRequest(service, '/api/things', {
          method: 'POST',
          raw: '{}',
          auth: false,
          headers: { [name]: text },
        })
        expect([400, 401, 415]).toContain(written.status)
      }),
      { numRuns: 30 },
    )
  })

  test('in the values of a body are stored and returned unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(
        nasty.filter((text) => !text.includes('\0')),
        async (text) => {
          const json = {
            title: `t${text}`.slice(0, 80),
            data: { [text]: [text] },
            seo: { text },
            parts: [{ _type: 'quote', text: `x${text}` }],
          }
          const created = await sendRequest(service, '/api/things', { method: 'POST', json })
          expect(created.status, created.text).toBe(201)
          expect(parseBody(created)).toMatchObject(json)
          const { id, slug } = parseBody(created)
          expect(parseBody(await sendRequest(service, `/api/things/${encodeURIComponent(String(slug))}`)).id).toBe(id)
          expect((await sendRequest(service, `/api/things/${id}`, { method: 'DELETE' })).status).toBe(204)
        },
      ),
      { numRuns: 60 },
    )
  })

  test('in the keys of a body name no field', async () => {
    await fc.assert(
      fc.asyncProperty(
        nasty.filter((text) => text !== 'title'),
        async (text) => {
          for (const json of [
            { title: 't', [text]: 1 },
            { title: 't', seo: { [text]: 1 } },
            { title: 't', parts: [{ _type: text }] },
          ]) {
            expect((await sendRequest(service, '/api/things', { method: 'POST', json })).status).toBe(400)
          }
        },
      ),
      { numRuns: 40 },
    )
  })

  test('in other values of a body are rejected by the type of the field', async () => {
    await fc.assert(
      fc.asyncProperty(nasty, async (text) => {
        for (const field of [
          'status',
          'code',
          'amount',
          'count',
          'flag',
          'day',
          'moment',
          'kind',
          'mail',
          'link',
          'parent',
          'slug',
        ]) {
          const response = await sendRequest(service, '/api/things', {
            method: 'POST',
            json: { title: 't', [field]: text },
          })
          const isSlug = field === 'slug' && /^(?:title|posts)+(?:[-_.](?:title|posts)+)*$/.test(text)
          if (!isSlug) expect(response.status, `${field}: ${text}`).toBe(400)
        }
      }),
      { numRuns: 20 },
    )
  })
})
