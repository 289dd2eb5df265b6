import { randomUUID } from 'node:crypto'
import { access, constants, type FileHandle, lstat, open, opendir, readdir, rename, unlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { addAbortSignal, Readable } from 'node:stream'
import { DaybookError } from '../errors.ts'
import { getErrorCode, ignoreErrors, toDiskError, withDiskErrors } from '../fs-errors.ts'
import type {
  BlobContent,
  BlobHeaders,
  BlobStore,
  BlobStoreOption,
  ByteRange,
  StagedBlob,
  StoredBlob,
} from './blob-store.ts'
import {
  isBlobKey,
  isInternalKey,
  requireBlobKey,
  requireBlobPrefix,
  requireStagedName,
  STAGING_SEGMENT,
  StagedBlobs,
} from './blob-store.ts'
import {
  ABSENT_CODES,
  isFolder,
  listFolders,
  makeBlobFolder,
  makeFolders,
  moveExclusively,
  removeEmptyFolders,
  syncFolder,
} from './file-operations.ts'

/** Where files lie on a disk. */
export interface DiskOptions {
  /**
   * The folder of the files, absolute or below the data folder. Daybook makes it for its own user alone (mode 0700), with files that
   * others can read (0644) inside: to let a proxy of another user in, make the folder yourself, or run `chmod 0755` on it and on those
   * around it. @default 'uploads'
   */
  readonly folder?: string
}

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants
/** Between the name of a staged blob and the number of its stream, while that is taken in: no name has it. */
const PART_MARK = '~'
/** How often a folder is made anew that a deletion took away in the same moment. */
const FOLDER_ATTEMPTS = 20
const READABLE_FILE = 0o644
/** How much of a file is read at a time, in bytes: twice what Node reads, as each read costs processor time. */
const READ_BYTES = 128 * 1024
/** The answers of a file system that cannot put a file in the place of a folder. */
const FOLDER_THERE: readonly string[] = ['EISDIR', 'EEXIST', 'ENOTEMPTY', 'ENOTDIR']

/**
 * Keeps files in a folder.
 *
 * @example
 * ```ts
 * defineConfig({ assets: { store: disk({ folder: '/srv/uploads' }) } })
 * ```
 */
export function disk({ folder = 'uploads' }: DiskOptions = {}): BlobStoreOption {
  return {
    name: `disk ${folder}`,
    open: async ({ data }) => new DiskBlobStore(await makeBlobFolder(resolve(data, folder), data)),
  }
}

/** Blobs in files below a folder, named by their keys; what is staged lies in `.incoming`. */
class DiskBlobStore implements BlobStore {
  readonly #root: string
  readonly #incoming: string

  constructor(root: string) {
    this.#root = root
    this.#incoming = join(root, STAGING_SEGMENT)
  }

  async stage(name: string, content: Readable, signal: AbortSignal): Promise<void> {
    requireStagedName(name)
    await this.#takeIn(name, content, (part) => rename(part, join(this.#incoming, name)), signal)
  }

  async publish(name: string, key: string, _headers: BlobHeaders): Promise<boolean> {
    requireStagedName(name)
    requireBlobKey(key)
    const staged = join(this.#incoming, name)
    return await withDiskErrors(async () => {
      if ((await ignoreErrors(ABSENT_CODES, settle(staged))) === undefined) await this.#refuseUnstaged(name)
      return await this.#place(key, (path) => moveExclusively(staged, path))
    })
  }

  async move(from: string, to: string): Promise<boolean> {
    requireBlobKey(from)
    requireBlobKey(to)
    return await withDiskErrors(async () => {
      const isMoved = await this.#place(
        to,
        async (path) => (await this.size(from)) !== undefined && (await moveExclusively(this.#pathOf(from), path)),
      )
      const emptied = listFolders(this.#root, isMoved ? from : to)
      if (isMoved) await ignoreErrors(ABSENT_CODES, syncFolder(emptied.at(-1) ?? this.#root))
      await removeEmptyFolders(emptied)
      return isMoved
    })
  }

  async discard(name: string): Promise<void> {
    requireStagedName(name)
    await withDiskErrors(async () => {
      const files = await readdir(this.#incoming)
      const own = files.filter((file) => stagedName(file) === name)
      await Promise.all(own.map((file) => removeFile(join(this.#incoming, file))))
    })
  }

  async *staged(): AsyncIterable<StagedBlob> {
    const names = new StagedBlobs()
    for (const file of await withDiskErrors(() => readdir(this.#incoming))) {
      const found = await withDiskErrors(() => ignoreErrors(ABSENT_CODES, lstat(join(this.#incoming, file))))
      if (found) names.add(stagedName(file), found.mtime)
    }
    yield* names
  }

  async read(key: string, range?: ByteRange): Promise<BlobContent | undefined> {
    requireBlobKey(key)
    return await withDiskErrors(async () => {
      const handle = await this.#open(key)
      return handle && (await contentOf(handle, range))
    })
  }

  async size(key: string): Promise<number | undefined> {
    requireBlobKey(key)
    return await withDiskErrors(async () => {
      if (!(await this.#leadsTo(key))) return undefined
      const found = await ignoreErrors(ABSENT_CODES, lstat(this.#pathOf(key)))
      return found?.isFile() ? found.size : undefined
    })
  }

  async write(key: string, bytes: Uint8Array, _headers: BlobHeaders): Promise<void> {
    requireBlobKey(key)
    const place = async (part: string): Promise<void> => {
      await settle(part)
      const isPlaced = await this.#place(
        key,
        async (path) =>
          (await ignoreErrors(
            FOLDER_THERE,
            rename(part, path).then(() => true),
          )) ?? false,
      )
      if (!isPlaced) throw new DaybookError('CONFLICT')
    }
    await this.#takeIn(randomUUID(), Readable.from([bytes]), place)
  }

  async delete(key: string): Promise<void> {
    requireBlobKey(key)
    await withDiskErrors(async () => {
      if (!(await this.#leadsTo(key)) || (await isFolder(this.#pathOf(key)))) return
      await removeFile(this.#pathOf(key))
      await removeEmptyFolders(listFolders(this.#root, key))
    })
  }

  async *list(prefix: string): AsyncIterable<StoredBlob> {
    requireBlobPrefix(prefix)
    const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1)
    if (!(await withDiskErrors(() => this.#leadsTo(prefix)))) return
    for await (const key of keysBelow(this.#root, folder, prefix)) {
      const size = await this.size(key)
      if (size !== undefined) yield { key, size }
    }
  }

  async check(): Promise<void> {
    await withDiskErrors(async () => {
      if (!(await isFolder(this.#incoming)))
        throw new DaybookError('SERVICE_UNAVAILABLE', 'The folder of files is gone.')
      await access(this.#incoming, constants.W_OK | constants.X_OK)
    })
  }

  async close(): Promise<void> {}

  #pathOf(key: string): string {
    return join(this.#root, key)
  }

  /** Whether all that stands above a key's file is a folder, and no link. */
  async #leadsTo(key: string): Promise<boolean> {
    for (const folder of listFolders(this.#root, key)) if (!(await isFolder(folder))) return false
    return true
  }

  async #open(key: string): Promise<FileHandle | undefined> {
    if (!(await this.#leadsTo(key))) return undefined
    // A pipe of that name would otherwise wait for its other end.
    return await ignoreErrors([...ABSENT_CODES, 'EMLINK'], open(this.#pathOf(key), O_RDONLY | O_NOFOLLOW | O_NONBLOCK))
  }

  /** Takes a stream into a file of its own, hands its path over, and leaves nothing of it when one of the two fails. */
  async #takeIn(
    name: string,
    content: Readable,
    handOver: (part: string) => Promise<void>,
    signal?: AbortSignal,
  ): Promise<void> {
    const part = join(this.#incoming, `${name}${PART_MARK}${randomUUID()}`)
    try {
      await storeStream(part, content, signal)
      await handOver(part)
    } catch (error) {
      await removeFile(part).catch(() => {})
      content.destroy()
      // The folder was unmounted; making it anew would fill another disk.
      if (getErrorCode(error) === 'ENOENT') throw new DaybookError('SERVICE_UNAVAILABLE', undefined, {}, error)
      throw toDiskError(error)
    }
  }

  async #refuseUnstaged(name: string): Promise<never> {
    await this.check()
    throw new Error(`Nothing is staged as ${name}.`)
  }

  /** Makes the folders of a key and places its file, durably. @returns what `place` says; `false` where a file stands in the way */
  async #place(key: string, place: (path: string) => Promise<boolean>): Promise<boolean> {
    const folders = listFolders(this.#root, key)
    try {
      if (!(await this.#attempt(folders, key, place))) return false
    } catch (error) {
      await removeEmptyFolders(folders)
      throw error
    }
    // Another process may have made some of them, and not have come this far.
    for (const folder of [this.#root, ...folders]) await syncFolder(folder)
    return true
  }

  async #attempt(
    folders: readonly string[],
    key: string,
    place: (path: string) => Promise<boolean>,
    left: number = FOLDER_ATTEMPTS,
  ): Promise<boolean> {
    try {
      if (!(await makeFolders(folders, isInternalKey(key) ? 0o700 : 0o755))) return false
      return await place(this.#pathOf(key))
    } catch (error) {
      if (getErrorCode(error) !== 'ENOENT' || left === 1) throw error
      return await this.#attempt(folders, key, place, left - 1)
    }
  }
}

/** The name of a staged blob, by that of its file. */
const stagedName = (file: string): string => file.split(PART_MARK, 1)[0] ?? file

/** Writes a stream into a new file that only its owner can read; it is on the disk in the end. */
async function storeStream(path: string, content: Readable, signal: AbortSignal | undefined): Promise<void> {
  const handle = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
  try {
    await handle.writeFile(signal ? addAbortSignal(signal, content) : content)
    // A full disk may show no earlier than here.
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Lets others read a file, and makes sure that its bytes and mode outlast a loss of power. */
async function settle(path: string): Promise<true> {
  const handle = await open(path, O_RDONLY | O_NOFOLLOW)
  try {
    await handle.chmod(READABLE_FILE)
    await handle.sync()
    return true
  } finally {
    await handle.close()
  }
}

async function contentOf(handle: FileHandle, range: ByteRange | undefined): Promise<BlobContent | undefined> {
  try {
    const stats = await handle.stat()
    const start = range?.start ?? 0
    const end = Math.min(range?.end ?? Number.POSITIVE_INFINITY, stats.size - 1)
    if (stats.isFile() && start <= end)
      return { size: stats.size, content: handle.createReadStream({ start, end, highWaterMark: READ_BYTES }) }
    await handle.close()
    return stats.isFile() ? { size: stats.size, content: Readable.from([]) } : undefined
  } catch (error) {
    await handle.close()
    throw error
  }
}

async function removeFile(path: string): Promise<void> {
  await ignoreErrors(ABSENT_CODES, unlink(path))
}

/** The keys of all files that begin with a prefix, in its folder and below. */
async function* keysBelow(root: string, folder: string, prefix: string): AsyncIterable<string> {
  const entries = await withDiskErrors(() => ignoreErrors(ABSENT_CODES, opendir(join(root, folder))))
  for await (const entry of entries ?? []) {
    const key = `${folder}${entry.name}`
    if (!isBlobKey(key) || !key.startsWith(prefix) || (prefix === '' && isInternalKey(key))) continue
    if (entry.isDirectory()) yield* keysBelow(root, `${key}/`, prefix)
    else if (entry.isFile()) yield key
  }
}
