import type { TestService } from 'daybook/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { kitchen } from '../../support/configs/configs.ts'
import { ask } from '../../support/scenarios/client.ts'
import { CANARY, expectNoCanary } from '../../support/scenarios/sane.ts'
import { POLICY_STORES } from '../../support/stores/stores.ts'

/** Fields of dossiers that only a session sees, each beside a name of the same length that no field has. */
const PAIRS = [
  ['secret', 'sacret'],
  ['notes', 'nates'],
  ['notesHtml', 'natesHtml'],
  ['rank', 'rink'],
  ['inner', 'innar'],
  ['inner.code', 'innar.code'],
] as const

/** Every place where a reader can name a field. */
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

describe.each(POLICY_STORES)('a hidden field on $name answers as one that is not there (Q2, Q5, Q6)', (store) => {
  let service: TestService
  beforeAll(async () => {
    service = await store.open(kitchen)
    const open = { title: 'Open', secret: CANARY, notes: CANARY, rank: 5, inner: { code: CANARY } }
    await ask(service, '/api/dossiers', { method: 'POST', json: open })
  })
  afterAll(() => service.close())

  /** An answer without what differs between any two: the name, and the request id. */
  async function likeness(path: string, name: string): Promise<unknown> {
    const answer = await ask(service, path, { headers: { 'X-Request-Id': 'the-same-id' } })
    expectNoCanary(answer)
    const headers = [...answer.headers].filter(([key]) => key !== 'etag')
    return { status: answer.status, headers, text: answer.text.replaceAll(name, '<name>') }
  }

  test.each(PAIRS)('%s', async (hidden, unknown) => {
    for (const position of POSITIONS) {
      const known = await likeness(`/api/dossiers${position(hidden)}`, hidden)
      expect(known, position(hidden)).toEqual(await likeness(`/api/dossiers${position(unknown)}`, unknown))
    }
  })

  test('in a search no guess is told from another', async () => {
    const guesses = [CANARY, CANARY.slice(0, 3), `open ${CANARY}`, 'nothing-at-all']
    const answers = await Promise.all(
      guesses.map((guess) => likeness(`/api/dossiers?q=${encodeURIComponent(guess)}`, guess)),
    )
    for (const answer of answers) expect(answer).toEqual(answers[0])
  })

  test('the entry has the same members as if the field were not there', async () => {
    const { text } = await ask(service, '/api/dossiers/open')
    expect(Object.keys(JSON.parse(text))).toEqual(['id', 'title', 'slug', 'status', 'frozen', 'createdAt', 'updatedAt'])
  })
})
