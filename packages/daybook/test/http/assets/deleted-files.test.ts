import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type DaybookConfig, defineCollection, defineConfig, disk, f, hasRole, type Service } from 'daybook'
import { serveUploads } from 'daybook/plugins'
import { s3 } from 'daybook/s3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { S3_KEY, S3Server } from '../../support/assets/s3-server.ts'
import { People } from '../../support/auth/people.ts'
import { memoryFolder } from '../../support/stores/folder.ts'
import type { Place } from '../../support/stores/place.ts'
import { SQLITE, STORES } from '../../support/stores/stores.ts'
import { eventually } from '../../support/timeouts.ts'
import { storedFiles, toForm, type Upload } from '../../support/uploads.ts'

const editors = hasRole('editor')
const base = defineConfig({
  auth: new People({ ann: ['editor'], ben: [], cleo: ['editor'] }).adapter,
  collections: { posts: defineCollection({ fields: { title: f.text(), cover: f.asset() } }) },
  plugins: [serveUploads()],
})
const PHOTO: Upload = {
  content: 'the bytes of a photo',
  texts: { directory: 'photos', filename: 'cat.txt', alt: 'A cat' },
}
const PUBLIC = '/uploads/photos/cat.txt'

interface Outcome {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly body: Readonly<Record<string, unknown>> & {
    readonly id: string
    readonly items: readonly { readonly id: string }[]
    readonly collections: Readonly<Record<string, unknown>>
  }
}

/** Sends requests in a person's session, or without one for `null`. */
const client =
  (service: Service) =>
  async (method: string, path: string, body?: object, as: string | null = 'ann') => {
    const isForm = body instanceof FormData
    const headers = {
      ...(as === null ? {} : { Authorization: `Bearer ${as}` }),
      ...(body && !isForm ? { 'Content-Type': 'application/json' } : {}),
    }
    const content = isForm ? body : body && JSON.stringify(body)
    const request = new Request(`http://daybook.test${path}`, {
      method,
      headers,
      ...(content ? { body: content } : {}),
    })
    const response = await service.fetch(request)
    const text = await response.text()
    const isJson = response.headers.get('Content-Type')?.includes('json') === true
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? JSON.parse(text) : undefined,
    } as Outcome
  }

describe.each(STORES)('deleted files on $name', (kind) => {
  let place: Place
  let data: string
  let service: Service
  let send: ReturnType<typeof client>
  const open = async (assets: DaybookConfig['assets'] = {}): Promise<void> => {
    service = await place.open({ ...base, assets: { store: disk({ folder: join(data, 'uploads') }), ...assets } })
    send = client(service)
  }
  beforeEach(async () => {
    place = await kind.at()
    data = await mkdtemp(join(await memoryFolder(), 'daybook-files-'))
    await open()
  })
  afterEach(async () => {
    await service.close()
    await place[Symbol.asyncDispose]()
    await rm(data, { recursive: true })
  })

  const upload = async (file = PHOTO, as = 'ann'): Promise<string> =>
    (await send('POST', '/api/assets', toForm(file), as)).body.id
  const restore = (id: string, as: string | null = 'ann', query = ''): Promise<Outcome> =>
    send('POST', `/api/assets/${id}/restore${query}`, {}, as)
  const listed = async (as: string | null = 'ann'): Promise<readonly string[]> =>
    (await send('GET', '/api/assets?deleted=true', undefined, as)).body.items.map(({ id }) => id)
  const remove = async (id: string): Promise<void> => {
    expect((await send('DELETE', `/api/assets/${id}`)).status).toBe(204)
  }
  const deletedKey = expect.stringMatching(/^\.deleted\//)
  const expectFiles = (files: readonly unknown[]): Promise<void> =>
    eventually(async () => expect(await storedFiles(data)).toEqual(files))

  test('are restored with the same bytes, and are not public in between', async () => {
    const id = await upload(PHOTO, 'ben')
    await send('PUT', `/api/assets/${id}`, { directory: 'archive', alt: 'A black cat' })
    const post = (await send('POST', '/api/posts', { title: 'Cats', cover: id })).body.id
    const before = (await send('GET', `/api/assets/${id}`)).body
    const since = (await send('GET', '/api/cms/changes')).body.next
    await remove(id)
    expect((await send('GET', PUBLIC)).status).toBe(404)
    await expectFiles([deletedKey])
    const [key = ''] = await storedFiles(data)
    for (const path of [PUBLIC, `/uploads/${key}`, `/api/assets/${id}`, `/api/assets/${id}/image?w=16`])
      expect((await send('GET', path)).status).toBe(404)
    const page = (await send('GET', '/api/assets?deleted=true')).body
    expect(page).toMatchObject({
      items: [{ collection: 'assets', id, title: 'note.txt', deletedBy: 'ann' }],
      nextCursor: null,
    })
    expect(await restore(id, 'ann', '?dryRun=true')).toMatchObject({ status: 200, body: { path: 'photos/cat.txt' } })
    await expectFiles([deletedKey])
    const { status, body } = await restore(id)
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { ...before, createdBy: 'ben', updatedBy: 'ann', updatedAt: expect.any(String) },
    })
    expect(await send('GET', PUBLIC)).toMatchObject({ status: 200, text: PHOTO.content })
    await expectFiles(['photos/cat.txt'])
    expect(await listed()).toEqual([])
    // A reference that the deletion removed is not restored.
    expect((await send('GET', `/api/posts/${post}`)).body.cover).toBeNull()
    const { items } = (await send('GET', `/api/cms/changes?since=${since}`)).body
    expect(items).toContainEqual(expect.objectContaining({ action: 'upsert', collection: 'assets', id }))
    expect((await restore(id)).status).toBe(400)
    // The same file can be deleted and restored again, even before its bytes have moved.
    for (let times = 0; times < 3; times += 1) {
      await remove(id)
      expect((await restore(id)).status).toBe(200)
    }
    expect((await send('GET', PUBLIC)).text).toBe(PHOTO.content)
    await expectFiles(['photos/cat.txt'])
  })

  test('free their path for another file, without mixing up the bytes', async () => {
    const first = await upload()
    await remove(first)
    const second = await upload({ ...PHOTO, content: 'another photo' })
    expect(await restore(first)).toMatchObject({ status: 409, body: { details: { field: 'filename' } } })
    expect(await restore(first, 'ann', '?dryRun=true')).toMatchObject({ status: 409 })
    expect((await send('GET', PUBLIC)).text).toBe('another photo')
    await remove(second)
    expect(await listed()).toEqual([second, first])
    expect((await restore(first)).status).toBe(200)
    expect((await send('GET', PUBLIC)).text).toBe(PHOTO.content)
    await remove(first)
    // One of several concurrent restores gets the path.
    const outcomes = await Promise.all([first, second, first, second].map((id) => restore(id)))
    expect(outcomes.filter(({ status }) => status === 200)).toHaveLength(1)
    const isFirst = (await send('GET', `/api/assets/${first}`)).status === 200
    expect((await send('GET', PUBLIC)).text).toBe(isFirst ? PHOTO.content : 'another photo')
    await expectFiles([deletedKey, 'photos/cat.txt'])
  })

  test('are restored for callers who may create and change files, and count for the quota again', async () => {
    await service.close()
    await open({ quota: { files: 1 }, access: { create: (caller) => editors(caller) || { alt: { eq: 'free' } } } })
    const id = await upload()
    await remove(id)
    expect((await restore(id, null)).status).toBe(401)
    expect((await send('GET', '/api/assets?deleted=true', undefined, null)).status).toBe(401)
    expect((await restore(id, 'ben')).status).toBe(403)
    expect(await listed('ben')).toEqual([])
    await expectFiles([deletedKey])
    const other = await upload({ content: 'other', texts: { filename: 'other.txt' } })
    // The file counts for the quota of its uploader, whoever restores it.
    for (const as of ['ann', 'cleo'])
      expect(await restore(id, as)).toMatchObject({ status: 403, body: { details: { limit: 1 } } })
    await expectFiles([deletedKey, 'other.txt'])
    await remove(other)
    expect((await restore(id, 'cleo')).status).toBe(200)
    expect((await send('GET', PUBLIC)).text).toBe(PHOTO.content)
    await remove(id)
    const operations = [{ op: 'restore', collection: 'assets', id, data: {} }]
    expect(await send('POST', '/api/cms/batch', { operations })).toMatchObject({
      status: 400,
      body: { details: { issues: [{ path: '/operations/0/data', code: 'file' }] } },
    })
  })

  test('are gone after the configured days, and once the journal has dropped their content', async () => {
    const [old, erased, recent] = [
      await upload(),
      await upload({ content: 'b', texts: { filename: 'b.txt' } }),
      await upload({ content: 'c', texts: { filename: 'c.txt' } }),
    ]
    for (const id of [old, erased, recent]) await remove(id)
    await expectFiles([deletedKey, deletedKey, deletedKey])
    const at = new Date(Date.now() - 31 * 24 * 60 * 60 * 1000).toISOString()
    await place.exec(`UPDATE daybook$journal SET at = '${at}' WHERE id = '${old}' AND action = 'delete'`)
    const ofErased = `SELECT seq FROM daybook$journal WHERE id = '${erased}'`
    await place.exec(`UPDATE daybook$journal_payload SET doc = NULL WHERE seq IN (${ofErased})`)
    expect(await listed()).toEqual([recent])
    for (const id of [old, erased]) expect((await restore(id)).status).toBe(404)
    await service.close()
    await open()
    await expectFiles([deletedKey])
    expect((await restore(recent)).status).toBe(200)
    await remove(recent)
    await expectFiles([deletedKey])
    // A file whose bytes were removed from the store cannot be restored, without other effects.
    await rm(join(data, 'uploads', '.deleted'), { recursive: true })
    for (const query of ['', '?dryRun=true'])
      expect(await restore(recent, 'ann', query)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } })
    expect((await send('GET', `/api/assets/${recent}`)).status).toBe(404)
  })

  test('are removed at once if the config keeps none', async () => {
    const id = await upload()
    await remove(id)
    await expectFiles([deletedKey])
    await service.close()
    await open({ keepDeletedDays: 0 })
    await expectFiles([])
    const second = await upload()
    await remove(second)
    await expectFiles([])
    for (const deleted of [id, second]) expect((await restore(deleted)).status).toBe(404)
    expect(await listed()).toEqual([])
    const { body } = await send('GET', '/api/cms/auth/permissions')
    expect(body.collections.assets).toMatchObject({ delete: true, restore: false })
  })

  // A crash of a restore or of a deletion leaves one of these states.
  test.each(['nothing has moved', 'a part has moved', 'both are there', 'all has moved'])(
    'survive a crash of a deletion or a restore after which %s',
    async (state) => {
      const id = await upload()
      await remove(id)
      await expectFiles([deletedKey])
      await service.close()
      const [key = ''] = await storedFiles(data)
      const [path, keptPath] = [join(data, 'uploads', 'photos', 'cat.txt'), join(data, 'uploads', key)]
      await mkdir(join(data, 'uploads', 'photos'))
      const bytes = await readFile(keptPath)
      if (state !== 'all has moved') await rename(keptPath, path)
      if (state === 'a part has moved') await writeFile(keptPath, bytes.subarray(0, 5))
      if (state === 'both are there') await writeFile(keptPath, bytes)
      const deletion = Number(key.split('.').at(-1))
      await place.exec(
        `INSERT INTO daybook$leases (name, holder, token, until) VALUES ('file:photos/cat.txt', '', ${deletion}, 0)`,
      )
      await open()
      await expectFiles([deletedKey])
      expect((await restore(id)).status).toBe(200)
      expect((await send('GET', PUBLIC)).text).toBe(PHOTO.content)
    },
  )
})

test('deleted files in a bucket have no public key until they are restored with their headers', async () => {
  await using bucket = await S3Server.make()
  const credentials = { bucket: 'files', endpoint: `http://127.0.0.1:${bucket.port}`, credentials: S3_KEY }
  await using place = await SQLITE.at()
  const keys = (): readonly string[] => [...bucket.stored.objects.keys()].sort()
  await place.serve({ ...base, assets: { store: s3(credentials) } }, async (service) => {
    const send = client(service)
    const { id } = (await send('POST', '/api/assets', toForm(PHOTO))).body
    const headers = (): unknown => {
      const { metadata = {} } = bucket.stored.objects.get('photos/cat.txt') ?? {}
      return ['content-type', 'content-disposition', 'cache-control'].map((name) => metadata[name])
    }
    const uploaded = headers()
    await send('DELETE', `/api/assets/${id}`)
    await eventually(async () => expect(keys()).toEqual([expect.stringMatching(/^\.deleted\//)]))
    // While the bucket fails, restores fail, and nothing is lost.
    bucket.failing = /^PUT/
    expect((await send('POST', `/api/assets/${id}/restore`, {})).status).toBe(503)
    expect((await send('GET', `/api/assets/${id}`)).status).toBe(404)
    bucket.failing = undefined
    expect((await send('POST', `/api/assets/${id}/restore`, {})).status).toBe(200)
    expect(keys()).toEqual(['photos/cat.txt'])
    expect(headers()).toEqual(uploaded)
    expect((await send('GET', PUBLIC)).text).toBe(PHOTO.content)
  })
})
