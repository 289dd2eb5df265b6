import { expect, test } from 'vitest'
import { ActorNameLoader } from '../../src/app/api/actor-name-loader.ts'

test('names of one moment take one request, of at most a hundred each', async () => {
  const asked: (readonly string[])[] = []
  const loader = new ActorNameLoader(async (subjects) => {
    asked.push(subjects)
    return subjects.filter((one) => one !== 'gone').map((subject) => ({ subject, name: `Name of ${subject}` }))
  })
  const names = await Promise.all(['mia', 'ann', 'mia', 'gone'].map((one) => loader.load(one)))
  expect(names).toEqual(['Name of mia', 'Name of ann', 'Name of mia', null])
  expect(asked).toEqual([['mia', 'ann', 'gone']])
  await Promise.all(Array.from({ length: 101 }, (_, at) => loader.load(`person ${at}`)))
  expect(asked.slice(1).map(({ length }) => length)).toEqual([100, 1])
})

test('what fails is told to all that wait for it, and is asked for again next time', async () => {
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
