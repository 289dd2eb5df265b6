import { createService, type DaybookConfig, defineCollection, defineConfig, f } from 'daybook'
import { serveUploads } from 'daybook/plugins'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signImage } from '../../../src/assets/images/image-request.ts'
import { PLACES, picture, plainPicture } from '../../assets/images/pictures.ts'
import { POLICY_STORES, SQLITE, type StoredService } from '../../support/stores/stores.ts'
import { type Asset, postUpload, upload } from '../../support/uploads.ts'

const SECRET = 'a secret of the site, which has forty characters'

const config: DaybookConfig = defineConfig({
  collections: { posts: defineCollection({ fields: { title: f.text() } }) },
  assets: { images: { sizes: ['120x63'], secret: SECRET, maxPixels: 1_000_000, timeMs: 120_000 } },
})

let service: StoredService

const bytesOf = async (response: Response): Promise<Buffer> => Buffer.from(await response.arrayBuffer())

async function png(width = 400, height = 200): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await plainPicture(width, height).png().toBuffer())
}

const uploadPicture = async (): Promise<Asset> => upload(service, { content: await png(), name: 'cat.png' })

describe.each(POLICY_STORES)('pictures of an asset on $name', (store) => {
  beforeAll(async () => {
    service = await store.open(config)
  })
  afterAll(() => service.close())

  const get = (asset: Asset, query: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
    service.request(`/api/assets/${asset.id}/image${query}`, { headers })

  test('have the requested size', async () => {
    const response = await get(await uploadPicture(), '?w=128&format=webp')
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/webp'])
    expect(await sharp(await bytesOf(response)).metadata()).toMatchObject({ format: 'webp', width: 128, height: 64 })
  })

  test('have a format that the client accepts, and Vary', async () => {
    const asset = await uploadPicture()
    const avif = await get(asset, '?w=64', { Accept: 'image/avif,image/webp,*/*' })
    const original = await get(asset, '?w=64', { Accept: '*/*' })
    expect([avif, original].map(({ headers }) => headers.get('content-type'))).toEqual(['image/avif', 'image/png'])
    expect(avif.headers.get('vary')).toMatch(/\bAccept$/)
    expect((await get(asset, '?w=64&format=png')).headers.get('vary')).not.toContain('Accept')
  })

  test('get 304 if the client has them', async () => {
    const asset = await uploadPicture()
    const first = await get(asset, '?w=64')
    const etag = first.headers.get('etag') ?? ''
    const again = await get(asset, '?w=64', { 'If-None-Match': etag })
    expect([first.status, again.status, again.headers.get('etag')]).toEqual([200, 304, etag])
    expect((await get(asset, '?w=96', { 'If-None-Match': etag })).status).toBe(200)
    expect((await get(asset, '?w=64', { 'If-Match': '"other"' })).status).toBe(412)
  })

  test('are cached like their asset', async () => {
    const asset = await uploadPicture()
    const signedIn = { Authorization: `Bearer ${service.token}` }
    for (const headers of [{}, signedIn]) {
      const [whole, image] = [
        await service.request(`/api/assets/${asset.id}`, { headers }),
        await get(asset, '?w=64', headers),
      ]
      expect(image.headers.get('cache-control')).toBe(whole.headers.get('cache-control'))
    }
  })

  test('have no body in responses to HEAD', async () => {
    const asset = await uploadPicture()
    const response = await service.request(`/api/assets/${asset.id}/image?w=64`, { method: 'HEAD' })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png'])
    expect((await bytesOf(response)).length).toBe(0)
  })

  test('show the focal point of the asset', async () => {
    const red = { create: { width: 200, height: 200, channels: 3 as const, background: '#f00' } }
    const canvas = sharp({ create: { width: 400, height: 200, channels: 3, background: '#00f' } })
    const halves = new Uint8Array(
      await canvas
        .composite([{ input: red, left: 0, top: 0 }])
        .png()
        .toBuffer(),
    )
    const asset = await upload(service, { content: halves, name: 'halves.png' })
    const colour = async (): Promise<readonly number[]> => [
      ...(await sharp(await bytesOf(await get(asset, '?w=64&h=64')))
        .resize(1, 1)
        .removeAlpha()
        .raw()
        .toBuffer()),
    ]
    const headers = { Authorization: `Bearer ${service.token}`, 'Content-Type': 'application/json' }
    const body = JSON.stringify({ focalPoint: { x: 0, y: 0.5 } })
    expect((await service.request(`/api/assets/${asset.id}`, { method: 'PATCH', headers, body })).status).toBe(200)
    expect(await colour()).toEqual([255, 0, 0])
  })

  test.each([
    ['?w=100', 'w'],
    ['?w=0', 'w'],
    ['?w=64&h=63', 'h'],
    ['?w=64&fit=fill', 'fit'],
    ['?w=64&q=51', 'q'],
    ['?w=64&format=gif', 'format'],
    ['?w=64&signature=nonsense', 'signature'],
    ['?width=64', 'width'],
  ])('are rejected for %s', async (query, path) => {
    const response = await get(await uploadPicture(), query)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ code: 'VALIDATION_ERROR', details: { issues: [{ path }] } })
  })

  test('have any size with a signature', async () => {
    const asset = await uploadPicture()
    const response = await get(asset, `?${signImage(SECRET, asset.id, { w: 77, h: 33, q: 61 })}`)
    expect(await sharp(await bytesOf(response)).metadata()).toMatchObject({ width: 77, height: 33 })
    expect((await get(asset, '?w=120&h=63')).status).toBe(200)
  })

  test('are not created from other files, or from files that only begin like a picture', async () => {
    const tiff = new Uint8Array(Buffer.concat([Buffer.from('49492a0008000000ffff', 'hex'), Buffer.alloc(900, 7)]))
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'
    for (const file of [{}, { content: tiff, name: 'a.tiff' }, { content: svg, name: 'a.svg' }]) {
      const response = await get(await upload(service, file), '?w=64')
      expect([response.status, await response.json()]).toEqual([
        400,
        expect.objectContaining({ code: 'VALIDATION_ERROR' }),
      ])
    }
  })

  test('have their size and a placeholder in the asset', async () => {
    const { placeholder, width, height } = await uploadPicture()
    const shown = await sharp(
      Buffer.from(String(placeholder).replace(/^data:image\/webp;base64,/, ''), 'base64'),
    ).metadata()
    expect([width, height, shown.format, shown.width]).toEqual([400, 200, 'webp', 32])
    expect(await upload(service)).toMatchObject({ placeholder: null, width: null })
  })

  test('of a missing asset are not found', async () => {
    const asset = await uploadPicture()
    expect((await get({ ...asset, id: '0190a3c4-0000-7000-8000-000000000000' }, '?w=64')).status).toBe(404)
  })

  test('an upload with too many pixels or frames is rejected, and a location is stripped', async () => {
    const bomb = Buffer.from('89504e470d0a1a0a0000000d494844520000c3500000c3500802000000', 'hex')
    const refused = await postUpload(service, {
      content: new Uint8Array(Buffer.concat([bomb, Buffer.alloc(40)])),
      name: 'a.png',
    })
    expect([refused.status, await refused.json()]).toEqual([400, expect.objectContaining({ code: 'VALIDATION_ERROR' })])
    const frame = Buffer.from('2c0000000001000100000202440100', 'hex')
    const head = Buffer.from('GIF89a\x01\0\x01\0\0\0\0', 'latin1')
    const gif = new Uint8Array(Buffer.concat([head, ...Array.from({ length: 20_000 }, () => frame)]))
    const film = await postUpload(service, { content: gif, name: 'a.gif' })
    expect([film.status, await film.json()]).toEqual([400, expect.objectContaining({ code: 'VALIDATION_ERROR' })])
    const photo = new Uint8Array(await picture('jpeg'))
    const asset = await upload(service, { content: photo, name: 'photo.jpg' })
    const image = await bytesOf(await get(asset, '?format=jpeg'))
    for (const place of PLACES) expect(image.includes(place)).toBe(false)
    expect(asset).toMatchObject({ width: 40, height: 64 })
  })
})

test('with stripLocation: false, an uploaded image keeps its location', async () => {
  const withoutStripping = { ...config, assets: { stripLocation: false }, plugins: [serveUploads()] }
  await using withLocation = await SQLITE.open(withoutStripping)
  const photo = await picture('jpeg')
  const asset = await upload(withLocation, { content: new Uint8Array(photo), name: 'photo.jpg' })
  expect(await bytesOf(await withLocation.request(`/uploads/${asset.path}`))).toEqual(photo)
})

test('a picture is served to callers who may read its asset, and not cached for others', async () => {
  const closed = await SQLITE.open(
    defineConfig({
      collections: { posts: defineCollection({ fields: { title: f.text() } }) },
      assets: { access: { read: ({ identity }) => identity !== null } },
    }),
  )
  try {
    const { id } = await upload(closed, { content: await png(), name: 'cat.png' })
    const headers = { Authorization: `Bearer ${closed.token}` }
    const [anns, bobs] = await Promise.all([
      closed.request(`/api/assets/${id}/image?w=64`, { headers }),
      closed.request(`/api/assets/${id}/image?w=64`),
    ])
    expect([anns.status, anns.headers.get('cache-control')]).toEqual([200, 'private, no-store'])
    expect(bobs.status).toBe(401)
  } finally {
    await closed.close()
  }
})

test.each([
  [{ widths: [0] }, 'assets.images.widths'],
  [{ widths: [] }, 'assets.images.widths'],
  [{ sizes: ['12by3'] }, 'assets.images.sizes'],
  [{ sizes: ['9999x3'] }, 'assets.images.sizes'],
  [{ qualities: [101] }, 'assets.images.qualities'],
  [{ secret: 'short' }, 'assets.images.secret'],
  [{ size: ['1x1'] }, 'assets.images.size'],
])('a config with %j is rejected at %s', async (images, path) => {
  const faulty = { collections: {}, assets: { images } } as unknown as DaybookConfig
  await expect(createService(faulty)).rejects.toThrow(path)
})
