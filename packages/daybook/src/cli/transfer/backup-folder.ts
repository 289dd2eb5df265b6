import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { computeDigest, DigestMismatch, verifyDigest } from '../../content/assets/digest.ts'
import { ProcessName } from '../../content/assets/process-name.ts'
import { StartupError } from '../../errors.ts'
import { FOLDER_ERROR_REASONS } from '../../fs-errors.ts'
import type { SqliteSnapshot } from '../../store/sqlite/sqlite-snapshot.ts'
import { getDaybookVersion } from '../../version.ts'
import { Progress } from '../output.ts'
import { DigestFolder, isDigest, makePartName, removeParts, syncPath } from './digest-folder.ts'

const MANIFEST = 'backup.json'
const DATABASE_NAME = /^daybook-[0-9a-f]{16}\.db$/
/** The age at which a database without a manifest is removed, in milliseconds: another backup may be about to write the manifest. */
const MAX_UNNAMED_MS = 24 * 60 * 60 * 1000

/** The content of `backup.json`. It is written last, so the database that it names is complete. */
interface Manifest {
  /** The version of Daybook that made the backup. */
  readonly daybook: string
  /** The time of the database. */
  readonly at: string
  /** The last change of the journal in the database. */
  readonly seq: number
  /** The file, named after its digest, so that a new manifest switches databases atomically. */
  readonly database: { readonly file: string; readonly sha256: string }
}

/** A folder with a copy of a database, `daybook-….db`, and with the files of assets, named by their digests, in `files`. */
export class BackupFolder {
  readonly files: DigestFolder
  readonly #path: string
  readonly #process = new ProcessName()

  constructor(path: string) {
    this.#path = path
    this.files = new DigestFolder(join(path, 'files'))
  }

  /**
   * Creates the folder, or removes leftovers of interrupted backups.
   *
   * @throws {StartupError} if it cannot be written
   */
  async prepare(): Promise<void> {
    try {
      await mkdir(this.#path, { recursive: true, mode: 0o700 })
      await removeParts(this.#path, this.#process)
      await this.files.sweep()
    } catch (error) {
      const { code = '', message } = error as NodeJS.ErrnoException
      throw new StartupError(`${this.#path} cannot be written: ${FOLDER_ERROR_REASONS[code] ?? message}.`)
    }
  }

  /**
   * Copies the database of the snapshot, checks the copy, and writes the manifest for it.
   *
   * @param seq the last change of the journal in the snapshot
   */
  async saveDatabase(snapshot: SqliteSnapshot, seq: number): Promise<void> {
    const at = new Date().toISOString()
    const part = this.#makePartPath('database')
    using progress = new Progress({ unit: 'pages of the database', total: snapshot.pages })
    try {
      await snapshot.copyTo(part, (done) => progress.update(done))
      const sha256 = await computeDigest(createReadStream(part))
      const file = `daybook-${sha256.slice(0, 16)}.db`
      await syncPath(part)
      await rename(part, join(this.#path, file))
      const formerManifest = await this.#readManifest().catch(() => undefined)
      await this.#writeManifest({ daybook: getDaybookVersion(), at, seq, database: { file, sha256 } })
      await this.#removeFormer(file, formerManifest?.database.file)
    } finally {
      await rm(part, { force: true })
    }
  }

  /**
   * Copies the database to a new file.
   *
   * @returns the last change of the journal that it has
   * @throws {StartupError} if the folder holds no whole backup
   */
  async copyDatabase(to: string): Promise<number> {
    const { database, seq } = await this.#readManifest()
    const from = join(this.#path, database.file)
    try {
      const bytes = [createReadStream(from), verifyDigest(database.sha256)] as const
      await pipeline(...bytes, createWriteStream(to, { flags: 'wx', mode: 0o600, flush: true }))
      return seq
    } catch (error) {
      if (error instanceof DigestMismatch)
        throw new StartupError(`${from} is damaged: its digest differs from that in ${MANIFEST}. Use another backup.`)
      if ((error as NodeJS.ErrnoException).code === 'ENOENT')
        throw new StartupError(`${from} does not exist. Use another backup.`)
      throw error
    }
  }

  #makePartPath(word: string): string {
    return join(this.#path, makePartName(word, this.#process))
  }

  async #writeManifest(manifest: Manifest): Promise<void> {
    const part = this.#makePartPath('manifest')
    await writeFile(part, `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600, flush: true })
    await rename(part, join(this.#path, MANIFEST))
    await syncPath(this.#path)
  }

  async #readManifest(): Promise<Manifest> {
    const path = join(this.#path, MANIFEST)
    const text = await readFile(path, 'utf8').catch(() => undefined)
    if (text === undefined) throw new StartupError(`${path} does not exist, so ${this.#path} is not a complete backup.`)
    const manifest = parseManifest(text)
    if (!manifest) throw new StartupError(`${path} is damaged. Use another backup.`)
    return manifest
  }

  /** Removes the databases of earlier backups, including one that was interrupted before its manifest. */
  async #removeFormer(present: string, former: string | undefined): Promise<void> {
    for (const name of await readdir(this.#path)) {
      if (!DATABASE_NAME.test(name) || name === present) continue
      const path = join(this.#path, name)
      const isOld = name === former || (await stat(path)).mtimeMs < Date.now() - MAX_UNNAMED_MS
      if (isOld) await rm(path, { force: true })
    }
  }
}

function parseManifest(text: string): Manifest | undefined {
  try {
    const manifest: Manifest = JSON.parse(text)
    const { database, seq } = manifest
    const isWhole = DATABASE_NAME.test(database.file) && isDigest(database.sha256) && Number.isSafeInteger(seq)
    return isWhole ? manifest : undefined
  } catch {
    return undefined
  }
}
