import { ANONYMOUS, type Caller, type DaybookError, SYSTEM } from 'daybook'
import { createTestService } from 'daybook/testing'
import { expect, onTestFinished, test } from 'vitest'
import config from '../daybook.config.ts'

const sessionOf = (subject: string, role: string): Caller => ({
  principal: { id: subject },
  identity: {
    provider: 'test',
    subject,
    sessionId: subject,
    actorType: 'human',
    expiresAt: null,
    claims: {},
    roles: [role],
  },
})

const INES = sessionOf('ines', 'contributor')
const TOMASZ = sessionOf('tomasz', 'contributor')
const ADA = sessionOf('ada', 'editor')

async function magazine() {
  const service = await createTestService(config)
  onTestFinished(() => service.close())
  const { content } = service
  const { items } = await content.as(ANONYMOUS).list('sections', { select: ['name'] })
  return {
    content,
    section: items[0]?.id ?? '',
    as: (caller: Caller) => content.as(caller),
  }
}

/** The code of a refusal and its issues; nothing, if the write was let through. */
const refusalOf = (write: Promise<unknown>): Promise<readonly string[]> =>
  write.then(
    () => [],
    ({ code, details }: DaybookError) => [code, ...(details.issues ?? []).map(({ message }) => message)],
  )

test('a contributor hands in drafts, and nothing else', async () => {
  const { as, section } = await magazine()
  const draft = await as(INES).create('articles', { title: 'Ink' })
  expect(draft).toMatchObject({ status: 'draft', createdBy: 'ines', minutes: 1 })
  const pens = { title: 'Pens', section, publishedOn: '2026-11-20', status: 'published' } as const
  const published = await refusalOf(as(INES).create('articles', pens))
  expect(published).toEqual(['FORBIDDEN', 'status must be draft.'])
})

test('contributors see what is published, and their own', async () => {
  const { as, content } = await magazine()
  await as(INES).create('articles', { title: 'Ink' })
  const totals = await Promise.all([INES, TOMASZ, ADA].map(async (caller) => (await as(caller).list('articles')).total))
  expect(totals).toEqual([3, 2, 4])
  expect((await content.as(ANONYMOUS).list('articles')).total).toBe(2)
})

test('contributors change their own drafts, until an editor publishes them', async () => {
  const { as, section } = await magazine()
  const { id } = await as(INES).create('articles', { title: 'Ink' })
  expect(await refusalOf(as(TOMASZ).update('articles', id, { title: 'Mine' }))).toEqual(['NOT_FOUND'])
  await as(INES).update('articles', id, { title: 'Ink, again' })
  const { createdBy, updatedBy } = await as(ADA).update('articles', id, {
    status: 'published',
    section,
    publishedOn: '2026-11-20',
  })
  expect([createdBy, updatedBy]).toEqual(['ines', 'ada'])
  expect((await refusalOf(as(INES).update('articles', id, { title: 'Too late' })))[0]).toBe('FORBIDDEN')
})

test('what is published has a section and a date', async () => {
  const { as } = await magazine()
  expect(await refusalOf(as(ADA).create('articles', { title: 'Ink', status: 'published' }))).toEqual([
    'VALIDATION_ERROR',
    'section is needed to publish.',
    'publishedOn is needed to publish.',
  ])
})

test('only editors know of the note', async () => {
  const { as } = await magazine()
  const { id } = await as(ADA).create('articles', { title: 'Ink', note: 'Ask the lawyer.' })
  expect(await as(ADA).get('articles', id)).toHaveProperty('note', 'Ask the lawyer.')
  expect((await refusalOf(as(INES).create('articles', { title: 'Pens', note: 'Mine' })))[0]).toBe('VALIDATION_ERROR')
})

test('an event ends after it has begun', async () => {
  const { as } = await magazine()
  const times = { startsAt: '2026-12-01T20:00:00Z', endsAt: '2026-12-01T19:00:00Z' }
  const event = await refusalOf(as(ADA).create('events', { title: 'Reading', place: 'Here', price: 0, ...times }))
  expect(event).toEqual(['VALIDATION_ERROR', 'endsAt must be after startsAt.'])
})

test('contributors write nothing but articles', async () => {
  const { as } = await magazine()
  expect((await refusalOf(as(INES).create('sections', { name: 'Mine' })))[0]).toBe('FORBIDDEN')
  expect(await as(SYSTEM).list('sections')).toHaveProperty('total', 2)
})

test('an editor publishes all drafts of a section at once; a contributor cannot', async () => {
  const { as, section } = await magazine()
  for (const title of ['Ink', 'Pens']) await as(INES).create('articles', { title, section, publishedOn: '2026-11-20' })
  const drafts = { status: { eq: 'draft' }, section: { eq: section }, publishedOn: { exists: true } } as const
  const publish = (caller: Caller) => as(caller).updateMany('articles', drafts, { status: 'published' })
  expect((await refusalOf(publish(INES)))[0]).toBe('FORBIDDEN')
  expect(await publish(ADA)).toEqual({ collection: 'articles', matched: 2, changed: 2 })
  expect(await publish(ADA)).toMatchObject({ matched: 0 })
})

test('an article says when it was handed in', async () => {
  const { as } = await magazine()
  const { receivedOn, createdAt } = await as(INES).create('articles', { title: 'Ink' })
  expect(receivedOn).toBe(createdAt.slice(0, 10))
})
