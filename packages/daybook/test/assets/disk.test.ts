import { execFile } from 'node:child_process'
import { chmod, lstat, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { type BlobStore, disk, StartupError } from 'daybook'
import { describe, expect, test } from 'vitest'
import { claimAndMove } from '../../src/assets/file-operations.ts'
import { Folder } from '../support/stores/folder.ts'

const HEADERS = { type: 'image/png', disposition: 'inline' }

/** A store in a data folder of its own. */
class DiskPlace implements AsyncDisposable {
  readonly #folder: Folder
  readonly store: BlobStore

  private constructor(folder: Folder, store: BlobStore) {
    this.#folder = folder
    this.store = store
  }

  static async make(): Promise<DiskPlace> {
    const folder = await Folder.make()
    return new DiskPlace(folder, await disk().open({ data: folder.address }))
  }

  path(...names: readonly string[]): string {
    return join(this.#folder.address, 'uploads', ...names)
  }

  async put(key: string, bytes: string): Promise<boolean> {
    await this.store.stage('new', Readable.from([Buffer.from(bytes)]), new AbortController().signal)
    return await this.store.publish('new', key, HEADERS)
  }

  async get(key: string): Promise<string | undefined> {
    const blob = await this.store.read(key)
    return blob && (await text(blob.content))
  }

  async keys(prefix = ''): Promise<readonly string[]> {
    const keys: string[] = []
    for await (const { key } of this.store.list(prefix)) keys.push(key)
    return keys.sort()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.store.close()
    await this.#folder[Symbol.asyncDispose]()
  }
}

const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8)

describe('files on a disk', () => {
  test('are in folders by key, readable for other users if the outer folder allows it', async () => {
    await using place = await DiskPlace.make()
    expect(await place.put('images/2026/cat.png', 'meow')).toBe(true)
    expect(await readFile(place.path('images', '2026', 'cat.png'), 'utf8')).toBe('meow')
    expect(await modeOf(place.path())).toBe('700')
    expect(await modeOf(place.path('images'))).toBe('755')
    expect(await modeOf(place.path('images', '2026', 'cat.png'))).toBe('644')
  })

  test('are readable for the service only while they are staged or internal', async () => {
    await using place = await DiskPlace.make()
    await place.store.stage('new', Readable.from([Buffer.from('meow')]), new AbortController().signal)
    expect(await modeOf(place.path('.incoming'))).toBe('700')
    expect(await modeOf(place.path('.incoming', 'new'))).toBe('600')
    await place.store.write('.sizes/cat.json', Buffer.from('{}'), HEADERS)
    expect(await modeOf(place.path('.sizes'))).toBe('700')
  })

  test('an existing folder keeps its mode', async () => {
    await using folder = await Folder.make()
    await mkdir(join(folder.address, 'uploads'))
    await chmod(join(folder.address, 'uploads'), 0o755)
    await using _store = await closing(disk().open({ data: folder.address }))
    expect(await modeOf(join(folder.address, 'uploads'))).toBe('755')
  })

  test('whose names differ only in case never replace each other', async () => {
    await using place = await DiskPlace.make()
    expect(await place.put('Cat.png', 'first')).toBe(true)
    const isSecond = await place.put('cat.png', 'second')
    expect(await place.get('Cat.png')).toBe('first')
    // A disk that ignores case rejects the second name.
    expect(await place.get('cat.png')).toBe(isSecond ? 'second' : 'first')
  })

  test('a deletion removes the folders that it empties, outer ones included', async () => {
    await using place = await DiskPlace.make()
    await place.put('a/b/one', '1')
    await place.put('a/two', '2')
    await place.store.delete('a/b/one')
    expect(await readdir(place.path('a'))).toEqual(['two'])
    await place.store.delete('a/two')
    expect(await readdir(place.path())).toEqual(['.incoming'])
  })

  test('a deletion that empties a folder does not affect a file that is added at the same time', async () => {
    await using place = await DiskPlace.make()
    const { store } = place
    for (let round = 0; round < 20; round += 1) {
      await place.put('a/b/old', 'old')
      await store.stage('next', Readable.from([Buffer.from('next')]), new AbortController().signal)
      const [, isPlaced] = await Promise.all([store.delete('a/b/old'), store.publish('next', 'a/b/next', HEADERS)])
      expect([isPlaced, await place.get('a/b/next')]).toEqual([true, 'next'])
      await store.delete('a/b/next')
    }
  })

  test('a file cannot replace a folder, and cannot be below a file', async () => {
    await using place = await DiskPlace.make()
    await place.put('a/b', 'kept')
    expect(await place.put('a', 'x')).toBe(false)
    expect(await place.put('a/b/c/d', 'x')).toBe(false)
    await expect(place.store.write('a', Buffer.from('x'), HEADERS)).rejects.toMatchObject({ code: 'CONFLICT' })
    await place.store.delete('a')
    expect(await place.keys()).toEqual(['a/b'])
    expect(await place.get('a/b')).toBe('kept')
  })
})

describe('links in the folder', () => {
  test('are not followed: nothing outside is read, listed, written or deleted', async () => {
    await using outside = await Folder.make()
    await using place = await DiskPlace.make()
    const secret = join(outside.address, 'secret')
    await writeFile(secret, 'secret')
    await symlink(outside.address, place.path('folder'))
    await symlink(secret, place.path('file'))
    for (const key of ['folder/secret', 'file']) {
      expect(await place.store.read(key)).toBeUndefined()
      expect(await place.store.size(key)).toBeUndefined()
      expect(await place.put(key, 'changed')).toBe(false)
    }
    expect(await place.put('folder/sub/new', 'changed')).toBe(false)
    expect(await place.keys()).toEqual([])
    expect(await place.keys('folder/')).toEqual([])
    await place.store.delete('folder/secret')
    await place.store.write('file', Buffer.from('in the place of the link'), HEADERS)
    expect(await readFile(secret, 'utf8')).toBe('secret')
    expect(await readdir(outside.address)).toEqual(['secret'])
    expect((await lstat(place.path('file'))).isSymbolicLink()).toBe(false)
  })

  test('the folder itself may be one', async () => {
    await using outside = await Folder.make()
    await using folder = await Folder.make()
    await symlink(outside.address, join(folder.address, 'uploads'))
    await using store = await closing(disk().open({ data: folder.address }))
    await store.write('a', Buffer.from('here'), HEADERS)
    expect(await readFile(join(outside.address, 'a'), 'utf8')).toBe('here')
  })

  test('the folder of staged files may not', async () => {
    await using outside = await Folder.make()
    await using folder = await Folder.make()
    await mkdir(join(folder.address, 'uploads'))
    await symlink(outside.address, join(folder.address, 'uploads', '.incoming'))
    await expect(disk().open({ data: folder.address })).rejects.toThrow(StartupError)
  })
})

describe('a disk that fails', () => {
  test('when it is full: a file gets 507 and leaves nothing, and smaller files are still stored', async () => {
    await using folder = await Folder.make()
    expect(await runWithLimit(folder.address)).toEqual({
      refused: 'INSUFFICIENT_STORAGE',
      left: [],
      taken: true,
      keys: ['small'],
    })
  })

  test('when its folder is gone: files get 503 and are not written elsewhere, and reads find nothing', async () => {
    await using place = await DiskPlace.make()
    await place.put('a', 'a')
    await rm(place.path(), { recursive: true })
    await expect(place.put('b', 'b')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    await expect(place.store.publish('b', 'b', HEADERS)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    await expect(place.store.write('b', Buffer.from('b'), HEADERS)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    })
    await expect(place.store.check()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    expect(await place.get('a')).toBeUndefined()
  })

  test('without hard links: one of several concurrent moves gets the name', async () => {
    await using folder = await Folder.make()
    const to = join(folder.address, 'taken')
    const names = Array.from({ length: 50 }, (_, number) => `from-${number}`)
    await Promise.all(names.map((name) => writeFile(join(folder.address, name), name)))
    const won = await Promise.all(names.map((name) => claimAndMove(join(folder.address, name), to)))
    const winners = names.filter((_, number) => won[number])
    expect(winners).toHaveLength(1)
    expect(await readFile(to, 'utf8')).toBe(winners[0])
    expect(await readdir(folder.address)).toHaveLength(50)
  })
})

describe('the option folder', () => {
  test.each(['', '.', '..', '../'])('%j would contain the database, and is rejected', async (folder) => {
    await using data = await Folder.make()
    await expect(disk({ folder }).open({ data: data.address })).rejects.toThrow('must not contain the data folder')
  })

  test('may be absolute', async () => {
    await using data = await Folder.make()
    await using files = await Folder.make()
    await using store = await closing(disk({ folder: join(files.address, 'of', 'mine') }).open({ data: data.address }))
    await store.check()
    expect(await readdir(join(files.address, 'of', 'mine'))).toEqual(['.incoming'])
    expect(await readdir(data.address)).toEqual([])
  })

  test('fails with reason and advice if the folder cannot be created', async () => {
    await using data = await Folder.make()
    await writeFile(join(data.address, 'uploads'), '')
    const open = disk().open({ data: data.address })
    await expect(open).rejects.toThrow(StartupError)
    await expect(open).rejects.toThrow(/cannot be created: part of its path is a file\. Name another folder/)
  })
})

/** The store, closed when its block ends. */
async function closing(opened: Promise<BlobStore>): Promise<BlobStore & AsyncDisposable> {
  const store = await opened
  return Object.assign(store, { [Symbol.asyncDispose]: () => store.close() })
}

/** The outcome for a large file, and then a small one, in a process that may write no file over 64 KiB. */
async function runWithLimit(data: string): Promise<unknown> {
  const command = 'trap "" XFSZ; ulimit -f 64; exec "$0" "$1" "$2"'
  const script = join(import.meta.dirname, 'full-disk.ts')
  const { stdout } = await promisify(execFile)('sh', ['-c', command, process.execPath, script, data])
  return JSON.parse(stdout)
}
