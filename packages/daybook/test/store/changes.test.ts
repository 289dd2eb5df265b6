import { SYSTEM } from 'daybook'
import { describe, expect, test } from 'vitest'
import { kitchen } from '../support/configs/configs.ts'
import { eventually } from '../support/patience.ts'
import { STORES } from '../support/stores/stores.ts'

const AS_SYSTEM = { caller: SYSTEM } as const

describe.each(STORES)('who follows the changes of a store on $name', (store) => {
  test('hears of each that is stored, by rising numbers, until they no longer want to', async () => {
    await using service = await store.open(kitchen)
    const heard: number[] = []
    const end = service.onChange((seq) => heard.push(seq))
    await service.content.create('things', { title: 'one' }, AS_SYSTEM)
    await service.content.create('things', { title: 'two' }, AS_SYSTEM)
    await eventually(() => expect(heard.at(-1)).toBe(2))
    expect(heard).toEqual([...heard].sort((a, b) => a - b))
    end()
    await service.content.create('things', { title: 'three' }, AS_SYSTEM)
    expect(heard.at(-1)).toBe(2)
  })

  test('hears of nothing when a write is refused', async () => {
    await using service = await store.open(kitchen)
    const heard: number[] = []
    service.onChange((seq) => heard.push(seq))
    await expect(service.content.create('things', {}, AS_SYSTEM)).rejects.toThrow()
    await service.content.create('things', { title: 'one' }, AS_SYSTEM)
    await eventually(() => expect(heard).toEqual([1]))
  })

  test('hears of no number that a refused write had beside one that was stored', async () => {
    await using service = await store.open(kitchen)
    const heard: number[] = []
    service.onChange((seq) => heard.push(seq))
    const twins = ['one', 'two'].map((title) => service.content.create('things', { title, code: 'AB1' }, AS_SYSTEM))
    const outcomes = (await Promise.allSettled(twins)).map(({ status }) => status)
    expect(outcomes.toSorted()).toEqual(['fulfilled', 'rejected'])
    await eventually(() => expect(heard).toEqual([1]))
    await service.content.create('things', { title: 'three' }, AS_SYSTEM)
    await eventually(() => expect(heard).toEqual([1, 2]))
  })
})
