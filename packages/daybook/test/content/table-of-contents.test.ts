import { type DaybookConfig, f, hasRole, type TocEntry } from 'daybook'
import { createTestService, type TestService } from 'daybook/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { parseBody, sendRequest } from '../support/scenarios/client.ts'
import { create, type Place, read, update } from '../support/stores/place.ts'
import { POLICY_STORES } from '../support/stores/stores.ts'

const LOCALES = { default: 'en', available: ['en', 'de'] }
const localized = true
const title = f.text({ localized })

/** Returns a config with Markdown fields in every possible place, with or without tables of contents. */
const withTexts = (toc: boolean): DaybookConfig => ({
  collections: {
    posts: {
      fields: {
        title,
        body: f.markdown({ toc, localized }),
        plain: f.markdown({ toc }),
        seo: f.group({ text: f.markdown({ toc }) }),
        parts: f.blocks({ prose: { text: f.markdown({ toc, localized }) } }),
        pages: f.blocks({ prose: { text: f.markdown({ toc }) } }, { localized }),
        status: f.status(),
      },
    },
  },
  locales: LOCALES,
})

const textsOf = (heading: string, key = 'a'): object => ({
  title: heading,
  body: `# ${heading} body`,
  plain: `# ${heading} plain`,
  seo: { text: `# ${heading} seo` },
  parts: [{ _key: key, _type: 'prose', text: `# ${heading} part` }],
  pages: [{ _type: 'prose', text: `# ${heading} page` }],
})

const tocOf = (text: string): readonly TocEntry[] => [{ id: text.toLowerCase().replaceAll(' ', '-'), text, level: 1 }]

/** Returns the tables of contents of {@link textsOf}. */
const tocsOf = (heading: string, shared = heading): object => ({
  bodyToc: tocOf(`${heading} body`),
  plainToc: tocOf(`${shared} plain`),
  seo: { textToc: tocOf(`${shared} seo`) },
  parts: [{ textToc: tocOf(`${heading} part`) }],
  pages: [{ textToc: tocOf(`${heading} page`) }],
})

let place: Place

describe.each(POLICY_STORES)('a table of contents on $name', (store) => {
  beforeEach(async () => {
    place = await store.at()
    return () => place[Symbol.asyncDispose]()
  })

  test('exists for documents older than the option, in every locale and draft, and after writes of other fields', async () => {
    const id = await place.serve(withTexts(false), async (service) => {
      const post = await create(service, 'posts', { ...textsOf('One'), status: 'published' })
      await service.content.update('posts', post.id, textsOf('Eins') as never, { locale: 'de' })
      await service.content.saveDraft('posts', post.id, textsOf('Draft') as never)
      return post.id
    })
    await place.serve(withTexts(true), async ({ content }) => {
      const inLocale = (locale: string): Promise<unknown> => content.get('posts', id, { locale })
      const expectTocs = async (): Promise<void> => {
        expect(await inLocale('en')).toMatchObject(tocsOf('One', 'Eins'))
        expect(await inLocale('de')).toMatchObject(tocsOf('Eins'))
        const { items } = await content.list('posts', { locale: 'de' })
        expect(items).toEqual([await inLocale('de')])
        expect(await content.get('posts', id, { draft: true })).toMatchObject(tocsOf('Draft'))
        expect(await content.get('posts', id, { locale: 'all' })).toMatchObject({
          bodyToc: { en: tocOf('One body'), de: tocOf('Eins body') },
        })
      }
      await expectTocs()
      await content.update('posts', id, { title: 'Uno' } as never)
      await expectTocs()
    })
  })

  test('matches the text even if the option was off while the text changed', async () => {
    const { id } = await place.serve(withTexts(true), (service) => create(service, 'posts', textsOf('One')))
    await place.serve(withTexts(false), async (service) => {
      expect(await update(service, 'posts', id, textsOf('Two'))).not.toHaveProperty('bodyToc')
    })
    await place.serve(withTexts(true), async (service) => {
      expect(await read(service, 'posts', id)).toMatchObject(tocsOf('Two'))
    })
  })
})

/** Runs on one store, since the table is stored like the HTML, which other tests cover on both. */
describe('a table of contents over HTTP', () => {
  let service: TestService
  beforeAll(async () => {
    const secret = f.markdown({ toc: true, access: { read: hasRole('service') } })
    const fields = { body: f.markdown({ toc: true }), secret }
    service = await createTestService<DaybookConfig>({ collections: { posts: { fields } } })
  })
  afterAll(() => service.close())

  const write = async (method: string, path: string, json: object) => {
    const response = await sendRequest(service, path, { method, json })
    expect(response.status).toBeLessThan(300)
    return parseBody(response)
  }

  test('lists the headings of the HTML in order, with their levels and ids', async () => {
    const body = '# A *b* & c\n\n## A b c\n\n> ### In `a<b` quote[^n]\n\n<h4 id="own">Own</h4>\n\n#\n\n[^n]: Note'
    const post = await write('POST', '/api/posts', { body })
    const toc = [
      { id: 'a-b-c', text: 'A b & c', level: 1 },
      { id: 'a-b-c-2', text: 'A b c', level: 2 },
      { id: 'in-a-b-quote', text: 'In a<b quote', level: 3 },
      { id: 'user-content-own', text: 'Own', level: 4 },
    ]
    expect(post.bodyToc).toEqual(toc)
    for (const { id, level } of toc) expect(post.bodyHtml).toContain(`<h${level} id="${id}"`)
    expect(await write('PUT', `/api/posts/${post.id}`, { body: 'text' })).toMatchObject({ bodyToc: [] })
    expect(await write('PUT', `/api/posts/${post.id}`, { body: null })).toMatchObject({ bodyToc: null })
  })

  test('lists at most the first thousand headings', async () => {
    const post = await write('POST', '/api/posts', { body: '# a\n'.repeat(1001) })
    expect(post.bodyToc).toHaveLength(1000)
  })

  test('is ignored in bodies, can be selected, and cannot be filtered or sorted by', async () => {
    const post = await write('POST', '/api/posts', { body: '# A', bodyToc: [{ id: 'b' }] })
    expect(await write('PUT', `/api/posts/${post.id}`, { bodyToc: 'c' })).toMatchObject({ bodyToc: tocOf('A') })
    const selected = await sendRequest(service, `/api/posts/${post.id}?select=bodyToc`)
    expect(parseBody(selected)).toEqual({ id: post.id, bodyToc: tocOf('A') })
    for (const query of ['where[bodyToc][exists]=true', 'sort=bodyToc', 'aggregate=count:bodyToc']) {
      expect((await sendRequest(service, `/api/posts?${query}`)).status, query).toBe(400)
    }
  })

  test('does not exist for callers who may not read its field', async () => {
    const post = await write('POST', '/api/posts', { body: '# A', secret: '# S' })
    expect(post.secretToc).toEqual(tocOf('S'))
    expect(parseBody(await sendRequest(service, `/api/posts/${post.id}`))).not.toHaveProperty('secretToc')
    const unknown = await sendRequest(service, '/api/posts?select=nothing')
    const hidden = await sendRequest(service, '/api/posts?select=secretToc')
    expect(hidden.status).toBe(400)
    expect(hidden.text.replaceAll('secretToc', 'nothing').length).toBe(unknown.text.length)
    expect((await sendRequest(service, '/openapi.json')).text).not.toContain('secretToc')
  })

  test('is part of the model description', async () => {
    const model = parseBody(await sendRequest(service, '/api/cms/model', { auth: true }))
    expect(model.collections).toContainEqual(
      expect.objectContaining({
        key: 'posts',
        fields: [
          expect.objectContaining({ key: 'body', generated: ['bodyHtml', 'bodyToc'] }),
          expect.objectContaining({ key: 'secret', generated: ['secretHtml', 'secretToc'] }),
        ],
      }),
    )
  })
})
