import type { TestService } from 'daybook/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { kitchen } from '../../support/configs/configs.ts'
import { sendRequest } from '../../support/scenarios/client.ts'
import { CANARY, expectNoCanary } from '../../support/scenarios/sane.ts'
import { POLICY_STORES } from '../../support/stores/stores.ts'

/** Fields of dossiers that only sessions see, each with an unknown name of the same length. */
const PAIRS = [
  ['secret', 'sacret'],
  ['notes', 'nates'],
  ['notesHtml', 'natesHtml'],
  ['rank', 'rink'],
  ['inner', 'innar'],
  ['inner.code', 'innar.code'],
] as const

/** Every place where a request can name a field. */
const POSITIONS: readonly ((field: string) => string)[] = [
  (field) => `?select=${field}`,
  (field) => `?select=title,${field}`,
  (field) => `/open?select=${field}`,
  (field) => `?sort=${field}`,
  (field) => `?sort=-${field}`,
  (field) => `?sort=title,${field}`,
  (field) => `?q=open&sort=${field}`,
  (field) => `?${field}=1`,
  (field) => `?where[${field}][eq]=1`,
  (field) => `?q=${field}`,
  (field) => `?status=${field}`,
  (field) => `?aggregate=count:${field}`,
  (field) => `?aggregate=sum:${field}`,
]

describe.each(POLICY_STORES)('a hidden field on $name behaves as if it did not exist', (store) => {
  let service: TestService
  beforeAll(async () => {
    service = await store.open(kitchen)
    const open = { title: 'Open', secret: CANARY, notes: CANARY, rank: 5, inner: { code: CANARY } }
    await sendRequest(service, '/api/dossiers', { method: 'POST', json: open })
  })
  afterAll(() => service.close())

  /** A response without the name of the field and the request id. */
  async function likeness(path: string, name: string): Promise<unknown> {
    const response = await sendRequest(service, path, { headers: { 'X-Request-Id': 'the-same-id' } })
    expectNoCanary(response)
    const headers = [...response.headers].filter(([key]) => key !== 'etag')
    return { status: response.status, headers, text: response.text.replaceAll(name, '<name>') }
  }

  test.each(PAIRS)('%s', async (hidden, unknown) => {
    for (const position of POSITIONS) {
      const forHidden = await likeness(`/api/dossiers${position(hidden)}`, hidden)
      expect(forHidden, position(hidden)).toEqual(await likeness(`/api/dossiers${position(unknown)}`, unknown))
    }
  })

  test('in a search, all guesses get the same response', async () => {
    const guesses = [CANARY, CANARY.slice(0, 3), `open ${CANARY}`, 'nothing-at-all']
    const responses = await Promise.all(
      guesses.map((guess) => likeness(`/api/dossiers?q=${encodeURIComponent(guess)}`, guess)),
    )
    for (const response of responses) expect(response).toEqual(responses[0])
  })

  test('the entry has the same members as without the field', async () => {
    const { text } = await sendRequest(service, '/api/dossiers/open')
    expect(Object.keys(JSON.parse(text))).toEqual(['id', 'title', 'slug', 'status', 'frozen', 'createdAt', 'updatedAt'])
  })
})
