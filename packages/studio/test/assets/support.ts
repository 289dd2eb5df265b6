import { crc32, deflateSync } from 'node:zlib'
import { type DaybookConfig, defineCollection, defineConfig, f } from 'daybook'
import { serveUploads } from 'daybook/plugins'
import type { TestService } from 'daybook/testing'
import { SLOW_MACHINE_LIMITS } from '../../../daybook/test/support/timeouts.ts'
import { studio } from '../../src/index.ts'

/** Collections with required, optional and multiple files. */
export const gallery: DaybookConfig = defineConfig({
  limits: { ...SLOW_MACHINE_LIMITS, signInsPerMinute: 1000 },
  assets: {
    accept: ['image/*', 'text/plain', 'application/pdf'],
    maxBytes: 200_000,
    // The Studio shows none of these widths, so it must ask for the next larger one.
    images: { widths: [100, 200, 400, 900] },
  },
  plugins: [studio({ title: 'The museum' }), serveUploads()],
  collections: {
    posts: defineCollection({
      fields: {
        title: f.text({ required: true }),
        cover: f.asset({ accept: ['image/*'], description: 'Shown above the text.' }),
        pictures: f.asset({ many: true }),
        status: f.status(),
      },
    }),
    prints: defineCollection({
      fields: { title: f.text({ required: true }), scan: f.asset({ required: true, onDelete: 'restrict' }) },
    }),
  },
})

/** Encodes a PNG of one colour with a darker square in it. */
export function png(width: number, height: number, [red, green, blue]: readonly [number, number, number]): Buffer {
  const row = (y: number): number[] => [
    0,
    ...Array.from({ length: width }, (_, x) => {
      const isSquare = Math.abs(x - width * 0.7) < height / 6 && Math.abs(y - height * 0.35) < height / 6
      return [red, green, blue].map((part) => (isSquare ? part >> 1 : part))
    }).flat(),
  ]
  const pixels = Buffer.from(Array.from({ length: height }, (_, y) => row(y)).flat())
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 2, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(typed))
  return Buffer.concat([length, typed, sum])
}

/** A file for Playwright's `setFiles`. */
export const pictureFile = (name: string, colour: readonly [number, number, number] = [70, 120, 190]) => ({
  name,
  mimeType: 'image/png',
  buffer: png(240, 160, colour),
})

/** Uploads a file with the service token. @returns its id */
export async function storeFile(
  service: TestService,
  name: string,
  { bytes = png(24, 16, [200, 90, 60]), directory, alt }: { bytes?: Buffer; directory?: string; alt?: string } = {},
): Promise<string> {
  const form = new FormData()
  if (directory !== undefined) form.set('directory', directory)
  if (alt !== undefined) form.set('alt', alt)
  form.set('file', new File([new Uint8Array(bytes)], name))
  const headers = { Authorization: `Bearer ${service.token}` }
  const response = await service.request('/api/assets', { method: 'POST', body: form, headers })
  if (response.status !== 201) throw new Error(`the upload returned ${response.status}: ${await response.text()}`)
  return ((await response.json()) as { readonly id: string }).id
}
