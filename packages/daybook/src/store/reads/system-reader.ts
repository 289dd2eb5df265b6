import type { StoreReadContext } from '../connection.ts'
import { DEFAULT_LOCALE_NOTE, hiddenFieldsNote, type RestoreNote, readNote, readRestoreNote } from '../notes.ts'
import { type FileClaim, listClaims } from '../records/file-claims.ts'
import { type MigrationRecord, readMigrations } from '../records/migration-records.ts'
import type { IdempotencyRecord } from '../rows.ts'
import { build, param, prepare } from '../statement.ts'

/** Reads what the store keeps about itself. */
export class SystemReader {
  readonly #source: StoreReadContext

  constructor(source: StoreReadContext) {
    this.#source = source
  }

  /** The default locale of stored documents; `undefined`: there was none yet. */
  defaultLocale(): Promise<string | undefined> {
    return readNote(this.#source.connection, DEFAULT_LOCALE_NOTE)
  }

  /** The note about a restore into this store; `undefined`: there was none. */
  restoreNote(): Promise<RestoreNote | undefined> {
    return readRestoreNote(this.#source.connection)
  }

  /** The migrations that began on this store. */
  migrations(): Promise<readonly MigrationRecord[]> {
    return readMigrations(this.#source.connection)
  }

  /** Whether something is noted that happens once in the life of the store. */
  async hasNote(name: string): Promise<boolean> {
    return (await readNote(this.#source.connection, name)) !== undefined
  }

  /** The fields of a collection that hid stored values when its config came to be what it is. */
  async hiddenFields(collection: string): Promise<readonly string[]> {
    return JSON.parse((await readNote(this.#source.connection, hiddenFieldsNote(collection))) ?? '[]')
  }

  /** Keys of the collections that the store has tables for. */
  async storedCollections(): Promise<readonly string[]> {
    const rows = await this.#source.connection.all(COLLECTION_KEYS)
    return rows.map(({ key }) => key)
  }

  /** The claims to paths of files that no asset has, those that hold no more as well. */
  fileClaims(): Promise<readonly FileClaim[]> {
    return listClaims(this.#source.connection)
  }

  /** The stored response to a write, by the digest of its caller and `Idempotency-Key`. */
  idempotencyRecord(key: string): Promise<IdempotencyRecord | undefined> {
    return this.#source.connection.get(IDEMPOTENCY_RECORD, { key })
  }
}

const COLLECTION_KEYS = prepare(build.selectFrom('daybook$collections').select('key').orderBy('key'))
const IDEMPOTENCY_RECORD = prepare(
  build.selectFrom('daybook$idempotency').selectAll().where('key', '=', param<string>('key')),
)
