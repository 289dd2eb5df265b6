import { type RawBuilder, sql } from 'kysely'
import type { CollectionModel } from '../../model/model.ts'
import type { StoreWriteContext } from '../database.ts'
import { advanceRestoreNote, DEFAULT_LOCALE_NOTE, type RestoreNote, writeNote } from '../notes.ts'
import type { IdempotencyRecord } from '../rows.ts'
import { build, param, prepare, prepareInsert, prepareSql } from '../statement.ts'
import { withoutLocaleIndexes } from '../tables/schema.ts'
import { dropLocaleTables, dropStatements } from '../tables/table-ddl.ts'

/** Writes the records that the store keeps about itself, inside one transaction. */
export class SystemWriter {
  readonly #source: StoreWriteContext

  constructor(source: StoreWriteContext) {
    this.#source = source
  }

  /**
   * Stores the response to a write in the transaction of the write, in place of one from before `expiry`.
   *
   * @throws {UniqueViolation} if another write with the same key was first
   */
  async saveIdempotencyRecord(record: IdempotencyRecord, expiry: string): Promise<void> {
    await this.#source.connection.run(DROP_EXPIRED_RECORD, { key: record.key, expiry })
    await this.#source.connection.run(ADD_RECORD, { ...record })
  }

  async dropIdempotencyRecords(expiry: string): Promise<void> {
    await this.#source.connection.run(DROP_EXPIRED_RECORDS, { expiry })
  }

  /** Notes the locale of the values that documents hold without a locale. */
  async noteDefaultLocale(locale: string): Promise<void> {
    await writeNote(this.#source.connection, DEFAULT_LOCALE_NOTE, locale)
  }

  async noteRestore(before: RestoreNote | undefined, next: RestoreNote): Promise<void> {
    await advanceRestoreNote(this.#source.connection, before, next)
  }

  /** Runs work that moves values of these collections from one locale to another, see {@link withoutLocaleIndexes}. */
  async withoutLocaleIndexes(collections: readonly CollectionModel[], work: () => Promise<void>): Promise<void> {
    await withoutLocaleIndexes(this.#source.connection, this.#source.dialect, collections, work)
  }

  /** Drops a collection that the config no longer has. Its history and its last states stay in the journal. */
  async dropCollection(key: string): Promise<void> {
    const { connection, dialect } = this.#source
    await connection.run(prepareSql(saveAllStatement(key)))
    await dropLocaleTables(connection, dialect, (name) => name.startsWith(`${key}$`))
    for (const statement of [
      sql`DROP VIEW IF EXISTS ${sql.table(`${key}_view`)}`,
      ...dropStatements(dialect, key).map((text) => sql.raw(text)),
      sql`DELETE FROM daybook$collections WHERE key = ${key}`,
      sql`DELETE FROM daybook$choices WHERE from_collection = ${key}`,
      sql`DELETE FROM daybook$tallies WHERE collection = ${key}`,
      sql`DELETE FROM daybook$refs WHERE from_collection = ${key} OR to_collection = ${key}`,
    ]) {
      await connection.run(prepareSql(statement))
    }
  }
}

/** Saves the states of all entries of a collection to the journal, in the form of `encodeState`. */
function saveAllStatement(key: string): RawBuilder<unknown> {
  return sql`INSERT INTO daybook$journal_payload (seq, doc)
    SELECT seq, substr(doc, 1, length(doc) - 1) || coalesce(',"@locales":' || locales, '') || coalesce(',"@orphaned":' || orphaned, '') || '}'
    FROM ${sql.table(key)} WHERE true ON CONFLICT DO NOTHING`
}

const DROP_EXPIRED_RECORD = prepare(
  build
    .deleteFrom('daybook$idempotency')
    .where('key', '=', param<string>('key'))
    .where('at', '<', param<string>('expiry')),
)
const DROP_EXPIRED_RECORDS = prepare(build.deleteFrom('daybook$idempotency').where('at', '<', param<string>('expiry')))
const ADD_RECORD = prepareInsert('daybook$idempotency')
