import { type AuthAdapter, defineCollection, defineConfig, f, hasRole } from 'daybook'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ApiTokens } from '../../../src/auth/api-tokens.ts'
import { People } from '../../support/auth/people.ts'
import { RecordingLog } from '../../support/recording-log.ts'
import { POLICY_STORES, type StoredService } from '../../support/stores/stores.ts'
import { eventually } from '../../support/timeouts.ts'
import { Editor } from './editor.ts'

const people = new People({})
const isEditor = hasRole('editor', 'service')

const configOf = (auth: AuthAdapter) =>
  defineConfig({
    auth,
    collections: {
      posts: defineCollection({
        fields: {
          title: f.text({ required: true }),
          slug: f.slug({ from: 'title' }),
          status: f.status({ default: 'draft' }),
          author: f.relation('authors'),
        },
        access: {
          create: isEditor,
          delete: isEditor,
          update: (request) =>
            isEditor(request) || (request.identity !== null && { createdBy: { eq: request.identity.subject } }),
        },
      }),
      authors: defineCollection({
        fields: { name: f.text(), status: f.status() },
        access: { update: hasRole('chief', 'service') },
      }),
    },
  })
const config = configOf(people.adapter)

/** Events that end Ann's right to update entries of other authors. */
const ENDS: readonly (readonly [string, () => void])[] = [
  ['is demoted', () => people.promote('ann')],
  ['is banned or removed', () => people.ban('ann')],
]

describe.each(POLICY_STORES)('the rights of authors on $name', (store) => {
  let service: StoredService
  let editor: Editor
  let log: RecordingLog
  beforeEach(async () => {
    people.promote('ann', 'editor')
    people.promote('bea', 'editor')
    people.promote('cid', 'chief')
    log = new RecordingLog()
    service = await store.open(config, { log })
    editor = new Editor(service)
  })
  afterEach(() => service.close())

  const post = async (as: string): Promise<string> =>
    (await editor.post('/api/posts', { title: 'Hello' }, { as })).body.id
  const previewBy = async (as: string, id: string): Promise<string> =>
    String((await editor.post(`/api/posts/${id}/preview`, {}, { as })).body.token)
  const shown = async (id: string, token: string) => {
    const { status, body } = await editor.get(`/api/posts/${id}?preview=${token}`, null)
    return status === 200 ? body.title : status
  }

  describe('a preview', () => {
    test.each(ENDS)(
      'stops working when its author %s, and works again once she may update the entry',
      async (_name, end) => {
        const unpublished = await post('bea')
        const published = await post('bea')
        await editor.post(`/api/posts/${published}/publish`)
        await editor.put(`/api/posts/${published}?draft=true`, { title: 'Changed' })
        const tokens = [await previewBy('ann', unpublished), await previewBy('ann', published)] as const
        expect([await shown(unpublished, tokens[0]), await shown(published, tokens[1])]).toEqual(['Hello', 'Changed'])
        end()
        expect([await shown(unpublished, tokens[0]), await shown(published, tokens[1])]).toEqual([404, 'Hello'])
        people.promote('ann', 'editor')
        expect([await shown(unpublished, tokens[0]), await shown(published, tokens[1])]).toEqual(['Hello', 'Changed'])
      },
    )

    test("of its author's entry still works when she is demoted, since she may still update it", async () => {
      const id = await post('ann')
      const token = await previewBy('ann', id)
      people.promote('ann')
      expect(await shown(id, token)).toBe('Hello')
      people.ban('ann')
      expect(await shown(id, token)).toBe(404)
    })

    test('includes the drafts that its author may update, and other entries as they are published', async () => {
      const author = (await editor.post('/api/authors', { name: 'Published' })).body.id
      await editor.put(`/api/authors/${author}?draft=true`, { name: 'Draft' }, { as: 'cid' })
      const hidden = (await editor.post('/api/authors', { name: 'Hidden', status: 'draft' })).body.id
      people.promote('cid', 'chief', 'editor')
      for (const [entry, byAnn, byCid] of [
        [author, { name: 'Published' }, { name: 'Draft' }],
        [hidden, null, { name: 'Hidden' }],
      ] as const) {
        const { id } = (await editor.post('/api/posts', { title: 'Hello', author: entry }, { as: 'cid' })).body
        for (const [as, expected] of [
          ['ann', byAnn],
          ['cid', byCid],
        ] as const) {
          const path = `/api/posts/${id}?include=author&select=author.name&preview=${await previewBy(as, id)}`
          const { body } = await editor.get(path, null)
          if (expected === null) expect(body.author).toBeNull()
          else expect(body.author, as).toMatchObject(expected)
        }
      }
    })
  })

  describe('a schedule', () => {
    const soon = (): string => new Date(Date.now() + 300).toISOString()
    const actions = async (): Promise<readonly unknown[]> =>
      (await service.rows('SELECT action FROM daybook$journal ORDER BY seq')).map(({ action }) => action)

    test.each(ENDS)('fails when its author %s, which the journal and the log record', async (_name, end) => {
      const id = await post('bea')
      await editor.post(`/api/posts/${id}/publish`, { publishAt: soon() })
      end()
      await eventually(async () => expect(await actions()).toContain('scheduleFailed'))
      expect(await actions()).not.toContain('publish')
      expect((await editor.get(`/api/posts/${id}`, null)).status).toBe(404)
      expect(log.take().some((line) => line.startsWith('error'))).toBe(true)
      expect((await editor.get('/api/cms/schedules', 'bea')).body.items).toMatchObject([{ id, actor: 'ann' }])
    })

    test('runs with the rights of the caller who set it last', async () => {
      const id = await post('bea')
      const later = new Date(Date.now() + 60_000).toISOString()
      await editor.post(`/api/posts/${id}/publish`, { publishAt: later })
      await editor.post(`/api/posts/${id}/publish`, { publishAt: soon() }, { as: 'bea' })
      people.ban('ann')
      await eventually(async () => expect((await editor.get(`/api/posts/${id}`, null)).status).toBe(200))
    })

    test('runs while its author still has the right', async () => {
      const id = await post('ann')
      await editor.post(`/api/posts/${id}/publish`, { publishAt: soon() })
      people.promote('ann')
      await eventually(async () => expect((await editor.get(`/api/posts/${id}`, null)).status).toBe(200))
    })
  })

  test('previews of a revoked token stop working', async () => {
    await using place = await store.at()
    const scopedService = await place.open(config)
    try {
      const records = await place.store()
      const tokens = new ApiTokens(records.records)
      const { token, id: tokenId } = await tokens.create({
        name: 'site',
        scopes: ['posts:*'],
        roles: ['editor'],
        expiresAt: null,
      })
      const sendRequest = async (method: string, path: string, as: string | null, json?: object) => {
        const headers = {
          'Content-Type': 'application/json',
          ...(as === null ? {} : { Authorization: `Bearer ${as}` }),
        }
        const body = json === undefined ? {} : { body: JSON.stringify(json) }
        const response = await scopedService.fetch(
          new Request(`http://cms.example${path}`, { method, headers, ...body }),
        )
        return {
          status: response.status,
          body: (await response.json()) as { readonly id: string; readonly token?: string },
        }
      }
      const { id } = (await sendRequest('POST', '/api/posts', 'bea', { title: 'Hello' })).body
      const preview = (await sendRequest('POST', `/api/posts/${id}/preview`, token, {})).body.token
      expect((await sendRequest('GET', `/api/posts/${id}?preview=${preview}`, null)).status).toBe(200)
      await tokens.revokeById(tokenId)
      expect((await sendRequest('GET', `/api/posts/${id}?preview=${preview}`, null)).status).toBe(404)
      await records.close()
    } finally {
      await scopedService.close()
    }
  })

  test('previews keep the rights of their creation if the adapter cannot look up callers', async () => {
    const { getCaller: _none, ...adapter } = people.adapter
    const serviceWithoutLookup = await store.open(configOf(adapter))
    try {
      const lookupEditor = new Editor(serviceWithoutLookup)
      const { id } = (await lookupEditor.post('/api/posts', { title: 'Hello' })).body
      const { token } = (await lookupEditor.post(`/api/posts/${id}/preview`)).body
      people.ban('ann')
      expect((await lookupEditor.get(`/api/posts/${id}?preview=${token}`, null)).body).toMatchObject({ title: 'Hello' })
    } finally {
      await serviceWithoutLookup.close()
    }
  })
})
