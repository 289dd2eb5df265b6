import { describe, expect, test } from 'vitest'
import { kitchen } from '../support/configs/configs.ts'
import { STORES } from '../support/stores/stores.ts'
import { eventually } from '../support/timeouts.ts'

describe.each(STORES)('a listener to the changes of a store on $name', (store) => {
  test('receives the number of each stored change, in ascending order, until it unsubscribes', async () => {
    await using service = await store.open(kitchen)
    const numbers: number[] = []
    const unsubscribe = service.onChange((seq) => numbers.push(seq))
    await service.content.create('things', { title: 'one' })
    await service.content.create('things', { title: 'two' })
    await eventually(() => expect(numbers.at(-1)).toBe(2))
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b))
    unsubscribe()
    await service.content.create('things', { title: 'three' })
    expect(numbers.at(-1)).toBe(2)
  })

  test('receives nothing for a rejected write', async () => {
    await using service = await store.open(kitchen)
    const numbers: number[] = []
    service.onChange((seq) => numbers.push(seq))
    await expect(service.content.create('things', {})).rejects.toThrow()
    await service.content.create('things', { title: 'one' })
    await eventually(() => expect(numbers).toEqual([1]))
  })

  test('receives no number of a rejected write that shared a commit with a stored one', async () => {
    await using service = await store.open(kitchen)
    const numbers: number[] = []
    service.onChange((seq) => numbers.push(seq))
    const twins = ['one', 'two'].map((title) => service.content.create('things', { title, code: 'AB1' }))
    const outcomes = (await Promise.allSettled(twins)).map(({ status }) => status)
    expect(outcomes.toSorted()).toEqual(['fulfilled', 'rejected'])
    await eventually(() => expect(numbers).toEqual([1]))
    await service.content.create('things', { title: 'three' })
    await eventually(() => expect(numbers).toEqual([1, 2]))
  })
})
