// The types of files and of entries that refer to them. tsc checks this file; it never runs.
import type { Asset, Client, UploadProgress } from '@daybook/client'
import { defineCollection, defineConfig, type Entry, f } from 'daybook'
import { type Equal, holds } from '../../../daybook/test/types/expect.ts'

const posts = defineCollection({
  fields: { title: f.text(), cover: f.asset(), pictures: f.asset({ many: true }), press: f.list(f.asset()) },
})
const people = defineCollection({ fields: { name: f.text(), work: f.relation('posts') } })
const magazine = defineConfig({ collections: { posts, people } })
type Magazine = typeof magazine
type File = Entry<Magazine, 'assets'>

export async function files({ assets }: Client<Magazine>, stream: NodeJS.ReadableStream): Promise<void> {
  const uploaded = await assets.upload(new Blob([]), {
    onProgress: (progress) => holds<Equal<typeof progress, UploadProgress>>(),
  })
  holds<Equal<typeof uploaded, File>>()
  const loose: Asset = uploaded
  holds<Equal<typeof loose.sha256, string>>()
  await assets.upload(stream as AsyncIterable<Buffer>, { name: 'a.txt', signal: AbortSignal.timeout(1000) })
  await assets.upload(new Response('').body ?? new Blob([]))

  const page = await assets.list({ where: { size: { gt: 5 }, mimeType: { startsWith: 'image/' } }, sort: '-size' })
  holds<Equal<(typeof page)['items'][number], File>>()
  const entry = await assets.get('a', { select: ['url'] })
  holds<Equal<typeof entry, { readonly id: string; readonly url: string } | null>>()
  const { aggregates } = await assets.list({ aggregate: { size: ['sum', 'max'], mimeType: 'count' } })
  holds<Equal<(typeof aggregates)['sum:size'], number>>()
  await assets.update('a', { alt: 'A cat', focalPoint: { x: 0, y: 0 } })

  // @ts-expect-error a list of files has no collection
  page.collection
  // @ts-expect-error files are created by upload()
  await assets.create({})
  // @ts-expect-error a string is not a file
  await assets.upload('cat.jpg')
  // @ts-expect-error files have no slug
  await assets.findBySlug('cat')
}

export async function included({ collections: { posts, people } }: Client<Magazine>): Promise<void> {
  const plain = await posts.findById('a')
  holds<Equal<NonNullable<typeof plain>['cover'], string | null>>()
  const post = await posts.findById('a', { include: ['cover', 'pictures', 'press'] })
  holds<Equal<NonNullable<typeof post>['cover'], File | null>>()
  holds<Equal<NonNullable<typeof post>['pictures'], readonly File[]>>()
  holds<Equal<NonNullable<typeof post>['press'], readonly File[]>>()
  const person = await people.findById('a', { include: ['work.cover'], select: ['work.cover.url'] })
  holds<
    Equal<
      NonNullable<NonNullable<typeof person>['work']>['cover'],
      { readonly id: string; readonly url: string } | null
    >
  >()
  const deep = await people.findById('a', { depth: 2 })
  holds<Equal<NonNullable<NonNullable<typeof deep>['work']>['cover'], File | null>>()
  await posts.findMany({ where: { 'cover.mimeType': { eq: 'image/png' } } })

  // @ts-expect-error unknown field of files
  await posts.findMany({ where: { 'cover.title': { eq: 'A' } } })
}

export async function batches(client: Client<Magazine>): Promise<void> {
  const [first] = await client.batch([
    { op: 'update', collection: 'assets', id: 'a', data: { alt: 'A' } },
    { op: 'delete', collection: 'assets', id: 'b' },
  ])
  if (first?.op === 'update' && first.collection === 'assets') holds<Equal<typeof first.entry, File>>()
  // @ts-expect-error files are created by upload()
  await client.batch([{ op: 'create', collection: 'assets', data: {} }])
}
