import { type AfterCommitEntry, type AfterCommitGlobal, type DaybookConfig, definePlugin, f } from 'daybook'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { RecordingLog } from '../support/recording-log.ts'
import { STORES, type StoredService } from '../support/stores/stores.ts'
import { eventually } from '../support/timeouts.ts'

type CommitEvent = AfterCommitEntry<object, DaybookConfig> | AfterCommitGlobal<object, DaybookConfig>

/** Hook implementations, replaced by each test. */
let onEvent: (event: CommitEvent) => unknown
let onOtherEvent: (event: CommitEvent) => unknown

const observer = definePlugin({
  name: 'teller',
  version: '1.0.0',
  system: true,
  options: { to: 'ines' },
  hooks: {
    collections: { posts: { afterCommit: (event) => onEvent(event) as never } },
    globals: { '*': { afterCommit: (event) => onEvent(event) as never } },
  },
})
const bystander = definePlugin({
  name: 'other',
  version: '1.0.0',
  hooks: { collections: { '*': { afterCommit: async (event) => void (await onOtherEvent(event)) } } },
})

const config: DaybookConfig = {
  limits: { pluginMs: 1500 },
  collections: { posts: { fields: { title: f.text() } }, trail: { fields: { text: f.text() } } },
  globals: { site: { fields: { name: f.text() } } },
  plugins: [observer, bystander],
}

describe.each(STORES)('afterCommit on $name', (store) => {
  let service: StoredService
  let log: RecordingLog

  beforeEach(async () => {
    onEvent = () => {}
    onOtherEvent = () => {}
    log = new RecordingLog()
    service = await store.open(config, { log })
  })
  afterEach(() => service.close())

  const post = (title: string) => service.content.create('posts', { title } as never)

  test('receives each change with its actor, its time, and the document before and after', async () => {
    const events: unknown[] = []
    onEvent = ({ asSystem: _, log: _log, signal: _signal, ...event }) => void events.push(event)
    // The event names the actor; documents in the journal have no authors.
    const first = omitAuthors(await post('one'))
    const changed = await service.content.update('posts', first.id, { title: 'two' } as never)
    const second = omitAuthors(changed)
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

  test('is retried after it throws, and affects neither responses nor other plugins', async () => {
    const seen: number[] = []
    const otherEvents: number[] = []
    let failures = 2
    onEvent = async ({ seq }) => {
      seen.push(seq)
      if (failures-- > 0) throw new Error('the mail server is down')
    }
    onOtherEvent = ({ seq }) => void otherEvents.push(seq)
    await post('one')
    await post('two')
    await eventually(() => expect(otherEvents).toEqual([1, 2]))
    await eventually(() => expect(seen).toEqual([1, 1, 1, 2]))
    const lines = log.take().filter((line) => line.includes('plugin teller'))
    expect(lines).toHaveLength(2)
    expect(lines[0]).toMatch(/the mail server is down/)
  })

  test('is aborted at its timeout, and retried', async () => {
    const seen: boolean[] = []
    onEvent = ({ signal }) => {
      seen.push(signal.aborted)
      return seen.length > 1 ? undefined : new Promise((resolve) => signal.addEventListener('abort', resolve))
    }
    await post('one')
    await eventually(() => expect(seen).toEqual([false, false]))
    expect(log.take().join('\n')).toMatch(/The delivery took longer than 1500 ms/)
  })

  test('can write as the system, and other plugins receive these changes', async () => {
    const otherEvents: unknown[] = []
    onOtherEvent = (event) => void otherEvents.push('collection' in event && [event.collection, event.actor])
    onEvent = async ({ asSystem, after }) => {
      await asSystem({ reason: 'keeps a trail' }).create('trail', { text: String(after?.title) })
    }
    await post('one')
    await eventually(() =>
      expect(otherEvents).toEqual([
        ['posts', 'system'],
        ['trail', 'plugin:teller (keeps a trail)'],
      ]),
    )
  })

  test('receives nothing of a rejected write', async () => {
    const seen: unknown[] = []
    onOtherEvent = (event) => void seen.push(event.after?.title)
    await expect(
      service.content.batch([
        { op: 'create', collection: 'posts', data: { title: 'in vain' } },
        { op: 'create', collection: 'posts', data: { nope: 1 } },
      ] as never),
    ).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
    await post('stored')
    await eventually(() => expect(seen).toEqual(['stored']))
  })

  test('delays the close of the service while it runs', async () => {
    const begun = Promise.withResolvers<void>()
    const finish = Promise.withResolvers<void>()
    let isDone = false
    onEvent = async () => {
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

const omitAuthors = (entry: Readonly<Record<string, unknown>> & { readonly id: string }): typeof entry =>
  Object.fromEntries(Object.entries(entry).filter(([key]) => !/^(?:created|updated)By$/.test(key))) as typeof entry
