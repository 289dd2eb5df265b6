import { randomUUID } from 'node:crypto'
import { access, constants, type FileHandle, lstat, open, opendir, readdir, rename, unlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { addAbortSignal, Readable } from 'node:stream'
import { DaybookError } from '../errors.ts'
import { getErrorCode, ignoreErrors, toDiskError, withDiskErrors } from '../fs-errors.ts'
import {
  type BlobContent,
  type BlobHeaders,
  type BlobStore,
  type BlobStoreOption,
  type ByteRange,
  isBlobKey,
  isInternalKey,
  requireBlobKey,
  requireBlobPrefix,
  requireStagedName,
  STAGING_SEGMENT,
  type StagedBlob,
  StagedBlobs,
  type StoredBlob,
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

/** Options of {@link disk}. */
export interface DiskOptions {
  /**
   * The folder of the files, absolute or below the data folder. Daybook creates it for its own user only (mode 0700), with files inside that
   * others can read (0644). To let a proxy of another user read them, create the folder yourself, or run `chmod 0755` on it and on its
   * parents. @default 'uploads'
   */
  readonly folder?: string
}

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants
/** The separator between the name of a staged blob and the id of its stream in the name of an incomplete file. No name contains it. */
const PART_MARK = '~'
/** The number of attempts to create a folder that concurrent deletions remove. */
const FOLDER_ATTEMPTS = 20
const READABLE_FILE = 0o644
/** The number of bytes of a read, twice Node's default, because each read costs processor time. */
const READ_BYTES = 128 * 1024
/** Codes for a path that is a folder and cannot be replaced by a file. */
const IS_FOLDER: readonly string[] = ['EISDIR', 'EEXIST', 'ENOTEMPTY', 'ENOTDIR']

/**
 * Stores files in a folder.
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

/** Blobs in files below a folder, named by their keys. Staged blobs are in `.incoming`. */
class DiskBlobStore implements BlobStore {
  readonly #root: string
  readonly #incoming: string

  constructor(root: string) {
    this.#root = root
    this.#incoming = join(root, STAGING_SEGMENT)
  }

  async stage(name: string, content: Readable, signal: AbortSignal): Promise<void> {
    requireStagedName(name)
    await this.#store(name, content, (part) => rename(part, join(this.#incoming, name)), signal)
  }

  async publish(name: string, key: string, _headers: BlobHeaders): Promise<boolean> {
    requireStagedName(name)
    requireBlobKey(key)
    const staged = join(this.#incoming, name)
    return await withDiskErrors(async () => {
      if ((await ignoreErrors(ABSENT_CODES, makeReadable(staged))) === undefined) await this.#rejectUnstaged(name)
      return await this.#place(key, (path) => moveExclusively(staged, path))
    })
  }

  async move(from: string, to: string): Promise<boolean> {
    requireBlobKey(from)
    requireBlobKey(to)
    return await withDiskErrors(async () => {
      const isMoved = await this.#place(
        to,
        async (path) => (await this.size(from)) !== undefined && (await moveExclusively(this.#resolve(from), path)),
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
      const parts = files.filter((file) => readStagedName(file) === name)
      await Promise.all(parts.map((file) => removeFile(join(this.#incoming, file))))
    })
  }

  async *staged(): AsyncIterable<StagedBlob> {
    const names = new StagedBlobs()
    for (const file of await withDiskErrors(() => readdir(this.#incoming))) {
      const stats = await withDiskErrors(() => ignoreErrors(ABSENT_CODES, lstat(join(this.#incoming, file))))
      if (stats) names.add(readStagedName(file), stats.mtime)
    }
    yield* names
  }

  async read(key: string, range?: ByteRange): Promise<BlobContent | undefined> {
    requireBlobKey(key)
    return await withDiskErrors(async () => {
      const handle = await this.#open(key)
      return handle && (await readContent(handle, range))
    })
  }

  async size(key: string): Promise<number | undefined> {
    requireBlobKey(key)
    return await withDiskErrors(async () => {
      if (!(await this.#hasFolders(key))) return undefined
      const stats = await ignoreErrors(ABSENT_CODES, lstat(this.#resolve(key)))
      return stats?.isFile() ? stats.size : undefined
    })
  }

  async write(key: string, bytes: Uint8Array, _headers: BlobHeaders): Promise<void> {
    requireBlobKey(key)
    const place = async (part: string): Promise<void> => {
      await makeReadable(part)
      const isPlaced = await this.#place(
        key,
        async (path) =>
          (await ignoreErrors(
            IS_FOLDER,
            rename(part, path).then(() => true),
          )) ?? false,
      )
      if (!isPlaced) throw new DaybookError('CONFLICT')
    }
    await this.#store(randomUUID(), Readable.from([bytes]), place)
  }

  async delete(key: string): Promise<void> {
    requireBlobKey(key)
    await withDiskErrors(async () => {
      if (!(await this.#hasFolders(key)) || (await isFolder(this.#resolve(key)))) return
      await removeFile(this.#resolve(key))
      await removeEmptyFolders(listFolders(this.#root, key))
    })
  }

  async *list(prefix: string): AsyncIterable<StoredBlob> {
    requireBlobPrefix(prefix)
    const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1)
    if (!(await withDiskErrors(() => this.#hasFolders(prefix)))) return
    for await (const key of listKeys(this.#root, folder, prefix)) {
      const size = await this.size(key)
      if (size !== undefined) yield { key, size }
    }
  }

  async check(): Promise<void> {
    await withDiskErrors(async () => {
      if (!(await isFolder(this.#incoming)))
        throw new DaybookError('SERVICE_UNAVAILABLE', 'The folder of files no longer exists.')
      await access(this.#incoming, constants.W_OK | constants.X_OK)
    })
  }

  async close(): Promise<void> {}

  #resolve(key: string): string {
    return join(this.#root, key)
  }

  /** Returns true if all parents of a key's file are folders, and none is a link. */
  async #hasFolders(key: string): Promise<boolean> {
    for (const folder of listFolders(this.#root, key)) if (!(await isFolder(folder))) return false
    return true
  }

  async #open(key: string): Promise<FileHandle | undefined> {
    if (!(await this.#hasFolders(key))) return undefined
    // Without O_NONBLOCK, a named pipe would wait for its other end.
    return await ignoreErrors([...ABSENT_CODES, 'EMLINK'], open(this.#resolve(key), O_RDONLY | O_NOFOLLOW | O_NONBLOCK))
  }

  /** Writes a stream into a new file, and passes on its path. Removes the file if either fails. */
  async #store(
    name: string,
    content: Readable,
    passOn: (part: string) => Promise<void>,
    signal?: AbortSignal,
  ): Promise<void> {
    const part = join(this.#incoming, `${name}${PART_MARK}${randomUUID()}`)
    try {
      await storeStream(part, content, signal)
      await passOn(part)
    } catch (error) {
      await removeFile(part).catch(() => {})
      content.destroy()
      // The folder was unmounted, and creating it again would fill another disk.
      if (getErrorCode(error) === 'ENOENT') throw new DaybookError('SERVICE_UNAVAILABLE', undefined, {}, error)
      throw toDiskError(error)
    }
  }

  async #rejectUnstaged(name: string): Promise<never> {
    await this.check()
    throw new Error(`The staged blob ${name} does not exist.`)
  }

  /** Creates the folders of a key and places its file, durably. @returns the result of `place`, or `false` if a parent is a file */
  async #place(key: string, place: (path: string) => Promise<boolean>): Promise<boolean> {
    const folders = listFolders(this.#root, key)
    try {
      if (!(await this.#attempt(folders, key, place))) return false
    } catch (error) {
      await removeEmptyFolders(folders)
      throw error
    }
    // Another process may have created some of them, but not have synced them.
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
      return await place(this.#resolve(key))
    } catch (error) {
      if (getErrorCode(error) !== 'ENOENT' || left === 1) throw error
      return await this.#attempt(folders, key, place, left - 1)
    }
  }
}

/** Returns the name of a staged blob from that of its file. */
const readStagedName = (file: string): string => file.split(PART_MARK, 1)[0] ?? file

/** Writes a stream durably into a new file that only its owner can read. */
async function storeStream(path: string, content: Readable, signal: AbortSignal | undefined): Promise<void> {
  const handle = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
  try {
    await handle.writeFile(signal ? addAbortSignal(signal, content) : content)
    // A full disk may not show earlier.
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Makes a file readable for others, and its bytes and mode durable. */
async function makeReadable(path: string): Promise<true> {
  const handle = await open(path, O_RDONLY | O_NOFOLLOW)
  try {
    await handle.chmod(READABLE_FILE)
    await handle.sync()
    return true
  } finally {
    await handle.close()
  }
}

async function readContent(handle: FileHandle, range: ByteRange | undefined): Promise<BlobContent | undefined> {
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

/** Lists the keys that begin with a prefix, in its folder and below. */
async function* listKeys(root: string, folder: string, prefix: string): AsyncIterable<string> {
  const entries = await withDiskErrors(() => ignoreErrors(ABSENT_CODES, opendir(join(root, folder))))
  for await (const entry of entries ?? []) {
    const key = `${folder}${entry.name}`
    if (!isBlobKey(key) || !key.startsWith(prefix) || (prefix === '' && isInternalKey(key))) continue
    if (entry.isDirectory()) yield* listKeys(root, `${key}/`, prefix)
    else if (entry.isFile()) yield key
  }
}
