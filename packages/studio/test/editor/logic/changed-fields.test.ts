import type { FieldDescription } from 'daybook'
import { describe, expect, test } from 'vitest'
import { getPublishingState } from '../../../src/app/editor/actions/publishing-state.ts'
import { listChangedFields } from '../../../src/app/editor/history/versions.ts'

const field = (key: string, more: object = {}): FieldDescription =>
  ({ key, type: 'text', many: false, writable: true, generated: [], ...more }) as never

describe('the fields that differ between two versions', () => {
  const fields = [
    field('title'),
    field('tags', { many: true, of: { type: 'text' } }),
    field('seo', { type: 'group', fields: [field('title'), field('description')] }),
    field('parts', {
      type: 'blocks',
      many: true,
      blocks: [{ type: 'text', fields: [field('body', { type: 'markdown', generated: ['bodyHtml'] })] }],
    }),
    field('posts', { type: 'reverse' }),
  ]

  test('are listed one by one inside groups, with a line for each item of a list and without derived values', () => {
    const from = {
      title: 'Ink',
      tags: ['a', 'b'],
      seo: { title: 'Ink', description: null },
      parts: [{ _type: 'text', body: '*a*', bodyHtml: '<p>a</p>' }],
      posts: 1,
    }
    const to = {
      title: 'Ink',
      tags: ['a', 'c'],
      seo: { title: 'Paper' },
      parts: [{ _type: 'text', body: '*a*', bodyHtml: '<p><em>a</em></p>' }],
      posts: 2,
    }
    expect(listChangedFields(fields, from, to)).toEqual([
      { path: 'tags', from: 'a\nb', to: 'a\nc' },
      { path: 'seo.title', from: 'Ink', to: 'Paper' },
    ])
  })

  test('are all non-empty fields for the first version', () => {
    expect(listChangedFields(fields, {}, { title: 'Ink', seo: null })).toEqual([{ path: 'title', from: '', to: 'Ink' }])
  })
})

describe('the publishing state', () => {
  const collection = {
    statusField: 'status',
    fields: [field('status', { options: ['draft', 'published', 'archived'] })],
  }
  const publishing = (values: object, dirty: readonly string[] = [], locales: readonly string[] = []) =>
    getPublishingState(
      collection as never,
      { document: { collection: 'posts', id: '1' }, values, dirty: new Set(dirty) } as never,
      locales,
    )

  test('is publishable while some of the entry is not public in every language', () => {
    expect(publishing({ status: 'published' }).isPublishable).toBe(false)
    expect(publishing({ status: 'published', hasDraft: true }).isPublishable).toBe(true)
    expect(publishing({ status: 'published' }, ['title']).isPublishable).toBe(true)
    expect(publishing({ status: 'archived' })).toMatchObject({ isPublishable: true, otherStatuses: ['draft'] })
    const inGerman = { status: 'published', publishedLocales: ['de'] }
    expect(publishing(inGerman, [], ['en', 'de']).isPublishable).toBe(true)
    expect(publishing(inGerman, [], ['de']).isPublishable).toBe(false)
  })
})
