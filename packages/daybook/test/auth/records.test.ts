import { describe, expect, test } from 'vitest'
import { sweep } from '../../src/content/sweep.ts'
import { Lease } from '../../src/store/records/lease.ts'
import { useBlankStore } from '../support/stores/blank-store.ts'
import { STORES } from '../support/stores/stores.ts'

const HOUR = 3_600_000

describe.each(STORES)('records of adapters on $name', ({ at }) => {
  const blank = useBlankStore(at)

  test('are found by id and by current keys, not by former ones', async () => {
    const { records } = blank().store
    const put = (name: string) =>
      records.transaction((writer) => writer.put('thing', { id: 'a', name }, { keys: { name }, unique: ['name'] }))
    await put('one')
    await put('other')
    expect(await records.get('thing', 'a')).toEqual({ id: 'a', name: 'other' })
    expect(await records.find('thing', 'name', 'other')).toEqual([{ id: 'a', name: 'other' }])
    expect(await records.find('thing', 'name', 'one')).toEqual([])
    expect(await records.get('another kind', 'a')).toBeUndefined()
    expect(await records.find('another kind', 'name', 'other')).toEqual([])
  })

  test('are stored by a transaction as a whole or not at all', async () => {
    const { store } = blank()
    const broken = store.records.transaction(async (writer) => {
      await writer.put('thing', { id: 'a' })
      throw new Error('oops')
    })
    await expect(broken).rejects.toThrow('oops')
    expect(await store.records.list('thing')).toEqual([])
  })

  test('are deleted with their keys a day after they expire', async () => {
    const { place, store } = blank()
    const until = (hours: number) => ({ keys: { name: 'x' }, until: Date.now() + hours * HOUR })
    await store.records.transaction(async (writer) => {
      await writer.put('thing', { id: 'long over' }, until(-25))
      await writer.put('thing', { id: 'just over' }, until(-1))
      await writer.put('thing', { id: 'still good' }, until(1))
      await writer.put('thing', { id: 'for good' }, { keys: { name: 'x' } })
    })
    expect(await sweep(new Lease(store, 'sweep', 60_000))).toBe(true)
    const left = (await store.records.list('thing')).map(({ id }) => id)
    expect(left).toEqual(['for good', 'just over', 'still good'])
    expect(await place.rows('SELECT id FROM daybook$record_keys ORDER BY id')).toEqual(left.map((id) => ({ id })))
  })
})
