import { Readable } from 'node:stream'
import type { BlobStore } from '../assets/blob-store.ts'
import { FileBody } from '../assets/file-body.ts'
import type { Plugin } from '../config/plugin.ts'
import type { Engine } from '../content/engine.ts'

/** Bytes that a plugin has stored. */
export interface StoredBytes {
  readonly key: string
  /** In bytes. */
  readonly size: number
}

/**
 * Bytes that a plugin keeps where the files of the assets are. Nobody else sees them. A key is a relative path of letters, digits, `.`,
 * `_` and `-`, such as `parts/1`.
 *
 * @throws all methods: {TypeError} for anything else; SERVICE_UNAVAILABLE, INSUFFICIENT_STORAGE
 */
export interface PluginStorage {
  /** Stores bytes once all of them are there; `false`: the key is taken. When the source fails, nothing of it is left. */
  add(key: string, content: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<boolean>
  /** The bytes of a key, to be read to their end or cancelled; `null`: there are none. */
  read(key: string): Promise<ReadableStream<Uint8Array> | null>
  /** All bytes whose keys begin with a prefix, in no order. */
  list(prefix: string): AsyncIterable<StoredBytes>
  /** Removes the bytes of a key, if they are there. */
  delete(key: string): Promise<void>
}

/** What a client would be told of bytes that nobody fetches. */
const HEADERS = { type: 'application/octet-stream', disposition: 'attachment' }

/** The storage of a plugin, below a folder of its own. */
export function pluginStorage({ name }: Pick<Plugin, 'name'>, { files }: Engine): PluginStorage {
  const root = `.plugins/${name}/`
  const blobs = (): Promise<BlobStore> => {
    if (!files) throw new Error('This engine has no files.')
    return files.blobs()
  }
  return Object.freeze({
    async add(key: string, content: AsyncIterable<Uint8Array>, signal = new AbortController().signal) {
      const store = await blobs()
      const staged = files?.newName() ?? ''
      try {
        await store.stage(staged, Readable.from(content, { objectMode: false }), signal)
        return await store.publish(staged, `${root}${key}`, HEADERS)
      } finally {
        await store.discard(staged)
      }
    },
    async read(key: string) {
      const found = await (await blobs()).read(`${root}${key}`)
      return found ? new FileBody(found.content, found.size) : null
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
