import { randomUUID } from 'node:crypto'
import { access, constants, type FileHandle, lstat, open, opendir, readdir, rename, unlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { addAbortSignal, Readable } from 'node:stream'
import { DaybookError } from '../errors.ts'
import { INCOMING, isBlobKey, isOwnKey, requireKey, requireName, requirePrefix } from './blob-key.ts'
import type {
  BlobContent,
  BlobHeaders,
  BlobStore,
  BlobStoreOption,
  ByteRange,
  StagedBlob,
  StoredBlob,
} from './blob-store.ts'
import { codeOf, reportFaults, toDiskFault, unless } from './disk-faults.ts'
import { ABSENT, foldersOf, isFolder, makeBlobFolder, makeFolders, removeEmpty, syncFolder } from './disk-folder.ts'
import { moveExclusively } from './exclusive-move.ts'
import { StagedNames } from './staged-names.ts'

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
    this.#incoming = join(root, INCOMING)
  }

  async stage(name: string, content: Readable, signal: AbortSignal): Promise<void> {
    requireName(name)
    await this.#takeIn(name, content, (part) => rename(part, join(this.#incoming, name)), signal)
  }

  async publish(name: string, key: string, _headers: BlobHeaders): Promise<boolean> {
    requireName(name)
    requireKey(key)
    const staged = join(this.#incoming, name)
    return await reportFaults(async () => {
      if ((await unless(ABSENT, settle(staged))) === undefined) await this.#refuseUnstaged(name)
      return await this.#place(key, (path) => moveExclusively(staged, path))
    })
  }

  async move(from: string, to: string): Promise<boolean> {
    requireKey(from)
    requireKey(to)
    return await reportFaults(async () => {
      const isMoved = await this.#place(
        to,
        async (path) => (await this.size(from)) !== undefined && (await moveExclusively(this.#pathOf(from), path)),
      )
      const emptied = foldersOf(this.#root, isMoved ? from : to)
      if (isMoved) await unless(ABSENT, syncFolder(emptied.at(-1) ?? this.#root))
      await removeEmpty(emptied)
      return isMoved
    })
  }

  async discard(name: string): Promise<void> {
    requireName(name)
    await reportFaults(async () => {
      const files = await readdir(this.#incoming)
      const own = files.filter((file) => stagedName(file) === name)
      await Promise.all(own.map((file) => removeFile(join(this.#incoming, file))))
    })
  }

  async *staged(): AsyncIterable<StagedBlob> {
    const names = new StagedNames()
    for (const file of await reportFaults(() => readdir(this.#incoming))) {
      const found = await reportFaults(() => unless(ABSENT, lstat(join(this.#incoming, file))))
      if (found) names.note(stagedName(file), found.mtime)
    }
    yield* names
  }

  async read(key: string, range?: ByteRange): Promise<BlobContent | undefined> {
    requireKey(key)
    return await reportFaults(async () => {
      const handle = await this.#open(key)
      return handle && (await contentOf(handle, range))
    })
  }

  async size(key: string): Promise<number | undefined> {
    requireKey(key)
    return await reportFaults(async () => {
      if (!(await this.#leadsTo(key))) return undefined
      const found = await unless(ABSENT, lstat(this.#pathOf(key)))
      return found?.isFile() ? found.size : undefined
    })
  }

  async write(key: string, bytes: Uint8Array, _headers: BlobHeaders): Promise<void> {
    requireKey(key)
    const place = async (part: string): Promise<void> => {
      await settle(part)
      const isPlaced = await this.#place(
        key,
        async (path) =>
          (await unless(
            FOLDER_THERE,
            rename(part, path).then(() => true),
          )) ?? false,
      )
      if (!isPlaced) throw new DaybookError('CONFLICT')
    }
    await this.#takeIn(randomUUID(), Readable.from([bytes]), place)
  }

  async delete(key: string): Promise<void> {
    requireKey(key)
    await reportFaults(async () => {
      if (!(await this.#leadsTo(key)) || (await isFolder(this.#pathOf(key)))) return
      await removeFile(this.#pathOf(key))
      await removeEmpty(foldersOf(this.#root, key))
    })
  }

  async *list(prefix: string): AsyncIterable<StoredBlob> {
    requirePrefix(prefix)
    const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1)
    if (!(await reportFaults(() => this.#leadsTo(prefix)))) return
    for await (const key of keysBelow(this.#root, folder, prefix)) {
      const size = await this.size(key)
      if (size !== undefined) yield { key, size }
    }
  }

  async check(): Promise<void> {
    await reportFaults(async () => {
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
    for (const folder of foldersOf(this.#root, key)) if (!(await isFolder(folder))) return false
    return true
  }

  async #open(key: string): Promise<FileHandle | undefined> {
    if (!(await this.#leadsTo(key))) return undefined
    // A pipe of that name would otherwise wait for its other end.
    return await unless([...ABSENT, 'EMLINK'], open(this.#pathOf(key), O_RDONLY | O_NOFOLLOW | O_NONBLOCK))
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
      if (codeOf(error) === 'ENOENT') throw new DaybookError('SERVICE_UNAVAILABLE', undefined, {}, error)
      throw toDiskFault(error)
    }
  }

  async #refuseUnstaged(name: string): Promise<never> {
    await this.check()
    throw new Error(`Nothing is staged as ${name}.`)
  }

  /** Makes the folders of a key and places its file, durably. @returns what `place` says; `false` where a file stands in the way */
  async #place(key: string, place: (path: string) => Promise<boolean>): Promise<boolean> {
    const folders = foldersOf(this.#root, key)
    try {
      if (!(await this.#attempt(folders, key, place))) return false
    } catch (error) {
      await removeEmpty(folders)
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
      if (!(await makeFolders(folders, isOwnKey(key) ? 0o700 : 0o755))) return false
      return await place(this.#pathOf(key))
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' || left === 1) throw error
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
  await unless(ABSENT, unlink(path))
}

/** The keys of all files that begin with a prefix, in its folder and below. */
async function* keysBelow(root: string, folder: string, prefix: string): AsyncIterable<string> {
  const entries = await reportFaults(() => unless(ABSENT, opendir(join(root, folder))))
  for await (const entry of entries ?? []) {
    const key = `${folder}${entry.name}`
    if (!isBlobKey(key) || !key.startsWith(prefix) || (prefix === '' && isOwnKey(key))) continue
    if (entry.isDirectory()) yield* keysBelow(root, `${key}/`, prefix)
    else if (entry.isFile()) yield key
  }
}
