import { defineCollection, defineConfig, f } from 'daybook'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { People } from '../../support/auth/people.ts'
import { POLICY_STORES, type StoredService } from '../../support/stores/stores.ts'
import { eventually } from '../../support/timeouts.ts'
import { Editor } from './editor.ts'

const people = new People({ ann: [] })
const calls: (readonly [string, unknown])[] = []
/** Runs once, in the next `beforeValidate` hook. */
let onValidate: (() => Promise<unknown>) | undefined

const config = defineConfig({
  auth: people.adapter,
  locales: { available: ['en', 'de'], default: 'en' },
  collections: {
    posts: defineCollection({
      fields: {
        title: f.text({
          required: true,
          localized: true,
          validate: (value) => (value === 'rude' ? 'must be polite' : undefined),
        }),
        slug: f.slug({ from: 'title' }),
        status: f.status(),
        summary: f.text(),
        words: f.number(),
      },
      validate: ({ title, summary }) =>
        title === summary ? { path: '/summary', message: 'says nothing new' } : undefined,
      hooks: {
        beforeValidate: async ({ data }) => {
          calls.push(['beforeValidate', data.title])
          const run = onValidate
          onValidate = undefined
          await run?.()
          return typeof data.summary === 'string' ? { ...data, summary: data.summary.trim() } : undefined
        },
        beforeChange: ({ action, before, after }) => {
          calls.push([`beforeChange ${action}`, [before?.title, after?.title]])
          return { words: String(after?.title ?? '').split(' ').length }
        },
        afterCommit: ({ action, before, after }) =>
          void calls.push([`afterCommit ${action}`, [before?.title, after?.title]]),
      },
    }),
  },
})

describe.each(POLICY_STORES)('hooks and validators of drafts on $name', (store) => {
  let service: StoredService
  let editor: Editor
  let id: string
  beforeEach(async () => {
    service = await store.open(config)
    editor = new Editor(service)
    id = (await editor.post('/api/posts', { title: 'One' })).body.id
    await eventually(async () => expect(calls.at(-1)?.[0]).toBe('afterCommit create'))
    calls.length = 0
  })
  afterEach(async () => {
    await service.close()
  })

  test('a save runs none of them', async () => {
    const { status, body } = await editor.put(`/api/posts/${id}?draft=true`, { title: 'rude', summary: 'rude' })
    expect({ status, words: body.words }).toEqual({ status: 200, words: 1 })
    await editor.delete(`/api/posts/${id}?draft=true`)
    expect(calls).toEqual([])
  })

  test('an update keeps a draft that is saved while the hooks run', async () => {
    onValidate = () => editor.put(`/api/posts/${id}?draft=true`, { summary: 'A draft' })
    expect((await editor.put(`/api/posts/${id}`, { title: 'Two' })).body).toMatchObject({ title: 'Two', summary: null })
    expect((await editor.get(`/api/posts/${id}?draft=true`)).body).toMatchObject({ title: 'Two', summary: 'A draft' })
  })

  test('publishing runs all of them, and publishes their changes', async () => {
    await editor.put(`/api/posts/${id}?draft=true`, { title: 'One two', summary: ' short ' })
    await editor.put(`/api/posts/${id}?draft=true&locale=de`, { title: 'Eins zwei drei' })
    const { body } = await editor.post(`/api/posts/${id}/publish`)
    expect(body).toMatchObject({ title: 'One two', summary: 'short', words: 2 })
    expect((await editor.get(`/api/posts/${id}?locale=de`, null)).body).toMatchObject({
      title: 'Eins zwei drei',
      words: 2,
    })
    expect(calls.slice(0, 2)).toEqual([
      ['beforeValidate', 'One two'],
      ['beforeChange update', ['One', 'One two']],
    ])
    await eventually(async () => expect(calls.at(-1)).toEqual(['afterCommit update', ['One', 'One two']]))
    expect(calls).toHaveLength(3)
  })

  test('publishing is rejected by a validator, and the draft stays', async () => {
    for (const [data, path] of [
      [{ title: 'rude' }, '/title'],
      [{ title: 'same', summary: 'same' }, '/summary'],
    ] as const) {
      await editor.put(`/api/posts/${id}?draft=true`, data)
      const refused = await editor.post(`/api/posts/${id}/publish`)
      expect({ status: refused.status, path: refused.body.details?.issues?.[0]?.path }).toEqual({ status: 400, path })
      expect((await editor.get(`/api/posts/${id}?draft=true`)).body).toMatchObject({ ...data, hasDraft: true })
    }
    expect((await editor.get(`/api/posts/${id}`, null)).body).toMatchObject({ title: 'One' })
  })
})
