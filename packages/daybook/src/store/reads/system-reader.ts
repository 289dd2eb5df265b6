import type { StoreReadContext } from '../connection.ts'
import { DEFAULT_LOCALE_NOTE, hiddenFieldsNote, type RestoreNote, readNote, readRestoreNote } from '../notes.ts'
import { type FileClaim, listClaims } from '../records/file-claims.ts'
import { type MigrationRecord, readMigrations } from '../records/migration-records.ts'
import type { IdempotencyRecord } from '../rows.ts'
import { build, param, prepare } from '../statement.ts'

/** Reads the records that the store keeps about itself. */
export class SystemReader {
  readonly #source: StoreReadContext

  constructor(source: StoreReadContext) {
    this.#source = source
  }

  /** Returns the default locale of stored documents; `undefined` if there was none yet. */
  defaultLocale(): Promise<string | undefined> {
    return readNote(this.#source.connection, DEFAULT_LOCALE_NOTE)
  }

  /** Returns the note of the last restore into this store; `undefined` if there was none. */
  restoreNote(): Promise<RestoreNote | undefined> {
    return readRestoreNote(this.#source.connection)
  }

  /** Returns the migrations that have begun on this store. */
  migrations(): Promise<readonly MigrationRecord[]> {
    return readMigrations(this.#source.connection)
  }

  async hasNote(name: string): Promise<boolean> {
    return (await readNote(this.#source.connection, name)) !== undefined
  }

  /** Returns the fields of a collection that hid stored values when its config last changed. */
  async hiddenFields(collection: string): Promise<readonly string[]> {
    return JSON.parse((await readNote(this.#source.connection, hiddenFieldsNote(collection))) ?? '[]')
  }

  async storedCollections(): Promise<readonly string[]> {
    const rows = await this.#source.connection.all(COLLECTION_KEYS)
    return rows.map(({ key }) => key)
  }

  /** Returns the claims to paths of files without an asset, including expired ones. */
  fileClaims(): Promise<readonly FileClaim[]> {
    return listClaims(this.#source.connection)
  }

  /** Returns an idempotency record by the digest of the caller and the `Idempotency-Key`. */
  idempotencyRecord(key: string): Promise<IdempotencyRecord | undefined> {
    return this.#source.connection.get(IDEMPOTENCY_RECORD, { key })
  }
}

const COLLECTION_KEYS = prepare(build.selectFrom('daybook$collections').select('key').orderBy('key'))
const IDEMPOTENCY_RECORD = prepare(
  build.selectFrom('daybook$idempotency').selectAll().where('key', '=', param<string>('key')),
)
