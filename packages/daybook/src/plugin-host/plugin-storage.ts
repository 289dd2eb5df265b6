import { Readable } from 'node:stream'
import type { BlobStore } from '../assets/blob-store.ts'
import { FileBody } from '../assets/file-body.ts'
import type { Plugin } from '../config/plugin.ts'
import type { ContentContext } from '../content/context.ts'

/** Bytes in the storage of a plugin. */
export interface StoredBytes {
  readonly key: string
  /** In bytes. */
  readonly size: number
}

/**
 * The storage of a plugin, in the store of the assets' files. Only the plugin sees it. A key is a relative path of letters, digits, `.`,
 * `_` and `-`, such as `parts/1`.
 *
 * @throws all methods: {TypeError} for anything else; SERVICE_UNAVAILABLE, INSUFFICIENT_STORAGE
 */
export interface PluginStorage {
  /** Stores bytes atomically. Resolves to `false` if the key exists. Stores nothing if the source fails. */
  add(key: string, content: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<boolean>
  /** Opens the bytes of a key, or resolves to `null`. The stream must be read to its end or cancelled. */
  read(key: string): Promise<ReadableStream<Uint8Array> | null>
  /** Lists all bytes whose keys begin with a prefix, in arbitrary order. */
  list(prefix: string): AsyncIterable<StoredBytes>
  /** Removes the bytes of a key, if they exist. */
  delete(key: string): Promise<void>
}

/** Headers that the store requires. No client requests these bytes. */
const HEADERS = { type: 'application/octet-stream', disposition: 'attachment' }

/** Creates the storage of a plugin, below its own folder. */
export function createPluginStorage({ name }: Pick<Plugin, 'name'>, { files }: ContentContext): PluginStorage {
  const root = `.plugins/${name}/`
  const blobs = (): Promise<BlobStore> => {
    if (!files) throw new Error('This content context has no files.')
    return files.blobs()
  }
  return Object.freeze({
    async add(key: string, content: AsyncIterable<Uint8Array>, signal = new AbortController().signal) {
      const store = await blobs()
      const staged = files?.createName() ?? ''
      try {
        await store.stage(staged, Readable.from(content, { objectMode: false }), signal)
        return await store.publish(staged, `${root}${key}`, HEADERS)
      } finally {
        await store.discard(staged)
      }
    },
    async read(key: string) {
      const blob = await (await blobs()).read(`${root}${key}`)
      return blob ? new FileBody(blob.content, blob.size) : null
    },
    async *list(prefix: string) {
      for await (const { key, size } of (await blobs()).list(`${root}${prefix}`))
        yield { key: key.slice(root.length), size }
    },
    async delete(key: string) {
      await (await blobs()).delete(`${root}${key}`)
    },
  })
}
