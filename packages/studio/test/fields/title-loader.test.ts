import { expect, test } from 'vitest'
import { TitleLoader } from '../../src/app/editor/fields/relations/relation-targets.ts'
import type { StudioCollection } from '../../src/app/model/studio-model.ts'

const people = { key: 'people', titleField: 'name', statusField: null, maxLimit: 3 } as unknown as StudioCollection
const towns = { ...people, key: 'towns' }

test('titles of one moment take one request for each collection, of at most a page each', async () => {
  const asked: (readonly [string, readonly string[]])[] = []
  const loader = new TitleLoader(async ({ key }, ids) => {
    asked.push([key, ids])
    return ids.filter((id) => id !== 'gone').map((id) => ({ id, name: `Name of ${id}` }))
  })
  const ids = ['a', 'b', 'a', 'gone', 'c']
  const titles = await Promise.all([...ids.map((id) => loader.load(people, id)), loader.load(towns, 'x')])
  expect(titles.map((one) => one?.title)).toEqual([
    'Name of a',
    'Name of b',
    'Name of a',
    undefined,
    'Name of c',
    'Name of x',
  ])
  expect(asked).toEqual([
    ['people', ['a', 'b', 'gone']],
    ['people', ['c']],
    ['towns', ['x']],
  ])
})

test('what fails is told to all that wait for it, and is asked for again next time', async () => {
  let attempts = 0
  const loader = new TitleLoader(async (_, ids) => {
    attempts += 1
    if (attempts === 1) throw new Error('away')
    return ids.map((id) => ({ id, name: id }))
  })
  const first = await Promise.allSettled([loader.load(people, 'a'), loader.load(people, 'b')])
  expect(first.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await loader.load(people, 'a')).toMatchObject({ title: 'a' })
})
