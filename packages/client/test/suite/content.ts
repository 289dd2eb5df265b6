import { changesOf, DaybookError, etagOf, type Where } from '@daybook/client'
import type { Blog } from '../support/config.ts'
import { type Case, equal, failure } from './case.ts'

const titles = ({ items }: { readonly items: readonly { readonly title: string }[] }): readonly string[] =>
  items.map(({ title }) => title)

export const CONTENT: readonly Case[] = [
  {
    name: 'a list returns matching entries in the requested order',
    async run({ client }) {
      const { posts } = client().collections
      const all = await posts.findMany({ sort: 'words' })
      equal(titles(all), ['Alpha', 'Beta & Söhne', '日記', 'Delta'])
      equal([all.collection, all.total, all.limit, all.offset, all.nextCursor], ['posts', 4, 20, 0, null])
      equal(titles(await posts.findMany({ sort: ['-words'], limit: 1, offset: 1 })), ['日記'])
      equal(titles(await posts.findMany({ sort: 'category', nulls: 'last', limit: 2 })), ['Alpha', 'Beta & Söhne'])
      equal(titles(await posts.findMany({ q: 'söhne' })), ['Beta & Söhne'])
      equal((await posts.findMany({ limit: 0 })).total, 4)
      equal(titles(await posts.findMany({ status: ['draft', 'archived'] })), [])
    },
  },
  {
    name: 'a search finds entries of all collections',
    async run({ client }) {
      const results = await client().search({ q: 'an' })
      equal(
        results.items.map(({ collection, slug, title }) => [collection, slug, title]),
        [['authors', 'ann', 'Ann']],
      )
      const { items } = await client().search({ q: 'a', collections: ['posts'], limit: 5, locale: 'en' })
      equal(
        items.map(({ title }) => title),
        ['Alpha'],
      )
      equal((await client().search({ q: 'draft' })).items, [])
    },
  },
  {
    name: 'changesOf returns the range of a bulk write, which undo reverts',
    async run({ client, token }) {
      const editor = client({ token })
      const { posts } = editor.collections
      const results = await editor.batch([
        { op: 'create', collection: 'posts', data: { title: 'Undone 1', words: 901 } },
        { op: 'create', collection: 'posts', data: { title: 'Undone 2', words: 902 } },
      ])
      const created = changesOf(results)
      equal(created && created.to - created.from, 1)
      const updated = changesOf(await posts.updateMany({ words: { gt: 900 } }, { words: 900 }))
      equal(updated, created && { from: created.to + 1, to: created.to + 2 })
      equal(changesOf(await posts.updateMany({ words: { gt: 900 } }, { words: 900 })), undefined)
      const [{ id } = { id: '' }] = results
      const same = { op: 'update', collection: 'posts', id, data: { words: 900 } } as const
      equal(changesOf(await editor.batch([same])), undefined)
      if (created && updated) await editor.undo({ from: created.from, to: updated.to })
      equal((await posts.findMany({ where: { words: { gte: 900 } } })).total, 0)
    },
  },
  {
    name: 'a list returns the entries that match a filter, with any characters in its values',
    async run({ client }) {
      const { posts } = client().collections
      const findTitles = async (where: Where<Blog, 'posts'>): Promise<readonly string[]> =>
        titles(await posts.findMany({ sort: 'words', where }))
      equal(await findTitles({ title: { eq: 'Beta & Söhne' } }), ['Beta & Söhne'])
      equal(await findTitles({ title: { in: ['日記', 'Delta'] } }), ['日記', 'Delta'])
      equal(await findTitles({ title: { in: ['Alpha,Delta', 'Delta'] } }), ['Delta'])
      equal(await findTitles({ words: { gt: 100, lte: 300 } }), ['Beta & Söhne', '日記'])
      equal(await findTitles({ topics: { all: ['ink', 'glue'] } }), ['Alpha'])
      equal(await findTitles({ author: { exists: false } }), ['Delta'])
      equal(await findTitles({ 'author.name': { startsWith: 'An' }, category: { ne: 'news' } }), ['Alpha', '日記'])
      equal(await findTitles({ or: [{ words: { eq: 100 } }, { not: { author: { exists: true } } }] }), [
        'Alpha',
        'Delta',
      ])
      equal(await findTitles({ 'meta.rank': { eq: 1 } }), ['Alpha'])
    },
  },
  {
    name: 'a filter that cannot be sent is rejected, since a list without it would be longer',
    async run({ client }) {
      const { posts } = client().collections
      for (const where of [
        { title: { eq: undefined } },
        { title: { eq: null } },
        { title: { in: [] } },
        { words: { in: [1, undefined] } },
        { or: [] },
      ]) {
        await failure(posts.findMany({ where: where as never }), TypeError)
      }
    },
  },
  {
    name: 'an included reverse field is a page of a list, which the reverse option sorts and pages',
    async run({ client }) {
      const { authors, posts } = client().collections
      const { items } = await authors.findMany({
        include: ['posts'],
        reverse: { posts: { limit: 2, sort: ['-words', 'title'] } },
      })
      const [ann] = items
      equal([ann?.posts.collection, ann?.posts.total, ann?.posts.limit], ['posts', 3, 2])
      equal(titles(ann?.posts ?? { items: [] }), ['日記', 'Beta & Söhne'])
      equal((await authors.findBySlug('ann'))?.posts, undefined)
      const alpha = await posts.findBySlug('alpha', {
        include: ['author.posts'],
        reverse: { 'author.posts': { limit: 0 } },
      })
      equal(alpha?.author?.posts.total, 3)
    },
  },
  {
    name: 'select limits the fields, include and depth expand relations',
    async run({ client }) {
      const { posts } = client().collections
      const alpha = await posts.findBySlug('alpha', { include: ['author'], select: ['title', 'author.name'] })
      equal(Object.keys(alpha ?? {}), ['id', 'title', 'author'])
      equal(alpha?.author?.name, 'Ann')
      const deep = await posts.findBySlug('alpha', { depth: 1 })
      equal(deep?.author?.slug, 'ann')
      const plain = await posts.findBySlug('alpha', { select: [], include: [] })
      equal(plain?.author, deep?.author?.id)
    },
  },
  {
    name: 'an entry is found by slug and by id, and a missing one is null',
    async run({ client }) {
      const { posts } = client().collections
      const beta = await posts.findBySlug('beta-sohne')
      equal(beta?.title, 'Beta & Söhne')
      equal((await posts.findById(beta?.id ?? ''))?.slug, 'beta-sohne')
      equal((await posts.findBySlug('日記'))?.words, 300)
      equal(await posts.findBySlug('draft'), null)
      equal(await posts.findById('01a1f9d5-ddca-7255-9a37-e7bf8ce09df2'), null)
    },
  },
  {
    name: 'a slug with any characters is one segment of the path',
    async run({ client }) {
      const { posts } = client().collections
      const strange = [
        'a/b',
        '../authors',
        '..',
        '.',
        '',
        '?limit=1',
        '#x',
        'a b',
        '%2e%2e',
        '%',
        '🙂',
        '\ud800',
        'alpha/references',
        'x'.repeat(300),
      ]
      for (const slug of strange) equal(await posts.findBySlug(slug), null)
      for (const id of ['..', '.', '']) {
        await failure(posts.delete(id), TypeError)
        await failure(posts.references(id), TypeError)
      }
    },
  },
  {
    name: 'a page has the cursor of the next one',
    async run({ client }) {
      const { posts } = client().collections
      const first = await posts.findMany({ sort: 'words', limit: 3, cursor: null })
      const second = await posts.findMany({ sort: 'words', limit: 3, cursor: first.nextCursor })
      equal([titles(first).length, titles(second), second.nextCursor], [3, ['Delta'], null])
    },
  },
  {
    name: 'iterate reads all pages',
    async run({ client }) {
      const seen: string[] = []
      for await (const { title } of client().collections.posts.iterate({ sort: '-words', limit: 1, select: ['title'] }))
        seen.push(title)
      equal(seen, ['Delta', '日記', 'Beta & Söhne', 'Alpha'])
    },
  },
  {
    name: 'entries are read and written in a locale',
    async run({ client, token }) {
      const { posts } = client({ token }).collections
      const post = await posts.create({ title: 'Letters', status: 'draft' })
      const german = await posts.update(post, { title: 'Briefe' }, { locale: 'de' })
      equal(german.title, 'Briefe')
      equal((await posts.findById(post.id))?.title, 'Letters')
      equal((await posts.findById(post.id, { locale: 'de', select: ['title'] }))?.title, 'Briefe')
      const all = await posts.findById(post.id, { locale: 'all', select: ['title', 'slug'] })
      equal([all?.title, all?.slug], [{ en: 'Letters', de: 'Briefe' }, 'letters'])
      await posts.delete(german)
    },
  },
  {
    name: 'entries are created, updated, patched and deleted',
    async run({ client, token }) {
      const { posts } = client({ token }).collections
      const created = await posts.create({ title: 'New', status: 'draft', meta: { label: 'x', rank: 1 } })
      equal([created.slug, created.meta], ['new', { label: 'x', rank: 1 }])
      const updated = await posts.update(created.id, { words: 5, body: '*hi*' })
      equal([updated.words, updated.bodyHtml, updated.title], [5, '<p><em>hi</em></p>', 'New'])
      const patched = await posts.patch(created.id, { meta: { rank: 2 } })
      equal(patched.meta, { label: 'x', rank: 2 })
      equal(await posts.delete(created.id), undefined)
      equal(await posts.findById(created.id), null)
    },
  },
  {
    name: 'a rejected request throws an error with all details',
    async run({ client, token }) {
      const anonymous = await failure(client().collections.posts.create({ title: 'x' }), DaybookError)
      equal([anonymous.code, anonymous.status, anonymous.details], ['UNAUTHORIZED', 401, {}])
      equal(anonymous.requestId.length > 7, true)
      const { authors } = client({ token }).collections
      const conflict = await failure(authors.create({ name: 'Ann', email: 'ann@example.org' }), DaybookError)
      equal([conflict.code, conflict.status, conflict.details], ['CONFLICT', 409, { field: 'email' }])
      equal(conflict.message, 'This email is already used by another entry.')
      const invalid = await failure(authors.create({ nmae: 'x' } as never), DaybookError)
      equal(
        invalid.details.issues?.map(({ path, code }) => [path, code]),
        [
          ['/name', 'required'],
          ['/nmae', 'unknown_field'],
        ],
      )
      const { length } = conflict.request.split('/api/authors')
      equal([length, conflict.request.startsWith('POST http://')], [2, true])
    },
  },
  {
    name: 'an update fails if the entry has changed since it was read',
    async run({ client, token }) {
      const { posts } = client({ token }).collections
      const created = await posts.create({ title: 'Shared', status: 'draft' })
      const mine = await posts.findById(created.id)
      const theirs = await posts.findBySlug('shared', { select: ['words'] })
      if (!mine || !theirs) throw new Error('It was created.')
      equal(etagOf(mine), etagOf(created))
      const changed = await posts.update(theirs, { words: 1 })
      const stale = await failure(posts.update(mine, { words: 2 }), DaybookError)
      equal([stale.code, stale.status, stale.details.current], ['PRECONDITION_FAILED', 412, etagOf(changed)])
      await failure(posts.patch(mine, { words: 2 }), DaybookError)
      await failure(posts.delete(mine), DaybookError)
      const again = await posts.update(mine, { words: 3 }, { ifMatch: '*' })
      equal((await posts.update(again, { words: 4 })).words, 4)
      await posts.delete(created.id)
    },
  },
  {
    name: 'a copy and an item of a list have no tag, so updating them throws',
    async run({ client, token }) {
      const { posts } = client({ token }).collections
      const alpha = await posts.findBySlug('alpha')
      const [item] = (await posts.findMany({ limit: 1 })).items
      if (!alpha || !item) throw new Error('It is seeded.')
      for (const untagged of [{ ...alpha }, structuredClone(alpha), item]) {
        const error = await failure(posts.update(untagged, { words: 1 }), TypeError)
        equal(error.message.startsWith('This document has no tag, or is a copy.'), true)
        await failure(posts.delete(untagged), TypeError)
      }
      equal((await posts.update({ ...alpha }, { words: 100 }, { ifMatch: etagOf(alpha) })).words, 100)
    },
  },
  {
    name: 'a batch is one transaction, and its entries have their tags',
    async run({ client, token }) {
      const editor = client({ token })
      const [first, second] = await editor.batch([
        { op: 'create', collection: 'posts', data: { title: 'One', status: 'draft' } },
        { op: 'create', collection: 'authors', data: { name: 'Two' } },
      ])
      if (first?.op !== 'create' || first.collection !== 'posts' || second?.op !== 'create')
        throw new Error('Two were created.')
      equal([first.entry.title, first.etag], ['One', etagOf(first.entry)])
      await editor.collections.posts.update(first.entry, { words: 1 })
      const failed = await failure(
        editor.batch([
          { op: 'delete', collection: 'authors', id: second.id },
          { op: 'update', collection: 'posts', id: first.id, data: { words: 2 }, ifMatch: first.etag },
        ]),
        DaybookError,
      )
      equal([failed.code, failed.details.operation], ['PRECONDITION_FAILED', 1])
      equal((await editor.collections.authors.findById(second.id))?.name, 'Two')
      await editor.batch([
        { op: 'delete', collection: 'authors', id: second.id },
        { op: 'delete', collection: 'posts', id: first.id },
      ])
    },
  },
  {
    name: 'a write with an idempotency key is stored once',
    async run({ client, token }) {
      const { posts } = client({ token }).collections
      const options = { idempotencyKey: crypto.randomUUID() }
      const first = await posts.create({ title: 'Once', status: 'draft' }, options)
      const again = await posts.create({ title: 'Once', status: 'draft' }, options)
      equal(again, first)
      const other = await failure(posts.create({ title: 'Other', status: 'draft' }, options), DaybookError)
      equal(other.code, 'IDEMPOTENCY_MISMATCH')
      await posts.delete(first)
    },
  },
  {
    name: 'a global is read and updated',
    async run({ client, token }) {
      const { site } = client({ token }).globals
      const read = await site.get()
      equal([read.key, read.name, read.lead], ['site', 'Blog', null])
      const changed = await site.update({ motto: 'Every day' }, { ifMatch: etagOf(read) })
      equal(changed.motto, 'Every day')
      equal(
        (await failure(site.update({ motto: 'x' }, { ifMatch: etagOf(read) }), DaybookError)).code,
        'PRECONDITION_FAILED',
      )
      equal(
        (await failure(site.update({ motto: 'x' }, { ifNoneMatch: '*' }), DaybookError)).code,
        'PRECONDITION_FAILED',
      )
      equal(await site.get({ select: ['motto'] }), { key: 'site', motto: 'Every day' })
      await site.update({ motto: null })
    },
  },
  {
    name: 'references lists the documents that refer to an entry',
    async run({ client, token }) {
      const { authors } = client({ token }).collections
      const ann = await authors.findBySlug('ann')
      const { total, items } = await authors.references(ann?.id ?? '', { limit: 1 })
      equal([total, items.length, items[0]?.collection, items[0]?.field], [4, 1, 'posts', 'author'])
    },
  },
  {
    name: 'health and ready report the state of the service',
    async run({ client }) {
      equal(await client().health(), { status: 'ok' })
      equal(await client().ready(), { status: 'ready', checks: { database: 'ok' } })
    },
  },
  {
    name: 'an unknown collection or global is NOT_FOUND',
    async run({ client }) {
      const { collections, globals } = client() as unknown as Record<
        'collections' | 'globals',
        Record<string, { findMany(): Promise<unknown>; get(): Promise<unknown> }>
      >
      equal((await failure(collections.gone?.findMany() ?? Promise.resolve(), DaybookError)).code, 'NOT_FOUND')
      equal((await failure(globals.gone?.get() ?? Promise.resolve(), DaybookError)).code, 'NOT_FOUND')
      equal(await collections, {})
    },
  },
]
