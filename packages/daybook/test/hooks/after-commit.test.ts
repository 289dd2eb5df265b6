import { type AfterCommitEntry, type AfterCommitGlobal, type DaybookConfig, definePlugin, f } from 'daybook'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { KeptLog } from '../support/kept-log.ts'
import { eventually } from '../support/patience.ts'
import { STORES, type StoredService } from '../support/stores/stores.ts'

type Told = AfterCommitEntry<object, DaybookConfig> | AfterCommitGlobal<object, DaybookConfig>

/** What the hooks of a test do. */
let told: (event: Told) => unknown
let toldOther: (event: Told) => unknown

const teller = definePlugin({
  name: 'teller',
  version: '1.0.0',
  system: true,
  options: { to: 'ines' },
  hooks: {
    collections: { posts: { afterCommit: (event) => told(event) as never } },
    globals: { '*': { afterCommit: (event) => told(event) as never } },
  },
})
const other = definePlugin({
  name: 'other',
  version: '1.0.0',
  hooks: { collections: { '*': { afterCommit: async (event) => void (await toldOther(event)) } } },
})

const config: DaybookConfig = {
  limits: { pluginMs: 1500 },
  collections: { posts: { fields: { title: f.text() } }, trail: { fields: { text: f.text() } } },
  globals: { site: { fields: { name: f.text() } } },
  plugins: [teller, other],
}

describe.each(STORES)('afterCommit on $name', (store) => {
  let service: StoredService
  let log: KeptLog

  beforeEach(async () => {
    told = () => {}
    toldOther = () => {}
    log = new KeptLog()
    service = await store.open(config, { log })
  })
  afterEach(() => service.close())

  const post = (title: string) => service.content.create('posts', { title } as never)

  test('is told of each change, by whom and when, with the document before and after', async () => {
    const events: unknown[] = []
    told = ({ asSystem: _, log: _log, signal: _signal, ...event }) => void events.push(event)
    // The actor tells who it was; the journal's documents do not.
    const first = withoutPeople(await post('one'))
    const changed = await service.content.update('posts', first.id, { title: 'two' } as never)
    const second = withoutPeople(changed)
    await service.content.delete('posts', first.id)
    await service.content.writeGlobal('site' as never, { name: 'N' } as never)
    const about = { options: { to: 'ines' }, actor: 'system', at: expect.any(String) }
    await eventually(() =>
      expect(events).toEqual([
        { ...about, action: 'create', collection: 'posts', id: first.id, seq: 1, before: null, after: first },
        { ...about, action: 'update', collection: 'posts', id: first.id, seq: 2, before: first, after: second },
        { ...about, action: 'delete', collection: 'posts', id: first.id, seq: 3, before: second, after: null },
        { ...about, action: 'update', global: 'site', seq: 4, before: null, after: { key: 'site', name: 'N' } },
      ]),
    )
  })

  test('changes no answer and no other plugin, whatever it does, and is told again', async () => {
    const seen: number[] = []
    const others: number[] = []
    let failures = 2
    told = async ({ seq }) => {
      seen.push(seq)
      if (failures-- > 0) throw new Error('the mail server is down')
    }
    toldOther = ({ seq }) => void others.push(seq)
    await post('one')
    await post('two')
    await eventually(() => expect(others).toEqual([1, 2]))
    await eventually(() => expect(seen).toEqual([1, 1, 1, 2]))
    const lines = log.take().filter((line) => line.includes('plugin teller'))
    expect(lines).toHaveLength(2)
    expect(lines[0]).toMatch(/the mail server is down/)
  })

  test('that hangs is given up after its time, and told again', async () => {
    const seen: boolean[] = []
    told = ({ signal }) => {
      seen.push(signal.aborted)
      return seen.length > 1 ? undefined : new Promise((resolve) => signal.addEventListener('abort', resolve))
    }
    await post('one')
    await eventually(() => expect(seen).toEqual([false, false]))
    expect(log.take().join('\n')).toMatch(/It took longer than 1500 ms/)
  })

  test('writes as the system, in changes of its own, which other plugins are told of', async () => {
    const others: unknown[] = []
    toldOther = (event) => void others.push('collection' in event && [event.collection, event.actor])
    told = async ({ asSystem, after }) => {
      await asSystem({ reason: 'keeps a trail' }).create('trail', { text: String(after?.title) })
    }
    await post('one')
    await eventually(() =>
      expect(others).toEqual([
        ['posts', 'system'],
        ['trail', 'plugin:teller (keeps a trail)'],
      ]),
    )
  })

  test('is told of nothing that was refused', async () => {
    const seen: unknown[] = []
    toldOther = (event) => void seen.push(event.after?.title)
    await expect(
      service.content.batch([
        { op: 'create', collection: 'posts', data: { title: 'in vain' } },
        { op: 'create', collection: 'posts', data: { nope: 1 } },
      ] as never),
    ).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
    await post('stored')
    await eventually(() => expect(seen).toEqual(['stored']))
  })

  test('that still runs when the service closes is waited for', async () => {
    const begun = Promise.withResolvers<void>()
    const finish = Promise.withResolvers<void>()
    let isDone = false
    told = async () => {
      begun.resolve()
      await finish.promise
      isDone = true
    }
    await post('one')
    await begun.promise
    const closed = service.close()
    finish.resolve()
    await closed
    expect(isDone).toBe(true)
  })
})

const withoutPeople = (entry: Readonly<Record<string, unknown>> & { readonly id: string }): typeof entry =>
  Object.fromEntries(Object.entries(entry).filter(([key]) => !/^(?:created|updated)By$/.test(key))) as typeof entry
