import { type RawBuilder, sql } from 'kysely'
import type { CollectionModel } from '../../model/model.ts'
import type { WriteStep } from '../connection.ts'
import type { StoreWriteContext } from '../database.ts'
import type { Dialect } from '../dialect.ts'
import type { FieldReference, LocaleRow, StoredEntry, WrittenEntry } from '../rows.ts'
import { build, insertRow, onConflictUpdate, param, prepare, prepareSql, type Statement } from '../statement.ts'
import { deriveFields, type FieldMember } from '../tables/document-values.ts'
import { ENTRY_COLUMNS } from '../tables/tables.ts'
import { insertInBulk } from './bulk-insert.ts'
import type { BulkCollector, UpdateOptions } from './bulk-update.ts'
import { entryCounterChange } from './counters.ts'
import {
  insertSteps,
  type LocaleTableEntry,
  supportsBulk,
  toChoiceRows,
  toLocaleTableRow,
  toReferenceRows,
  toSearchRows,
} from './entry-rows.ts'
import { getReplacedStates, JournalWriter } from './journal-writer.ts'

/**
 * Writes entries, inside one transaction. Each method stores the document, its references, its search rows, the counters and the
 * journal record.
 */
export class EntryWriter {
  readonly #source: StoreWriteContext
  readonly #journal: JournalWriter
  readonly #references: ReferenceWriter
  readonly #collector: BulkCollector | undefined

  /** @param collector collects updates and deletions to store them in bulk */
  constructor(source: StoreWriteContext, collector: BulkCollector | undefined) {
    this.#source = source
    this.#journal = new JournalWriter(source.connection)
    this.#references = new ReferenceWriter(source)
    this.#collector = collector
  }

  /** @throws {UniqueViolation} if another entry has the same unique value */
  async create(collection: CollectionModel, entry: WrittenEntry, actor: string): Promise<number> {
    const { connection, dialect, statements } = this.#source
    const { key } = collection
    const { id, updated_at: at } = entry
    const seq = await connection.batch.nextSeq(id, at)
    const insert = statements.get(`insert ${key}`, () => prepareSql(insertStatement(dialect, key)))
    let pk = 0
    await connection.pipeline([
      // A unique index may reject this statement: first, it leaves nothing to undo.
      async () => {
        pk = await connection.insert(insert, { ...entry, seq })
      },
      ...this.#journal.steps({ seq, at, actor, action: 'create', collection: key, id }),
      ...this.#references.addSteps(key, id, entry.references),
      ...this.#addChoices(collection, id, entry.choices),
    ])
    this.#index(collection, pk, entry, { replaces: false })
    await this.#putLocaleRows(pk, { ...entry, seq })
    connection.batch.addCounters(entryCounterChange(collection, seq, undefined, entry))
    return seq
  }

  /**
   * Stores entries in this order, with few statements if the engine takes many rows at once.
   *
   * @throws {UniqueViolation} if another entry, or two of these, have the same unique value
   */
  async createBulk(collection: CollectionModel, entries: readonly WrittenEntry[], actor: string): Promise<void> {
    const source = this.#source
    if (supportsBulk(source) && entries.length > 1) return insertInBulk(source, { collection, entries, actor })
    for (const entry of entries) await this.create(collection, entry, actor)
  }

  /** @throws {UniqueViolation} if another entry has the same unique value */
  async update(
    collection: CollectionModel,
    before: StoredEntry,
    entry: WrittenEntry,
    actor: string,
    options: UpdateOptions = {},
  ): Promise<number> {
    const { id, updated_at: at } = entry
    if (this.#collector) return this.#collector.add({ collection, before, after: entry, at, actor, options })
    const { connection, statements } = this.#source
    const { key } = collection
    const { pk } = before
    const { hasSameSearchRows = false, hasSameMembers = false, action = 'update' } = options
    const seq = await connection.batch.nextSeq(id, at)
    const update = statements.get(`update ${key}`, () => prepareSql(updateStatement(key)))
    await connection.pipeline([
      () => connection.run(update, { ...entry, seq, pk }),
      ...this.#journal.steps({ seq, at, actor, action, collection: key, id }, getReplacedStates(before, entry)),
      ...(hasSameMembers ? [] : this.#references.replaceSteps(key, id, entry.references)),
      ...(hasSameMembers ? [] : this.#replaceChoices(collection, id, entry.choices)),
    ])
    if (!hasSameSearchRows) this.#index(collection, pk, entry, { replaces: true })
    await this.#putLocaleRows(pk, { ...entry, seq })
    connection.batch.addCounters(entryCounterChange(collection, seq, before, entry))
    return seq
  }

  async delete(collection: CollectionModel, before: StoredEntry, at: string, actor: string): Promise<number> {
    const { id, pk } = before
    if (this.#collector) {
      return this.#collector.add({ collection, before, after: undefined, at, actor, options: {} })
    }
    const { connection, statements } = this.#source
    const { key } = collection
    const seq = await connection.batch.nextSeq(id, at)
    const tables = [collection, ...collection.byLocale.values()].map(({ table }) => table)
    const removals = tables.map((table) => statements.get(`delete ${table}`, () => prepareSql(deleteStatement(table))))
    await connection.pipeline([
      ...this.#journal.steps(
        { seq, at, actor, action: 'delete', collection: key, id },
        getReplacedStates(before, undefined),
      ),
      ...removals.map((removal) => () => connection.run(removal, { pk })),
      ...this.#references.replaceSteps(key, id, []),
      ...this.#replaceChoices(collection, id, []),
    ])
    for (const table of tables) connection.batch.deferToCommit(this.#removeSearchRow(table), { pk })
    connection.batch.addCounters(entryCounterChange(collection, seq, before, undefined))
    return seq
  }

  /** Rewrites the stored form of an entry without changing any value that reads return. The empty schema hash keeps other nodes from trusting the text. */
  async align(collection: CollectionModel, row: Pick<StoredEntry, 'pk' | 'doc' | 'orphaned'>): Promise<void> {
    const { connection, statements } = this.#source
    const { table } = collection
    const align = statements.get(`align ${table}`, () =>
      prepareSql(sql`UPDATE ${sql.table(table)}
        SET doc = ${param('doc')}, folded = ${param('folded')}, orphaned = ${param('orphaned')}, schema_hash = ''
        WHERE pk = ${param('pk')}`),
    )
    await connection.run(align, { ...row, folded: deriveFields(collection, JSON.parse(row.doc)) })
  }

  /** Stores an entry as a locale shows it, without its search row. */
  async putLocaleRow(pk: number, entry: LocaleTableEntry, localeRow: LocaleRow): Promise<void> {
    const { connection, statements } = this.#source
    const { table } = localeRow.collection
    const row = toLocaleTableRow(entry, localeRow, pk)
    const put = statements.get(`put ${table}`, () => prepareSql(putStatement(table, Object.keys(row))))
    await connection.run(put, row)
  }

  async #putLocaleRows(pk: number, entry: LocaleTableEntry & Pick<WrittenEntry, 'localeRows'>): Promise<void> {
    await this.#source.connection.pipeline(
      entry.localeRows.map((localeRow) => () => this.putLocaleRow(pk, entry, localeRow)),
    )
  }

  #addChoices(collection: CollectionModel, id: string, choices: readonly FieldMember[]): readonly WriteStep[] {
    return insertSteps(this.#source, 'daybook$choices', toChoiceRows({ id, choices }, collection.key))
  }

  #replaceChoices(collection: CollectionModel, id: string, choices: readonly FieldMember[]): readonly WriteStep[] {
    const { key, multiValuedFields } = collection
    if (multiValuedFields.size === 0) return []
    const drop: WriteStep = () => this.#source.connection.run(DROP_CHOICES, { collection: key, id })
    return [drop, ...this.#addChoices(collection, id, choices)]
  }

  /** Stores the search rows of an entry, in the search tables of the collection and of its locales. */
  #index(
    collection: CollectionModel,
    pk: number,
    entry: WrittenEntry,
    { replaces }: { readonly replaces: boolean },
  ): void {
    const { connection, dialect, statements } = this.#source
    for (const { collection: target, words } of toSearchRows(dialect.search, collection, entry)) {
      const { table } = target
      if (replaces) connection.batch.deferToCommit(this.#removeSearchRow(table), { pk })
      const insert = statements.get(`search ${table}`, () => prepareSql(dialect.search.insert(target)))
      connection.batch.deferToCommit(insert, { ...words, pk })
    }
  }

  #removeSearchRow(table: string): Statement {
    const { dialect, statements } = this.#source
    return statements.get(`unsearch ${table}`, () => prepareSql(dialect.search.remove(table)))
  }
}

function insertStatement({ returningPk }: Dialect, key: string): RawBuilder<{ readonly pk: number }> {
  return sql`${insertRow(key, ENTRY_COLUMNS)}${returningPk}`
}

function updateStatement(key: string): RawBuilder<unknown> {
  const changes = ENTRY_COLUMNS.filter((name) => name !== 'id').map((name) => sql`${sql.ref(name)} = ${param(name)}`)
  return sql`UPDATE ${sql.table(key)} SET ${sql.join(changes)} WHERE pk = ${param('pk')}`
}

const deleteStatement = (table: string): RawBuilder<unknown> =>
  sql`DELETE FROM ${sql.table(table)} WHERE pk = ${param('pk')}`

function putStatement(table: string, columns: readonly string[]): RawBuilder<unknown> {
  return sql`${insertRow(table, columns)} ${onConflictUpdate(['pk'], columns)}`
}

const DROP_CHOICES = prepare(
  build
    .deleteFrom('daybook$choices')
    .where('from_collection', '=', param<string>('collection'))
    .where('from_id', '=', param<string>('id')),
)

export class ReferenceWriter {
  readonly #source: StoreWriteContext

  constructor(source: StoreWriteContext) {
    this.#source = source
  }

  /** Deletes the references of a document that was deleted or is no longer declared. */
  async drop(collection: string, id: string): Promise<void> {
    await this.#source.connection.run(DROP_REFERENCES, { collection, id })
  }

  /** Returns the statements that store the references of a new document. */
  addSteps(collection: string, id: string, references: readonly FieldReference[]): readonly WriteStep[] {
    return insertSteps(this.#source, 'daybook$refs', toReferenceRows({ id, references }, collection))
  }

  /** Returns the statements that replace the references of a document. */
  replaceSteps(collection: string, id: string, references: readonly FieldReference[]): readonly WriteStep[] {
    return [() => this.drop(collection, id), ...this.addSteps(collection, id, references)]
  }
}

const DROP_REFERENCES = prepare(
  build
    .deleteFrom('daybook$refs')
    .where('from_collection', '=', param<string>('collection'))
    .where('from_id', '=', param<string>('id')),
)
