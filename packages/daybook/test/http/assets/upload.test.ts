import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type DaybookConfig, defineCollection, defineConfig, f } from 'daybook'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { POLICY_STORES, SQLITE, type StoredService } from '../../support/stores/stores.ts'
import { type Asset, DOT, postUpload, storedFiles, toForm, type Upload, upload } from '../../support/uploads.ts'

const config: DaybookConfig = defineConfig({
  collections: { posts: defineCollection({ fields: { title: f.text() } }) },
  assets: { maxBytes: 100_000 },
})

const SVG = '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'

let service: StoredService

const auth = (): Readonly<Record<string, string>> => ({ Authorization: `Bearer ${service.token}` })

function appendTwice(form: FormData, field: string): void {
  form.append(field, 'one')
  form.append(field, 'other')
}

const fileOf = ({ path }: Asset): Promise<Buffer> => readFile(join(service.data, 'uploads', path))

/** Runs a request that is rejected, and checks that it leaves no file, asset or change. */
async function refused(send: () => Promise<Response>): Promise<Response> {
  const state = async (): Promise<unknown> => [
    await storedFiles(service.data),
    await service.rows('SELECT * FROM "daybook$head"'),
  ]
  const before = await state()
  const response = await send()
  expect(await state()).toEqual(before)
  return response
}

describe.each(POLICY_STORES)('uploads on $name', (store) => {
  beforeAll(async () => {
    service = await store.open(config)
  })
  afterAll(() => service.close())

  test('an upload returns 201 with the stored asset, its URL and its tag', async () => {
    const texts = { directory: 'images/2026', filename: 'dot.png', alt: 'A dot' }
    const response = await postUpload(service, { content: DOT, name: 'my dot.png', type: 'text/html', texts })
    const asset = (await response.json()) as Asset
    expect(response.status).toBe(201)
    expect(asset).toMatchObject({
      filename: 'dot.png',
      originalName: 'my dot.png',
      mimeType: 'image/png',
      size: DOT.length,
      path: 'images/2026/dot.png',
      url: '/uploads/images/2026/dot.png',
      alt: 'A dot',
      sha256: createHash('sha256').update(DOT).digest('hex'),
      width: 1,
      height: 1,
      focalPoint: null,
    })
    expect(response.headers.get('location')).toBe(`/api/assets/${asset.id}`)
    expect(response.headers.get('daybook-seq')).toMatch(/^\d+$/)
    expect(await fileOf(asset)).toEqual(Buffer.from(DOT))
    const read = await service.request(`/api/assets/${asset.id}`, { headers: auth() })
    expect([read.status, read.headers.get('etag')]).toEqual([200, response.headers.get('etag')])
    expect(await read.json()).toEqual(asset)
  })

  test('without a filename, the file gets a safe name that cannot be guessed, and keeps its original name', async () => {
    const name = 'Über uns/../Zähler ‮(1).TXT'
    const assets = await Promise.all([upload(service, { name }), upload(service, { name })])
    const [first, second] = assets.map(({ filename }) => filename)
    expect(first).toMatch(/^[A-Za-z0-9][A-Za-z0-9-]*-[\w-]{22}\.txt$/)
    expect(second).not.toBe(first)
    expect(assets[0]?.path).toBe(first)
    // Direction overrides, which make a name show another ending, are removed.
    expect(assets[0]?.originalName).toBe('Zähler (1).TXT')
  })

  test.each([
    ['very '.repeat(60), '.txt', 'text/plain'],
    ['🗒️ ä'.repeat(100), '.tar.gz', 'application/octet-stream'],
    ['a\u202Egnp.\u2066', '.txt', 'text/plain'],
  ])('a name that is truncated or cleaned keeps its ending: %#', async (base, ending, mimeType) => {
    const asset = await upload(service, { name: base + ending, content: 'some text' })
    expect(asset).toMatchObject({ originalName: expect.stringMatching(/^[^\u202A-\u202E\u2066-\u2069]+$/u), mimeType })
    expect([...String(asset.originalName)].length).toBeLessThanOrEqual(255)
    for (const name of [asset.originalName, asset.filename]) expect(String(name).endsWith(ending)).toBe(true)
  })

  test('texts of the form may come before and after the file', async () => {
    const form = new FormData()
    form.set('directory', 'before')
    form.set('file', new File(['x'], 'x.txt'))
    form.set('filename', 'behind.txt')
    const response = await service.request('/api/assets', { method: 'POST', body: form, headers: auth() })
    expect(await response.json()).toMatchObject({ path: 'before/behind.txt' })
  })

  test.each([
    ['a picture, whatever it is called', DOT, 'page.html', 'image/png'],
    ['a text, by its name', 'Hello', 'hello.txt', 'text/plain'],
    [
      'a page that is called a picture: nothing is known of it',
      '<html><script>',
      'cat.png',
      'application/octet-stream',
    ],
    ['a page', '<!doctype html><script>alert(1)</script>', 'page.html', 'text/html'],
    ['a vector picture with a script', SVG, 'cat.svg', 'image/svg+xml'],
    ['what has neither signature nor known name', 'abc', 'abc', 'application/octet-stream'],
    ['an empty file', '', 'empty.txt', 'text/plain'],
  ])('the media type of %s', async (_what, content, name, mimeType) => {
    expect(await upload(service, { content, name, type: 'image/gif' })).toMatchObject({ mimeType, originalName: name })
  })

  test('an explicit name in use is 409, and the existing file stays', async () => {
    const texts = { directory: 'taken', filename: 'a.txt' }
    const first = await upload(service, { content: 'first', texts })
    const response = await refused(() => postUpload(service, { content: 'second', texts }))
    expect([response.status, await response.json()]).toMatchObject([409, { details: { field: 'filename' } }])
    expect(String(await fileOf(first))).toBe('first')
  })

  test('of fifty concurrent uploads to one name, one is stored, and the others are 409', async () => {
    const texts = { filename: 'race.txt' }
    const responses = await Promise.all(
      Array.from({ length: 50 }, (_, index) => postUpload(service, { content: `number ${index}`, texts })),
    )
    const stored = responses.filter(({ status }) => status === 201)
    expect(stored).toHaveLength(1)
    expect(responses.filter(({ status }) => status === 409)).toHaveLength(49)
    const asset = (await stored[0]?.json()) as Asset
    expect(
      createHash('sha256')
        .update(await fileOf(asset))
        .digest('hex'),
    ).toBe(asset.sha256)
  })

  test('a name is free again once its asset is deleted', async () => {
    const texts = { directory: 'again', filename: 'a.txt' }
    for (const content of ['one', 'two', 'three']) {
      const asset = await upload(service, { content, texts })
      expect(String(await fileOf(asset))).toBe(content)
      const gone = await service.request(`/api/assets/${asset.id}`, { method: 'DELETE', headers: auth() })
      expect(gone.status).toBe(204)
    }
    const left = async (): Promise<unknown> =>
      (await storedFiles(service.data)).filter((file) => file.startsWith('again/'))
    await expect.poll(left).toEqual([])
  })

  describe('names that lead outside are 400, and nothing is written', () => {
    const names = [
      '../x',
      '..\\x',
      'C:\\x',
      '/etc/x',
      '%2e%2e%2fx',
      'a\u0000b',
      'a'.repeat(300),
      '‮gpj.x',
      '.env',
      '..',
      '',
    ]
    const directories = [...names.filter((name) => name !== ''), 'a//b', 'a/', 'a/../b', '1/2/3/4/5/6/7/8/9', 'a/.git']
    test.each(names)('filename %j', async (filename) => {
      const response = await refused(() => postUpload(service, { texts: { filename } }))
      expect([response.status, await response.json()]).toMatchObject([
        400,
        { details: { issues: [{ path: '/filename' }] } },
      ])
    })
    test.each(directories)('directory %j', async (directory) => {
      const response = await refused(() => postUpload(service, { texts: { directory } }))
      expect([response.status, await response.json()]).toMatchObject([
        400,
        { details: { issues: [{ path: '/directory' }] } },
      ])
    })
  })

  const forms: readonly (readonly [what: string, change: (form: FormData) => void, path: string, code: string])[] = [
    ['no file', (form) => form.delete('file'), '/file', 'required'],
    ['two files', (form) => form.append('file', new File(['y'], 'y.txt')), '/file', 'repeated'],
    [
      'a file in another field',
      (form) => form.append('picture', new File(['y'], 'y.txt')),
      '/picture',
      'unknown_field',
    ],
    ['a text in the place of the file', (form) => form.set('file', 'text'), '/file', 'type'],
    ['a field that there is not', (form) => form.set('folder', 'a'), '/folder', 'unknown_field'],
    ['a field twice', (form) => appendTwice(form, 'alt'), '/alt', 'repeated'],
    ['a text that is too long', (form) => form.set('alt', 'a'.repeat(20_000)), '/alt', 'too_long'],
    ['an alt that the field does not take', (form) => form.set('alt', 'a'.repeat(513)), '/alt', 'maxLength'],
  ]
  test.each(forms)('a form with %s is 400', async (_what, change, path, code) => {
    const form = toForm({})
    change(form)
    const response = await refused(() =>
      service.request('/api/assets', { method: 'POST', body: form, headers: auth() }),
    )
    expect([response.status, await response.json()]).toMatchObject([400, { details: { issues: [{ path, code }] } }])
  })

  test('a form of ten thousand parts is 400', async () => {
    const form = toForm({})
    for (let index = 0; index < 10_000; index++) form.append(`field${index}`, 'x')
    const response = await refused(() =>
      service.request('/api/assets', { method: 'POST', body: form, headers: auth() }),
    )
    expect(response.status).toBe(400)
  })

  const part = 'Content-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nabc'
  const malformed: readonly (readonly [what: string, type: string, body: string])[] = [
    ['without a boundary', 'multipart/form-data', `--b\r\n${part}\r\n--b--\r\n`],
    ['whose last boundary is missing', 'multipart/form-data; boundary=b', `--b\r\n${part}`],
    ['that ends within the file', 'multipart/form-data; boundary=b', `--b\r\n${part.slice(0, -2)}`],
    ['that ends within a header', 'multipart/form-data; boundary=b', '--b\r\nContent-Disposition: form-da'],
    [
      'with a header without colon',
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition\r\n\r\nabc\r\n--b--\r\n',
    ],
    [
      'with a part without a name',
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Type: a/b\r\n\r\nabc\r\n--b--\r\n',
    ],
    ['with an empty name', 'multipart/form-data; boundary=b', `--b\r\n${part.replace('"file"', '""')}\r\n--b--\r\n`],
    [
      'with a name of a megabyte',
      'multipart/form-data; boundary=b',
      `--b\r\n${part.replace('"file"', `"${'f'.repeat(1e6)}"`)}\r\n--b--\r\n`,
    ],
    [
      'with a parameter of 8 KB',
      'multipart/form-data; boundary=b',
      `--b\r\n${part.replace('form-data;', `form-data; x="${'f'.repeat(8192)}";`)}`,
    ],
    [
      'with a bad filename*',
      'multipart/form-data; boundary=b',
      `--b\r\n${part.replace('filename="a.txt"', "filename*=UTF-8''%zz%")}`,
    ],
    ['of nothing', 'multipart/form-data; boundary=b', ''],
  ]
  test.each(malformed)('a form %s is 400', async (_what, type, body) => {
    const response = await refused(() =>
      service.request('/api/assets', { method: 'POST', body, headers: { ...auth(), 'Content-Type': type } }),
    )
    expect([response.status, await response.json()]).toMatchObject([400, { code: 'VALIDATION_ERROR' }])
  })

  test.each([
    ['JSON', 'application/json', '{"file":"abc"}'],
    ['a form without files', 'application/x-www-form-urlencoded', 'file=abc'],
    ['nothing that has a name', '', 'abc'],
  ])('%s is 415', async (_what, type, body) => {
    const headers = { ...auth(), ...(type === '' ? {} : { 'Content-Type': type }) }
    const response = await refused(() => service.request('/api/assets', { method: 'POST', body, headers }))
    expect(response.status).toBe(415)
  })

  test('a file of the maximum size is stored; one byte more is 413', async () => {
    const content = new Uint8Array(100_000)
    expect(await upload(service, { content })).toMatchObject({ size: 100_000 })
    const response = await refused(() => postUpload(service, { content: new Uint8Array(100_001) }))
    expect([response.status, await response.json()]).toMatchObject([
      413,
      { code: 'PAYLOAD_TOO_LARGE', details: { limit: 100_000 } },
    ])
  })

  test('an upload without a session is 401, whatever the body', async () => {
    const response = await refused(() => service.request('/api/assets', { method: 'POST', body: 'x' }))
    expect(response.status).toBe(401)
  })

  test('an Idempotency-Key stores a file once', async () => {
    const headers = { 'Idempotency-Key': 'upload-1' }
    const file: Upload = { content: 'once', name: 'once.txt' }
    const first = await postUpload(service, file, headers)
    const again = await refused(() => postUpload(service, file, headers))
    expect(await again.json()).toEqual(await first.json())
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    const other = await refused(() => postUpload(service, { ...file, content: 'twice' }, headers))
    expect(other.status).toBe(422)
  })
})

describe('a service that accepts some types', () => {
  test('rejects a file by the type of its bytes', async () => {
    await using limited = await SQLITE.open({ ...config, assets: { accept: ['image/*', 'text/plain'] } })
    expect(await upload(limited, { content: DOT, name: 'a.bin' })).toMatchObject({ mimeType: 'image/png' })
    const response = await postUpload(limited, { content: SVG, name: 'cat.png' })
    const issues = [{ path: '/file', code: 'accept' }]
    expect([response.status, await response.json()]).toMatchObject([400, { details: { issues } }])
  })
})
