import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { type BlobStore, disk } from 'daybook'
import sharp from 'sharp'
import { afterAll, describe, expect, test } from 'vitest'
import { DEFAULT_IMAGE_RULES, type ImageRequest, signImage } from '../../../src/assets/images/image-request.ts'
import { type ImageProcessor, openImageProcessor } from '../../../src/assets/images/processor/image-processor.ts'
import { type ImageSource, ImageVariants } from '../../../src/assets/images/variants.ts'
import { Folder } from '../../support/stores/folder.ts'
import { plainPicture } from './pictures.ts'

const SECRET = 'a secret of the site, which has forty characters'
const BROWSER = 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8'

const processor = openImageProcessor({ timeMs: 120_000 })
afterAll(() => processor?.close())

class Place implements AsyncDisposable {
  readonly #folder: Folder
  readonly store: BlobStore
  readonly variants: ImageVariants

  private constructor(folder: Folder, store: BlobStore, worker: ImageProcessor | undefined) {
    this.#folder = folder
    this.store = store
    const rules = { ...DEFAULT_IMAGE_RULES, sizes: ['1200x630'], secret: SECRET }
    this.variants = new ImageVariants({ blobs: async () => store, processor: worker, rules })
  }

  static async make(worker: ImageProcessor | undefined = processor): Promise<Place> {
    const folder = await Folder.make()
    return new Place(folder, await disk().open({ data: folder.address }), worker)
  }

  async add(name = 'cat'): Promise<ImageSource> {
    const bytes = await plainPicture(400, 200).png().toBuffer()
    const path = `2026/${name}.png`
    await this.store.write(path, bytes, { type: 'image/png', disposition: 'inline' })
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    return { id: name, sha256, path, mimeType: 'image/png', width: 400 }
  }

  async get(source: ImageSource, request: ImageRequest, accept?: string): Promise<Buffer> {
    return buffer((await this.variants.read(this.variants.plan(source, request, accept))).content)
  }

  async storedKeys(): Promise<readonly string[]> {
    const keys: string[] = []
    for await (const { key } of this.store.list('.images/')) keys.push(key)
    return keys.sort()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.store.close()
    await this.#folder[Symbol.asyncDispose]()
  }
}

test('a picture is created once, and stored under the digest of its source', async () => {
  await using place = await Place.make()
  const source = await place.add()
  const first = await place.get(source, { w: 128, format: 'webp' })
  expect(await sharp(first).metadata()).toMatchObject({ format: 'webp', width: 128, height: 64 })
  expect(await place.storedKeys()).toEqual([`.images/${source.sha256}/w128_inside_q75.webp`])
  await place.store.delete(source.path)
  expect((await place.get(source, { w: 128, format: 'webp' })).equals(first)).toBe(true)
})

test('a hundred concurrent requests for one picture share the work', async () => {
  const single = openImageProcessor({ atOnce: 1, maxWaiting: 0, timeMs: 120_000 })
  try {
    await using place = await Place.make(single)
    const source = await place.add()
    const all = await Promise.all(Array.from({ length: 100 }, () => place.get(source, { w: 64, format: 'png' })))
    expect(new Set(all.map((bytes) => bytes.toString('base64'))).size).toBe(1)
  } finally {
    single?.close()
  }
})

test('assets with the same bytes share their pictures', async () => {
  await using place = await Place.make()
  const [first, second] = [await place.add('one'), await place.add('other')]
  const plans = [first, second].map((source) => place.variants.plan(source, { w: 64 }, BROWSER))
  expect(plans[0]).toMatchObject({ key: plans[1]?.key, etag: plans[1]?.etag })
})

test('different pictures have different keys and entity tags', async () => {
  await using place = await Place.make()
  const source = await place.add()
  const square = { w: 64, h: 64 }
  const plans = [
    place.variants.plan(source, { w: 64 }, undefined),
    place.variants.plan(source, square, undefined),
    place.variants.plan(source, { ...square, fit: 'contain' }, undefined),
    place.variants.plan({ ...source, focal: { x: 0.25, y: 1 } }, square, undefined),
    place.variants.plan(source, { ...square, format: 'jpeg' }, undefined),
    place.variants.plan(source, { ...square, format: 'jpeg', q: 50 }, undefined),
    place.variants.plan({ ...source, sha256: 'f'.repeat(64) }, square, undefined),
  ]
  expect(new Set(plans.map(({ key }) => key)).size).toBe(plans.length)
  expect(new Set(plans.map(({ etag }) => etag)).size).toBe(plans.length)
  for (const { etag } of plans) expect(etag).toMatch(/^"[\w-]{27}"$/)
})

test('widths above that of the original give one picture in the original width', async () => {
  await using place = await Place.make()
  const source = await place.add()
  const [wide, none] = [place.variants.plan(source, { w: 3840 }, undefined), place.variants.plan(source, {}, undefined)]
  expect(wide.key).toBe(none.key)
  expect((await sharp(await place.get(source, { w: 3840 })).metadata()).width).toBe(400)
})

describe('the format', () => {
  test.each([
    [BROWSER, 'image/png', 'image/avif'],
    ['image/webp,*/*', 'image/png', 'image/webp'],
    ['image/avif;q=0, image/webp;q=0.5', 'image/jpeg', 'image/webp'],
    ['*/*', 'image/jpeg', 'image/jpeg'],
    [undefined, 'image/png', 'image/png'],
    [undefined, 'image/webp', 'image/webp'],
    [undefined, 'image/gif', 'image/png'],
    [undefined, 'image/heic', 'image/jpeg'],
  ] as const)('for Accept %s of an original of type %s is %s', async (accept, mimeType, type) => {
    await using place = await Place.make()
    const plan = place.variants.plan({ ...(await place.add()), mimeType }, { w: 64 }, accept)
    expect(plan).toMatchObject({ type, variesByAccept: true })
  })

  test('does not vary if the request names it', async () => {
    await using place = await Place.make()
    const plan = place.variants.plan(await place.add(), { w: 64, format: 'jpeg' }, BROWSER)
    expect(plan).toMatchObject({ type: 'image/jpeg', variesByAccept: false })
  })
})

describe('a request', () => {
  test.each([
    [{ w: 100 }, 'w'],
    [{ h: 64 }, 'h'],
    [{ w: 64, h: 32 }, 'h'],
    [{ w: 64, q: 51 }, 'q'],
    [{ w: 64, q: 101 }, 'q'],
    [{ w: 0 }, 'w'],
    [{ w: 64.5 }, 'w'],
    [{ w: 64, signature: 'nonsense' }, 'signature'],
  ] as const)('for %j is refused at %s', async (request, path) => {
    await using place = await Place.make()
    const source = await place.add()
    expect(() => place.variants.plan(source, request, undefined)).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR', details: { issues: [expect.objectContaining({ path })] } }),
    )
  })

  test.each([{}, { w: 64 }, { w: 64, h: 64 }, { w: 1200, h: 630 }, { w: 64, q: 90 }])(
    'for %j is allowed',
    async (request) => {
      await using place = await Place.make()
      expect(place.variants.plan(await place.add(), request, undefined).type).toBe('image/png')
    },
  )

  test('for any size is allowed with a signature for exactly this asset and these parameters', async () => {
    await using place = await Place.make()
    const source = await place.add()
    const parameters = { w: 100, h: 37, fit: 'contain', q: 33 } as const
    const signature = new URLSearchParams(signImage(SECRET, source.id, parameters)).get('signature') ?? ''
    const plan = (id: string, request: ImageRequest) => () =>
      place.variants.plan({ ...source, id }, { ...request, signature }, undefined)
    expect(plan(source.id, parameters)().transformation).toMatchObject({ width: 100, height: 37, fit: 'contain' })
    for (const other of [{ ...parameters, w: 101 }, { ...parameters, format: 'png' as const }, {}]) {
      expect(plan(source.id, other)).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR' }))
    }
    expect(plan('dog', parameters)).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR' }))
  })

  test('with a signature above the largest side is rejected', async () => {
    await using place = await Place.make()
    const source = await place.add()
    const signature = new URLSearchParams(signImage(SECRET, source.id, { w: 4097 })).get('signature') ?? ''
    expect(() => place.variants.plan(source, { w: 4097, signature }, undefined)).toThrow('must be from 1 to 4096')
  })

  test.each(['image/svg+xml', 'application/pdf'])('of an asset of type %s is rejected', async (mimeType) => {
    await using place = await Place.make()
    const source = { ...(await place.add()), mimeType }
    expect(() => place.variants.plan(source, { w: 64 }, undefined)).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR' }),
    )
  })

  test('without sharp fails with the missing package', async () => {
    const folder = await Folder.make()
    const store = await disk().open({ data: folder.address })
    const variants = new ImageVariants({ blobs: async () => store, processor: undefined })
    const source = { id: 'cat', sha256: 'f'.repeat(64), path: 'cat.png', mimeType: 'image/png' }
    expect(() => variants.plan(source, { w: 64 }, undefined)).toThrow(
      expect.objectContaining({ code: 'NOT_IMPLEMENTED', message: expect.stringContaining('sharp') }),
    )
    await store.close()
    await folder[Symbol.asyncDispose]()
  })

  test('for a picture whose file is gone is not found', async () => {
    await using place = await Place.make()
    const source = { ...(await place.add()), path: '2026/gone.png' }
    await expect(place.get(source, { w: 64 })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})

test('deleting the variants of a source removes all pictures, also one in progress', async () => {
  await using place = await Place.make()
  const source = await place.add()
  await place.get(source, { w: 64 })
  const other = { ...source, sha256: 'f'.repeat(64) }
  await place.get(other, { w: 64 })
  const running = place.get(source, { w: 128 })
  await place.variants.deleteVariants(source.sha256)
  await running
  expect(await place.storedKeys()).toEqual([`.images/${other.sha256}/w64_inside_q100.png`])
})
