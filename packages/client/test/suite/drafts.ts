import { type Client, DaybookError, etagOf } from '@daybook/client'
import type { Blog } from '../support/config.ts'
import { type Case, equal, failure, type TestContext } from './case.ts'

const LATER = '2999-01-01T00:00:00.000Z'
const LAST = '2999-01-02T00:00:00.000Z'

/** Runs work with a new post, which is deleted afterwards. */
async function withPost(
  { client, token }: TestContext,
  work: (posts: Client<Blog>['collections']['posts'], readers: Client<Blog>, id: string) => Promise<void>,
): Promise<void> {
  const { posts } = client({ token }).collections
  const { id } = await posts.create({ title: 'Paper', words: 7 })
  try {
    await work(posts, client(), id)
  } finally {
    await posts.delete(id)
  }
}

export const DRAFTS: readonly Case[] = [
  {
    name: 'a draft is saved without changing the published entry, and published',
    run: (context) =>
      withPost(context, async (posts, { collections }, id) => {
        const saved = await posts.saveDraft(id, { title: null, body: '*x*' })
        equal([saved.title, saved.bodyHtml, saved.hasDraft], [null, '<p><em>x</em></p>', true])
        equal((await collections.posts.findById(id))?.title, 'Paper')
        const { details } = await failure(posts.publish(saved), DaybookError)
        equal(
          details.issues?.map(({ path }) => path),
          ['/title'],
        )
        const merged = await posts.saveDraft(saved, { title: 'Paper 2', meta: { label: 'a' } }, { merge: true })
        equal((await failure(posts.saveDraft(saved, {}), DaybookError)).code, 'PRECONDITION_FAILED')
        const read = await posts.findById(id, { draft: true })
        equal(read, merged)
        equal(etagOf(read ?? {}), etagOf(merged))
        equal((await posts.findMany({ draft: true, where: { words: { eq: 7 } } })).items, [merged])
        const published = await posts.publish(merged)
        equal([published.title, published.status], ['Paper 2', 'published'])
        equal((await collections.posts.findById(id))?.title, 'Paper 2')
        equal((await posts.unpublish(published)).status, 'draft')
        equal(await collections.posts.findById(id), null)
      }),
  },
  {
    name: 'drafts and schedules of all collections are listed',
    run: (context) =>
      withPost(context, async (posts, _readers, id) => {
        await posts.saveDraft(id, { title: 'Paper 3' })
        const editor = context.client({ token: context.token })
        const { items, nextCursor } = await editor.drafts({ actor: 'service', limit: 1 })
        equal([items[0]?.id, items[0]?.title, items[0]?.actor, nextCursor], [id, 'Paper 3', 'service', null])
        await posts.publish(id, { at: LATER })
        const schedules = await editor.schedules({ limit: 5 })
        const scheduled = schedules.items.filter((item) => item.id === id)
        equal(
          scheduled.map(({ action, at }) => [action, at]),
          [['publish', LATER]],
        )
        equal((await failure(context.client().drafts(), DaybookError)).code, 'UNAUTHORIZED')
      }),
  },
  {
    name: 'a draft is discarded',
    run: (context) =>
      withPost(context, async (posts, _readers, id) => {
        await posts.saveDraft(id, { title: 'Other' }, { autosave: true })
        await posts.discardDraft(id)
        equal((await failure(posts.discardDraft(id), DaybookError)).code, 'NOT_FOUND')
        const read = await posts.findById(id, { draft: true, select: ['title'] })
        const draftInfo = { hasDraft: false, publishAt: null, unpublishAt: null, publishedLocales: ['en', 'de'] }
        equal(read, { id, title: 'Paper', ...draftInfo })
      }),
  },
  {
    name: 'one locale is published',
    run: (context) =>
      withPost(context, async (posts, { collections }, id) => {
        await posts.saveDraft(id, { title: 'Paper 2' })
        await posts.saveDraft(id, { title: 'Papier' }, { locale: 'de' })
        await posts.publish(id, { locales: ['de'] })
        equal((await collections.posts.findById(id))?.title, 'Paper')
        equal((await collections.posts.findById(id, { locale: 'de' }))?.title, 'Papier')
      }),
  },
  {
    name: 'schedules are set, shown and removed',
    run: (context) =>
      withPost(context, async (posts, _readers, id) => {
        equal((await posts.publish(id, { at: LATER })).publishAt, LATER)
        equal((await posts.unpublish(id, { at: LAST })).unpublishAt, LAST)
        await posts.unschedule(id)
        const read = await posts.findById(id, { draft: true })
        equal([read?.publishAt, read?.unpublishAt], [null, null])
      }),
  },
  {
    name: 'a preview shows a draft to anyone with its token, until it is revoked',
    run: (context) =>
      withPost(context, async (posts, { collections }, id) => {
        await posts.saveDraft(id, { title: 'Paper 2' })
        const { token, expiresAt } = await posts.preview(id, { expiresIn: 60 })
        equal(new Date(expiresAt) > new Date(), true)
        equal((await collections.posts.findById(id, { preview: token }))?.title, 'Paper 2')
        equal((await collections.posts.findBySlug('paper', { preview: token, select: ['title'] }))?.title, 'Paper 2')
        equal((await collections.posts.findById(id, { preview: undefined }))?.title, 'Paper')
        await posts.revokePreviews(id)
        equal((await collections.posts.findById(id, { preview: token }))?.title, 'Paper')
      }),
  },
  {
    name: 'an earlier version is restored as the draft',
    run: (context) =>
      withPost(context, async (posts, { collections }, id) => {
        const first = await posts.findById(id)
        // A tag begins with its revision.
        const revision = Number.parseInt(etagOf(first ?? {}).slice(1), 36)
        await posts.update(id, { title: 'Paper 2' })
        equal((await posts.restore(id, revision)).title, 'Paper')
        equal((await collections.posts.findById(id))?.title, 'Paper 2')
      }),
  },
  {
    name: 'a deleted entry is listed, and restored as a draft, optionally with another slug',
    run: (context) =>
      withPost(context, async (posts, _readers, id) => {
        await posts.delete(id)
        const { items } = await posts.listDeleted({ limit: 1 })
        equal([items[0]?.id, items[0]?.title, items[0]?.deletedBy], [id, 'Paper', 'service'])
        const restored = await posts.restore(id, undefined, { slug: 'paper-again' })
        equal([restored.id, restored.status, restored.slug], [id, 'draft', 'paper-again'])
        equal((await posts.findBySlug('paper-again', { draft: true }))?.title, 'Paper')
      }),
  },
  {
    name: 'a dry run returns the result of a write, and stores nothing',
    run: (context) =>
      withPost(context, async (posts, { collections }, id) => {
        const dryRun = true
        const result = await posts.update(id, { title: 'Other' }, { dryRun })
        equal(result.title, 'Other')
        await failure(
          Promise.resolve().then(() => etagOf(result)),
          TypeError,
        )
        equal((await failure(posts.update(id, { title: '' }, { dryRun }), DaybookError)).code, 'VALIDATION_ERROR')
        equal((await posts.create({ title: 'New' }, { dryRun })).slug, 'new')
        equal((await posts.saveDraft(id, { title: 'Other' }, { dryRun })).title, 'Other')
        equal((await posts.unpublish(id, { dryRun })).status, 'draft')
        await posts.delete(id, { dryRun })
        const signedIn = context.client({ token: context.token })
        equal((await signedIn.globals.site.update({ motto: 'Other' }, { dryRun })).motto, 'Other')
        const [outcome] = await signedIn.batch([{ op: 'unpublish', collection: 'posts', id }], { dryRun })
        equal([outcome?.op, Object.keys(outcome ?? {}).includes('etag')], ['unpublish', false])
        equal((await collections.posts.findById(id))?.title, 'Paper')
        equal((await signedIn.globals.site.get()).motto, null)
        equal(await collections.posts.findBySlug('new'), null)
      }),
  },
]
