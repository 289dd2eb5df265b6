import { sql } from 'kysely'
import type { CollectionModel } from '../../model/model.ts'
import {
  build,
  param,
  prepare,
  prepareSql,
  type Statement,
  type StatementCache,
  type StatementValues,
} from '../compile.ts'
import type { WriteConnection } from '../database.ts'
import type { Dialect } from '../dialect.ts'
import { wholeOf } from '../journal.ts'
import { DEFAULT_LOCALE_NOTE, writeNote } from '../notes.ts'
import type { Reader } from '../reads/read.ts'
import type { FieldReference, GlobalRow, LocaleRow, StoredEntry, StoredReplyRow, WrittenEntry } from '../reads/rows.ts'
import { FileClaims } from '../records/file-claims.ts'
import { Leases } from '../records/leases.ts'
import { MigrationRecords } from '../records/migration-records.ts'
import { RateLimits } from '../records/rate-limits.ts'
import { WrittenRecords } from '../records/records.ts'
import { WrittenSchedules } from '../records/schedules.ts'
import { WrittenHistory } from '../records/written-history.ts'
import { searchRows } from '../search/search-rows.ts'
import { dropLocaleTables, dropsOf } from '../tables/locale-tables.ts'
import { type FieldMember, foldedTexts } from '../tables/members.ts'
import { withoutLocaleIndexes } from '../tables/schema.ts'
import { ENTRY_COLUMNS, type EntryTable, GLOBALS, PEOPLE_COLUMNS, type PeopleColumns } from '../tables/tables.ts'
import { moveRestoreNote, type RestoreNote } from '../transfer/restore-note.ts'
import { type WorkingCopy, workingCopyOf } from '../working-copy.ts'
import { addRows } from './add-rows.ts'
import { BulkChange } from './bulk-change.ts'
import { BulkInsert } from './bulk-insert.ts'
import { choiceRows, isBulk, type Rows, referenceRows } from './bulk-rows.ts'
import type { JournalRecord } from './commit-batch.ts'
import { type Change, countChange, type EntryChange, type KnownChange } from './entry-change.ts'
import { EntryGroup } from './entry-group.ts'
import { type FormerState, formerStates } from './former-states.ts'
import { LentTransaction } from './lent-transaction.ts'

/** How a working copy is written. */
interface DraftChange extends Pick<Change, 'at' | 'actor'> {
  readonly keepsFormer?: boolean
}

/** A statement of a write that is about to be run. */
type WriteStep = () => Promise<unknown>

/**
 * The writing half of the store, inside one transaction. Each method stores the document, its references,
 * its search row, the counters and the journal record together.
 */
export class Writer {
  readonly read: Reader
  readonly leases: Leases
  readonly fileClaims: FileClaims
  readonly rateLimits: RateLimits
  readonly migrations: MigrationRecords
  readonly schedules: WrittenSchedules
  readonly history: WrittenHistory
  readonly #connection: WriteConnection
  readonly #statements: StatementCache
  /** Takes changes of entries that are stored together with others. */
  readonly #group: EntryGroup<EntryChange> | undefined

  constructor(
    connection: WriteConnection,
    reader: Reader,
    statements: StatementCache,
    group?: EntryGroup<EntryChange>,
  ) {
    this.#group = group
    this.#connection = connection
    this.read = reader.on(connection)
    const now = (): Promise<number> => this.#now()
    this.leases = new Leases(connection, now)
    this.fileClaims = new FileClaims(connection, now)
    this.rateLimits = new RateLimits(connection, now)
    this.migrations = new MigrationRecords(connection)
    this.schedules = new WrittenSchedules(connection, now)
    this.history = new WrittenHistory(connection)
    this.#statements = statements
  }

  /** Records of auth adapters and others, which note session changes of this transaction alone. */
  get records(): WrittenRecords {
    return new WrittenRecords(this.#connection, () => this.#now())
  }

  /** The last change of the transaction; `undefined`: there is none. */
  get last(): JournalRecord | undefined {
    return this.#connection.batch.last
  }

  /** Begins to watch what this transaction changes: tells the number of the first change since; `undefined`: there is none. */
  watch(): () => number | undefined {
    return this.#connection.batch.watch()
  }

  /** Writes down what waits for the commit, so that a long transaction does not hold it all in memory. */
  async flush(): Promise<void> {
    await this.#connection.batch.flush()
  }

  /** Whether the engine stores many entries at once, see {@link together}. */
  get isBulk(): boolean {
    return isBulk(this.read.dialect)
  }

  /**
   * Runs works of which each changes or deletes one entry at most, and none asks for what another one stores: their changes are
   * stored together. After one that fails, the engine refuses all that is left of the transaction.
   */
  async together<T>(works: readonly ((writer: Writer) => Promise<T>)[]): Promise<readonly PromiseSettledResult<T>[]> {
    const { dialect } = this.read
    if (!isBulk(dialect)) throw new Error('The engine stores entries one by one.')
    const bulk = new BulkChange(this.#connection, dialect)
    const group = new EntryGroup<EntryChange>(works.length, (changes) => bulk.store(changes))
    const writer = new Writer(this.#connection, this.read, this.#statements, group)
    return Promise.allSettled(works.map((work) => work(writer).finally(() => group.end())))
  }

  /** Lends the transaction to code of others. */
  lend(): LentTransaction {
    return new LentTransaction(this.read.dialect, this.#connection)
  }

  /** @throws {UniqueViolation} when another entry holds a unique value */
  async createEntry(collection: CollectionModel, entry: WrittenEntry, actor: string): Promise<number> {
    const { id, updated_at: at } = entry
    const seq = await this.#connection.batch.next(id, at)
    const insert = this.#statements.get(`insert ${collection.key}`, () =>
      prepareSql(insertStatement(this.read.dialect, collection.key)),
    )
    let pk = 0
    await this.#connection.pipeline([
      // First what may be refused: then nothing else has to be undone.
      async () => {
        pk = await this.#connection.insert(insert, { ...entry, seq })
      },
      () => this.#append({ seq, at, actor, action: 'create', collection: collection.key, id }),
      ...this.#refer(collection.key, id, entry.references, false),
      ...this.#choose(collection, id, entry.choices, false),
    ])
    await this.#show(collection, pk, entry, seq, 'new')
    this.#connection.batch.count(countChange(collection, seq, undefined, entry))
    return seq
  }

  /**
   * Stores entries in this order, with few statements for all of them where the engine takes many rows at once.
   *
   * @throws {UniqueViolation} when a unique value is held by another entry, or by two of these
   */
  async createEntries(collection: CollectionModel, entries: readonly WrittenEntry[], actor: string): Promise<void> {
    const { dialect } = this.read
    if (isBulk(dialect) && entries.length > 1) {
      return new BulkInsert(this.#connection, dialect).add({ collection, entries, actor })
    }
    for (const entry of entries) await this.createEntry(collection, entry, actor)
  }

  /** @throws {UniqueViolation} when another entry holds a unique value */
  async updateEntry(
    collection: CollectionModel,
    before: StoredEntry,
    entry: WrittenEntry,
    actor: string,
    known: KnownChange = {},
  ): Promise<number> {
    const { id, updated_at: at } = entry
    if (this.#group) return this.#group.add({ collection, before, after: entry, at, actor, known })
    const { isFoundAsBefore = false, hasSameMembers = false } = known
    const seq = await this.#connection.batch.next(id, at)
    const update = this.#statements.get(`update ${collection.key}`, () => prepareSql(updateStatement(collection.key)))
    await this.#connection.pipeline([
      () => this.#connection.run(update, { ...entry, seq, pk: before.pk }),
      () => this.#append({ seq, at, actor, action: known.action ?? 'update', collection: collection.key, id }),
      ...this.#saveStates(formerStates(before, entry)),
      ...(hasSameMembers
        ? []
        : [
            ...this.#refer(collection.key, id, entry.references, true),
            ...this.#choose(collection, id, entry.choices, true),
          ]),
    ])
    await this.#show(collection, before.pk, entry, seq, isFoundAsBefore ? 'same' : 'other')
    this.#connection.batch.count(countChange(collection, seq, before, entry))
    return seq
  }

  /** Changes how an entry is stored, and nothing that is read of it: it is no change, and no other node trusts the text. */
  async alignDocument(collection: CollectionModel, row: Pick<StoredEntry, 'pk' | 'doc' | 'orphaned'>): Promise<void> {
    const { table } = collection
    const align = this.#statements.get(`align ${table}`, () =>
      prepareSql(sql`UPDATE ${sql.table(table)}
        SET doc = ${param('doc')}, folded = ${param('folded')}, orphaned = ${param('orphaned')}, schema_hash = ''
        WHERE pk = ${param('pk')}`),
    )
    await this.#connection.run(align, { ...row, folded: foldedTexts(collection, JSON.parse(row.doc)) })
  }

  async deleteEntry(collection: CollectionModel, before: StoredEntry, at: string, actor: string): Promise<number> {
    const { id, pk } = before
    if (this.#group) return this.#group.add({ collection, before, after: undefined, at, actor, known: {} })
    const seq = await this.#connection.batch.next(id, at)
    const tables = [collection, ...collection.byLocale.values()].map(({ table }) => table)
    await this.#connection.pipeline([
      () => this.#append({ seq, at, actor, action: 'delete', collection: collection.key, id }),
      ...this.#saveStates(formerStates(before, undefined)),
      ...tables.map((table) => () => this.#connection.run(this.#removal(table), { pk })),
      ...this.#refer(collection.key, id, [], true),
      ...this.#choose(collection, id, [], true),
    ])
    for (const table of tables) this.#connection.batch.later(this.#unindex(table), { pk })
    this.#connection.batch.count(countChange(collection, seq, before, undefined))
    return seq
  }

  /**
   * Stores the working copy of an entry, or throws it away. Nothing of the document itself changes.
   *
   * @param keepsFormer whether the working copy before it stays in history. @default true
   */
  async writeDraft(
    collection: CollectionModel,
    before: StoredEntry,
    copy: Omit<WorkingCopy, 'seq'> | undefined,
    { at, actor, keepsFormer = true }: DraftChange,
  ): Promise<number> {
    const { key } = collection
    const { id, pk } = before
    const seq = await this.#connection.batch.next(id, at)
    const draft = copy ? JSON.stringify({ seq, ...copy }) : null
    const former = keepsFormer ? workingCopyOf(before) : undefined
    const put = this.#statements.get(`draft ${key}`, () =>
      prepareSql(sql`UPDATE ${sql.table(key)} SET draft = ${param('draft')} WHERE pk = ${param('pk')}`),
    )
    await this.#connection.pipeline([
      () => this.#append({ seq, at, actor, action: copy ? 'draft' : 'discard', collection: key, id }),
      ...this.#saveStates(former ? [{ seq: former.seq, doc: wholeOf(former) }] : []),
      () => this.#connection.run(put, { draft, pk }),
    ])
    this.#countDraft(key, seq)
    return seq
  }

  /** Appends a record of what changes no document, such as a schedule. */
  async note(change: Change): Promise<number> {
    const seq = await this.#connection.batch.next(change.id, change.at)
    await this.#append({ ...change, seq })
    if (change.collection !== GLOBALS) this.#countDraft(change.collection, seq)
    return seq
  }

  #countDraft(key: string, seq: number): void {
    this.#connection.batch.count({
      key,
      seq,
      isVisible: false,
      from: undefined,
      to: undefined,
      tallies: [],
      isDraft: true,
    })
  }

  async writeGlobal(
    before: GlobalRow | undefined,
    row: Omit<GlobalRow, 'seq'>,
    references: readonly FieldReference[],
    at: string,
    actor: string,
  ): Promise<number> {
    const { key } = row
    const seq = await this.#connection.batch.next(key, at)
    const action = before ? 'update' : 'create'
    await this.#connection.pipeline([
      () => this.#append({ seq, at, actor, action, collection: GLOBALS, id: key }),
      ...(before ? this.#saveStates([{ seq: before.seq, doc: wholeOf(before) }]) : []),
      () => this.#connection.run(PUT_GLOBAL, { ...row, seq }),
      ...this.#refer(GLOBALS, key, references, true),
    ])
    return seq
  }

  /**
   * Keeps the answer to a write with the write itself, in the place of one from before `expiry`.
   *
   * @throws {UniqueViolation} when another write with the key was first
   */
  async saveReply(answer: StoredReplyRow, expiry: string): Promise<void> {
    await this.#connection.run(DROP_ANSWER, { key: answer.key, expiry })
    await this.#connection.run(ADD_ANSWER, { ...answer })
  }

  /** Forgets the answers to writes from before `expiry`. */
  async dropReplies(expiry: string): Promise<void> {
    await this.#connection.run(DROP_ANSWERS, { expiry })
  }

  /** Drops the references of a document that is no longer there or no longer declared. */
  async forgetReferrer(collection: string, id: string): Promise<void> {
    await this.#connection.run(DROP_REFS, { collection, id })
  }

  /** Runs work that moves values of these collections from one locale to another, see {@link withoutLocaleIndexes}. */
  async withoutLocaleIndexes(collections: readonly CollectionModel[], work: () => Promise<void>): Promise<void> {
    await withoutLocaleIndexes(this.#connection, this.read.dialect, collections, work)
  }

  /** Notes which locale documents hold without saying so. */
  async noteDefaultLocale(locale: string): Promise<void> {
    await writeNote(this.#connection, DEFAULT_LOCALE_NOTE, locale)
  }

  /** Says how far a restore has come, and with what. */
  async noteRestore(before: RestoreNote | undefined, next: RestoreNote): Promise<void> {
    await moveRestoreNote(this.#connection, before, next)
  }

  /** Drops a collection that the config no longer has. Its past, and what it held at last, stay in the journal. */
  async dropCollection(key: string): Promise<void> {
    const { dialect } = this.read
    await this.#connection.run(prepareSql(saveAllStatement(key)))
    await dropLocaleTables(this.#connection, dialect, (name) => name.startsWith(`${key}$`))
    for (const statement of [
      sql`DROP VIEW IF EXISTS ${sql.table(`${key}_view`)}`,
      ...dropsOf(dialect, key).map((text) => sql.raw(text)),
      sql`DELETE FROM daybook$collections WHERE key = ${key}`,
      sql`DELETE FROM daybook$choices WHERE from_collection = ${key}`,
      sql`DELETE FROM daybook$tallies WHERE collection = ${key}`,
      sql`DELETE FROM daybook$refs WHERE from_collection = ${key} OR to_collection = ${key}`,
    ]) {
      await this.#connection.run(prepareSql(statement))
    }
  }

  async #append(change: Change & { readonly seq: number }): Promise<void> {
    await this.#connection.run(APPEND, { ...change })
  }

  /** Puts states into the journal that are about to go from their table. */
  #saveStates(states: readonly FormerState[]): readonly WriteStep[] {
    return states.map((state) => () => this.#connection.run(SAVE_STATE, { ...state }))
  }

  /** The database's clock, in milliseconds since 1970: those of nodes may differ. */
  async #now(): Promise<number> {
    const clock = this.#statements.get('now', () =>
      prepareSql(sql<{ now: number }>`SELECT ${this.read.dialect.now} AS now`),
    )
    return Number((await this.#connection.get(clock))?.now)
  }

  #refer(
    collection: string,
    id: string,
    references: readonly FieldReference[],
    hadSome: boolean,
  ): readonly WriteStep[] {
    const forget = (): Promise<unknown> => this.#connection.run(DROP_REFS, { collection, id })
    return [...(hadSome ? [forget] : []), ...this.#add('daybook$refs', referenceRows({ id, references }, collection))]
  }

  #choose(
    { key, manyValued }: CollectionModel,
    id: string,
    choices: readonly FieldMember[],
    hadSome: boolean,
  ): readonly WriteStep[] {
    if (manyValued.size === 0) return []
    const forget = (): Promise<unknown> => this.#connection.run(DROP_CHOICES, { collection: key, id })
    return [...(hadSome ? [forget] : []), ...this.#add('daybook$choices', choiceRows({ id, choices }, key))]
  }

  #add(table: string, rows: Rows): readonly WriteStep[] {
    return addRows(
      { connection: this.#connection, dialect: this.read.dialect, statements: this.#statements },
      table,
      rows,
    )
  }

  /** Stores what is read and found of an entry, in the collection's own table and in those of its locales. */
  async #show(
    collection: CollectionModel,
    pk: number,
    entry: WrittenEntry,
    seq: number,
    found: 'new' | 'same' | 'other',
  ): Promise<void> {
    const { localeRows } = entry
    if (found !== 'same') this.#indexAll(collection, pk, entry, found === 'other')
    await this.#connection.pipeline(localeRows.map((row) => () => this.putLocaleRow(pk, { ...entry, seq }, row)))
  }

  #indexAll(
    collection: CollectionModel,
    pk: number,
    { value, status, localeRows }: WrittenEntry,
    hadOne: boolean,
  ): void {
    const rowOf = searchRows(this.read.dialect.search)
    this.#index(collection, { ...rowOf(collection, value, status), pk }, hadOne)
    for (const row of localeRows)
      this.#index(row.collection, { ...rowOf(collection, row.value, row.status), pk }, hadOne)
  }

  /** Stores an entry as a locale shows it, but for its search row. */
  async putLocaleRow(
    pk: number,
    entry: PeopleColumns & Pick<EntryTable, 'id' | 'created_at' | 'updated_at' | 'seq'>,
    localeRow: LocaleRow,
  ): Promise<void> {
    const { table, schemaHash: schema_hash } = localeRow.collection
    const put = this.#statements.get(`put ${table}`, () => prepareSql(putLocaleRowStatement(table)))
    await this.#connection.run(put, { ...entry, ...localeRow, pk, schema_hash })
  }

  #index(collection: CollectionModel, row: StatementValues, hadOne: boolean): void {
    const { table } = collection
    if (hadOne) this.#connection.batch.later(this.#unindex(table), { pk: row.pk })
    const { search } = this.read.dialect
    const insert = this.#statements.get(`search ${table}`, () => prepareSql(search.insert(collection)))
    this.#connection.batch.later(insert, row)
  }

  #removal(table: string): Statement {
    return this.#statements.get(`delete ${table}`, () =>
      prepareSql(sql`DELETE FROM ${sql.table(table)} WHERE pk = ${param('pk')}`),
    )
  }

  #unindex(table: string): Statement {
    return this.#statements.get(`unsearch ${table}`, () => prepareSql(this.read.dialect.search.remove(table)))
  }
}

const APPEND = prepare(
  build.insertInto('daybook$journal').values({
    seq: param<number>('seq'),
    at: param<string>('at'),
    actor: param<string>('actor'),
    action: param<string>('action'),
    collection: param<string>('collection'),
    id: param<string>('id'),
  }),
)
const SAVE_STATE = prepare(
  build
    .insertInto('daybook$journal_payload')
    .values({ seq: param<number>('seq'), doc: param<string>('doc') })
    .onConflict((conflict) => conflict.doNothing()),
)
const DROP_REFS = prepare(
  build
    .deleteFrom('daybook$refs')
    .where('from_collection', '=', param<string>('collection'))
    .where('from_id', '=', param<string>('id')),
)
const DROP_CHOICES = prepare(
  build
    .deleteFrom('daybook$choices')
    .where('from_collection', '=', param<string>('collection'))
    .where('from_id', '=', param<string>('id')),
)
const DROP_ANSWER = prepare(
  build
    .deleteFrom('daybook$idempotency')
    .where('key', '=', param<string>('key'))
    .where('at', '<', param<string>('expiry')),
)
const DROP_ANSWERS = prepare(build.deleteFrom('daybook$idempotency').where('at', '<', param<string>('expiry')))
const ADD_ANSWER = prepare(
  build.insertInto('daybook$idempotency').values({
    key: param<string>('key'),
    request: param<string>('request'),
    at: param<string>('at'),
    status: param<number>('status'),
    headers: param<string>('headers'),
    body: param<string>('body'),
  }),
)
const PUT_GLOBAL = prepare(
  build
    .insertInto('daybook$globals')
    .values({
      key: param<string>('key'),
      created_by: param<string | null>('created_by'),
      updated_by: param<string | null>('updated_by'),
      seq: param<number>('seq'),
      schema_hash: param<string>('schema_hash'),
      orphaned: param<string | null>('orphaned'),
      locales: param<string | null>('locales'),
      doc: param<string>('doc'),
    })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet(({ ref }) => ({
        created_by: ref('excluded.created_by'),
        updated_by: ref('excluded.updated_by'),
        seq: ref('excluded.seq'),
        schema_hash: ref('excluded.schema_hash'),
        orphaned: ref('excluded.orphaned'),
        locales: ref('excluded.locales'),
        doc: ref('excluded.doc'),
      })),
    ),
)

function insertStatement({ returningPk }: Dialect, key: string) {
  const columns = sql.join(ENTRY_COLUMNS.map((name) => sql.ref(name)))
  const values = sql.join(ENTRY_COLUMNS.map((name) => param(name)))
  return sql<{ pk: number }>`INSERT INTO ${sql.table(key)} (${columns}) VALUES (${values})${returningPk}`
}

const LOCALE_COLUMNS = [
  'id',
  'slug',
  'own_slug',
  'status',
  'created_at',
  'updated_at',
  ...PEOPLE_COLUMNS,
  'seq',
  'schema_hash',
  'folded',
  'doc',
] as const

function putLocaleRowStatement(table: string) {
  const columns = sql.join(['pk', ...LOCALE_COLUMNS].map((name) => sql.ref(name)))
  const values = sql.join(['pk', ...LOCALE_COLUMNS].map((name) => param(name)))
  const changes = sql.join(LOCALE_COLUMNS.map((name) => sql`${sql.ref(name)} = ${sql.ref(`excluded.${name}`)}`))
  return sql`INSERT INTO ${sql.table(table)} (${columns}) VALUES (${values}) ON CONFLICT (pk) DO UPDATE SET ${changes}`
}

/** As {@link wholeOf}, for all entries of a collection. */
function saveAllStatement(key: string) {
  return sql`INSERT INTO daybook$journal_payload (seq, doc)
    SELECT seq, substr(doc, 1, length(doc) - 1) || coalesce(',"@locales":' || locales, '') || coalesce(',"@orphaned":' || orphaned, '') || '}'
    FROM ${sql.table(key)} WHERE true ON CONFLICT DO NOTHING`
}

function updateStatement(key: string) {
  const changes = ENTRY_COLUMNS.filter((name) => name !== 'id').map((name) => sql`${sql.ref(name)} = ${param(name)}`)
  return sql`UPDATE ${sql.table(key)} SET ${sql.join(changes)} WHERE pk = ${param('pk')}`
}
