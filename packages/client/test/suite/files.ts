import { type Asset, DaybookError, type UploadProgress } from '@daybook/client'
import { type Case, equal, failure, holds, type TestContext } from './case.ts'

/** Creates a text that no other file has. */
const unique = (length = 100): string =>
  crypto
    .randomUUID()
    .repeat(Math.ceil(length / 36))
    .slice(0, length)

async function hashText(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

async function* splitText(text: string, size: number): AsyncGenerator<Uint8Array, void> {
  const bytes = new TextEncoder().encode(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const editor = ({ client, token }: TestContext) => client({ token })

async function countFiles(context: TestContext, text: string): Promise<number> {
  const { total } = await context.client().assets.list({ where: { sha256: { eq: await hashText(text) } }, limit: 0 })
  return total
}

export const FILES: readonly Case[] = [
  {
    name: 'a file is uploaded, found by its digest, changed, deleted and restored',
    async run(context) {
      const { assets } = editor(context)
      const text = unique()
      const directory = `cats/${crypto.randomUUID()}`
      const asset: Asset = await assets.upload(new File([text], 'My cat.txt'), {
        directory,
        filename: 'cat.txt',
        alt: 'A cat',
      })
      equal(
        [asset.originalName, asset.url, asset.alt, asset.mimeType, asset.size, asset.sha256],
        ['My cat.txt', `/uploads/${directory}/cat.txt`, 'A cat', 'text/plain', 100, await hashText(text)],
      )
      const page = await assets.list({ where: { sha256: { eq: asset.sha256 } }, aggregate: { size: 'sum' } })
      equal([page.total, page.items[0]?.id, page.aggregates], [1, asset.id, { 'sum:size': 100 }])
      const changed = await assets.update(asset, { alt: 'The cat' })
      equal((await failure(assets.update(asset, { alt: 'Late' }), DaybookError)).code, 'PRECONDITION_FAILED')
      const patched = await assets.patch(changed, { focalPoint: { x: 0.5, y: 1 } })
      equal([patched.alt, patched.focalPoint], ['The cat', { x: 0.5, y: 1 }])
      equal((await assets.get(asset.id, { select: ['alt'] }))?.alt, 'The cat')
      equal(await assets.delete(patched), undefined)
      equal(await assets.get(asset.id), null)
      const { items } = await assets.listDeleted({ limit: 1 })
      equal([items[0]?.collection, items[0]?.id, items[0]?.title], ['assets', asset.id, 'My cat.txt'])
      equal((await assets.restore(asset.id)).url, asset.url)
      await assets.delete(asset.id)
    },
  },
  {
    name: 'the progress of an upload counts the bytes of the file, and ends with all of them',
    async run(context) {
      const text = unique(300_000)
      const seen: UploadProgress[] = []
      await editor(context).assets.upload(new Blob([text]), { onProgress: (progress) => seen.push(progress) })
      equal(await countFiles(context, text), 1)
      equal(seen.at(-1), { sent: 300_000, total: 300_000 })
      equal(
        seen.map(({ sent }) => sent),
        seen.map(({ sent }) => sent).toSorted((a, b) => a - b),
      )
    },
  },
  {
    name: 'a stream is uploaded under the given name',
    async run(context) {
      const text = unique(200_000)
      const seen: number[] = []
      const asset = await editor(context).assets.upload(splitText(text, 30_000), {
        name: '"Katze" – 日記.txt',
        alt: 'ä "b"\r\nc',
        onProgress: ({ sent }) => seen.push(sent),
      })
      equal([asset.size, asset.sha256, asset.alt], [200_000, await hashText(text), 'ä "b"\r\nc'])
      holds(asset.originalName, 'Katze')
      holds(asset.originalName, '– 日記.txt')
      equal(seen.at(-1), 200_000)
      const { body } = new Response(text.slice(1))
      if (body) equal((await editor(context).assets.upload(body)).originalName, 'file')
    },
  },
  {
    name: 'an upload that the service rejects fails with its code, for all kinds of sources',
    async run(context) {
      const { assets } = editor(context)
      const code = async (promise: Promise<unknown>): Promise<unknown> => (await failure(promise, DaybookError)).code
      const name = { filename: `${crypto.randomUUID()}.txt` }
      await assets.upload(new Blob(['a']), name)
      const onProgress = (): void => {}
      for (const options of [{}, { onProgress }]) {
        equal(await code(assets.upload(new Blob(['a']), { ...options, ...name })), 'CONFLICT')
        equal(await code(assets.upload(new Blob(['a']), { ...options, directory: '../up' })), 'VALIDATION_ERROR')
        equal(await code(assets.upload(new Blob([unique(1_000_001)]), options)), 'PAYLOAD_TOO_LARGE')
        equal(await code(context.client().assets.upload(new Blob(['a']), options)), 'UNAUTHORIZED')
        equal(await code(assets.upload(splitText('a', 1), { ...options, ...name })), 'CONFLICT')
      }
    },
  },
  {
    name: 'an upload that is aborted in mid-stream rejects with the reason, and stores nothing',
    async run(context) {
      const text = unique(50_000)
      const ending = new AbortController()
      const endless = async function* (): AsyncGenerator<Uint8Array, void> {
        yield* splitText(text, 10_000)
        ending.abort(new Error('enough'))
        await new Promise(() => {})
      }
      const { assets } = editor(context)
      equal((await failure(assets.upload(endless(), { signal: ending.signal }), Error)).message, 'enough')
      equal(await countFiles(context, text), 0)
    },
  },
  {
    name: 'an upload with progress ends by its signal and its timeout',
    async run({ script, clientOf }) {
      const silent = await script({ fault: 'silence' })
      const { assets } = clientOf(silent)
      const ending = new AbortController()
      const onProgress = (): void => ending.abort(new Error('enough'))
      const ended = assets.upload(new Blob(['a']), { onProgress, signal: ending.signal })
      equal((await failure(ended, Error)).message, 'enough')
      equal((await failure(assets.upload(new Blob(['a']), { timeout: 20 }), Error)).name, 'TimeoutError')
    },
  },
  {
    name: 'with an idempotency key, a blob is retried, and a stream is not',
    async run({ script, clientOf }) {
      const busy = { status: 503, body: '{"code":"SERVICE_UNAVAILABLE","message":"Later."}' }
      const stored = { status: 201, headers: { ETag: '"1"' }, body: '{"id":"a"}' }
      const idempotencyKey = 'cat-1'
      for (const onProgress of [undefined, (): void => {}]) {
        const server = await script(busy, stored)
        const options = { idempotencyKey, retry: { attempts: 2 }, ...(onProgress && { onProgress }) }
        equal((await clientOf(server).assets.upload(new Blob(['a cat']), options)).id, 'a')
        const sent = await server.sent()
        equal(sent.length, 2)
        for (const { body, headers } of sent) {
          holds(body, 'a cat')
          equal(headers['idempotency-key'], idempotencyKey)
        }
      }
      const server = await script(busy, stored)
      const once = clientOf(server).assets.upload(splitText('a cat', 2), { idempotencyKey })
      equal((await failure(once, DaybookError)).code, 'SERVICE_UNAVAILABLE')
      equal((await server.sent()).length, 1)
    },
  },
  {
    name: 'an unexpected response to an upload with progress is an error',
    async run({ script, clientOf }) {
      for (const scripted of [{ status: 502, body: '<h1>Bad gateway</h1>' }, { body: '' }]) {
        const { assets } = clientOf(await script(scripted))
        const error = await failure(assets.upload(new Blob(['a']), { onProgress: () => {} }), DaybookError)
        equal(error.code, 'UNEXPECTED_ANSWER')
      }
      const { assets } = clientOf(await script({ fault: 'reset' }))
      const lost = await failure(assets.upload(new Blob(['a']), { onProgress: () => {} }), Error)
      equal(lost.name, 'NetworkError')
    },
  },
  {
    name: 'a field of an entry contains the id of a file, or the file if it is included',
    async run(context) {
      const { assets, collections } = editor(context)
      const cover = await assets.upload(new File([unique()], 'cover.txt'), { alt: 'A cover' })
      const { posts } = collections
      const post = await posts.create({ title: 'Covered', status: 'draft', cover: cover.id })
      equal((await posts.findById(post.id))?.cover, cover.id)
      equal((await posts.findById(post.id, { include: ['cover'] }))?.cover?.alt, 'A cover')
      const matches = await posts.findMany({ status: 'draft', where: { 'cover.sha256': { eq: cover.sha256 } } })
      equal(matches.total, 1)
      equal((await assets.references(cover.id)).items, [{ collection: 'posts', id: post.id, field: 'cover' }])
      await posts.delete(post.id)
    },
  },
  {
    name: 'files are updated and deleted in bulk',
    async run(context) {
      const { assets } = editor(context)
      const directory = crypto.randomUUID()
      for (const name of ['a', 'b', 'c']) await assets.upload(new File([name], name), { directory })
      const where = { path: { startsWith: `${directory}/` } }
      equal((await assets.updateMany(where, { alt: 'Same' })).changed, 3)
      const alts: unknown[] = []
      for await (const { alt } of assets.iterate({ where, limit: 2 })) alts.push(alt)
      equal(alts, ['Same', 'Same', 'Same'])
      equal((await assets.deleteMany(where)).changed, 3)
      equal((await assets.list({ where })).items, [])
    },
  },
]
