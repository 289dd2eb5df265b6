import { expect, test } from 'vitest'
import { TitleLoader } from '../../src/app/editor/fields/relations/relation-targets.ts'
import type { StudioCollection } from '../../src/app/model/studio-model.ts'

const people = { key: 'people', titleField: 'name', statusField: null, maxLimit: 3 } as unknown as StudioCollection
const towns = { ...people, key: 'towns' }

test('titles requested together take one request per collection, split into pages', async () => {
  const requests: (readonly [string, readonly string[]])[] = []
  const loader = new TitleLoader(async ({ key }, ids) => {
    requests.push([key, ids])
    return ids.filter((id) => id !== 'gone').map((id) => ({ id, name: `Name of ${id}` }))
  })
  const ids = ['a', 'b', 'a', 'gone', 'c']
  const titles = await Promise.all([...ids.map((id) => loader.load(people, id)), loader.load(towns, 'x')])
  expect(titles.map((target) => target?.title)).toEqual([
    'Name of a',
    'Name of b',
    'Name of a',
    undefined,
    'Name of c',
    'Name of x',
  ])
  expect(requests).toEqual([
    ['people', ['a', 'b', 'gone']],
    ['people', ['c']],
    ['towns', ['x']],
  ])
})

test('a failure rejects all waiting loads, and the next load retries', async () => {
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
