import { readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { TestService } from 'daybook/testing'

/** A form to upload: the file, and texts beside it. */
export interface Upload {
  readonly content?: string | Uint8Array<ArrayBuffer>
  /** The name that the client gives the file. */
  readonly name?: string
  /** The media type that the client claims. */
  readonly type?: string
  readonly texts?: Readonly<Record<string, string>>
}

/** An asset as it is answered. */
export type Asset = Readonly<Record<string, unknown>> & {
  readonly id: string
  readonly path: string
  readonly filename: string
  readonly sha256: string
}

/** A picture of one pixel. */
export const DOT: Uint8Array<ArrayBuffer> = Uint8Array.from(
  Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ),
)

export function toForm({ content = 'some text', name = 'note.txt', type = '', texts = {} }: Upload): FormData {
  const form = new FormData()
  form.set('file', new File([content], name, { type }))
  for (const [key, value] of Object.entries(texts)) form.set(key, value)
  return form
}

/** Sends an upload with a session. */
export const postUpload = (
  { request, token }: Pick<TestService, 'request' | 'token'>,
  upload: Upload = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> =>
  request('/api/assets', {
    method: 'POST',
    body: toForm(upload),
    headers: { Authorization: `Bearer ${token}`, ...headers },
  })

export async function upload(service: Pick<TestService, 'request' | 'token'>, file: Upload = {}): Promise<Asset> {
  const response = await postUpload(service, file)
  const text = await response.text()
  if (response.status !== 201) throw new Error(`The upload returned ${response.status}: ${text}`)
  return JSON.parse(text) as Asset
}

/** Lists every file below the folder of a service's files, staged ones included, in order. */
export async function storedFiles(data: string): Promise<readonly string[]> {
  const folder = join(data, 'uploads')
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
  return files.sort()
}
