import { expect, test } from 'vitest'
import { ActorNameLoader } from '../../src/app/api/actor-name-loader.ts'

test('subjects loaded at the same time share requests of at most 100 subjects', async () => {
  const requests: (readonly string[])[] = []
  const loader = new ActorNameLoader(async (subjects) => {
    requests.push(subjects)
    return subjects.filter((subject) => subject !== 'gone').map((subject) => ({ subject, name: `Name of ${subject}` }))
  })
  const names = await Promise.all(['mia', 'ann', 'mia', 'gone'].map((subject) => loader.load(subject)))
  expect(names).toEqual(['Name of mia', 'Name of ann', 'Name of mia', null])
  expect(requests).toEqual([['mia', 'ann', 'gone']])
  await Promise.all(Array.from({ length: 101 }, (_, index) => loader.load(`person ${index}`)))
  expect(requests.slice(1).map(({ length }) => length)).toEqual([100, 1])
})

test('a failed request rejects every waiting load, and the next load tries again', async () => {
  let attempts = 0
  const loader = new ActorNameLoader(async (subjects) => {
    attempts += 1
    if (attempts === 1) throw new Error('away')
    return subjects.map((subject) => ({ subject, name: subject }))
  })
  const first = await Promise.allSettled([loader.load('mia'), loader.load('ann')])
  expect(first.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await loader.load('mia')).toBe('mia')
})
