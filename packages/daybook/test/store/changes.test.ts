import { describe, expect, test } from 'vitest'
import { kitchen } from '../support/configs/configs.ts'
import { eventually } from '../support/patience.ts'
import { STORES } from '../support/stores/stores.ts'

describe.each(STORES)('who follows the changes of a store on $name', (store) => {
  test('hears of each that is stored, by rising numbers, until they no longer want to', async () => {
    await using service = await store.open(kitchen)
    const heard: number[] = []
    const end = service.onChange((seq) => heard.push(seq))
    await service.content.create('things', { title: 'one' })
    await service.content.create('things', { title: 'two' })
    await eventually(() => expect(heard.at(-1)).toBe(2))
    expect(heard).toEqual([...heard].sort((a, b) => a - b))
    end()
    await service.content.create('things', { title: 'three' })
    expect(heard.at(-1)).toBe(2)
  })

  test('hears of nothing when a write is refused', async () => {
    await using service = await store.open(kitchen)
    const heard: number[] = []
    service.onChange((seq) => heard.push(seq))
    await expect(service.content.create('things', {})).rejects.toThrow()
    await service.content.create('things', { title: 'one' })
    await eventually(() => expect(heard).toEqual([1]))
  })

  test('hears of no number that a refused write had beside one that was stored', async () => {
    await using service = await store.open(kitchen)
    const heard: number[] = []
    service.onChange((seq) => heard.push(seq))
    const twins = ['one', 'two'].map((title) => service.content.create('things', { title, code: 'AB1' }))
    const outcomes = (await Promise.allSettled(twins)).map(({ status }) => status)
    expect(outcomes.toSorted()).toEqual(['fulfilled', 'rejected'])
    await eventually(() => expect(heard).toEqual([1]))
    await service.content.create('things', { title: 'three' })
    await eventually(() => expect(heard).toEqual([1, 2]))
  })
})
