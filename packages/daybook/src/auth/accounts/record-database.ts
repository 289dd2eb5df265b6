import type { BetterAuthOptions } from 'better-auth'
import {
  type CleanedWhere,
  type CustomAdapter,
  createAdapterFactory,
  type DBAdapter,
  type DBAdapterInstance,
} from 'better-auth/adapters'
import { DaybookError } from '../../errors.ts'
import { type AuthRecord, type AuthRecords, DuplicateKey, type RecordReader, type RecordWriter } from '../records.ts'
import { recordKind } from './record-kind.ts'
import { orderRecords, recordMatches } from './record-where.ts'
import { revokeAfterChange, revokeAfterRemoval } from './revocation.ts'

/** The rows that better-auth keeps of one kind, and what they are found by. */
interface RecordTable {
  readonly kind: string
  readonly model: string
  readonly keyed: readonly string[]
  readonly unique: readonly string[]
}

/** Where operations read, and how they write. */
interface RecordSource {
  readonly read: RecordReader
  write<T>(work: (writer: RecordWriter) => Promise<T>): Promise<T>
}

/** Rows that are worth nothing after their `expiresAt`. */
const EXPIRING_MODELS: ReadonlySet<string> = new Set(['session', 'verification'])
/** The keys that better-auth looks for besides those that its schema names. */
const MORE_KEYS: Readonly<Record<string, readonly string[]>> = { account: ['accountId'] }

/**
 * A database for better-auth in records, for its own tables and those of its plugins: there is nothing to migrate. A
 * transaction begins with its first write, so that no other write waits while a password is hashed.
 *
 * A new password, a ban or a removal revokes sessions and links of the account with the same write.
 *
 * @param onChange called after each change
 */
export function recordDatabase(records: AuthRecords, onChange: () => void): DBAdapterInstance {
  return (options) => openDesk(direct(records, onChange), options, records, onChange)
}

function openDesk(
  desk: RecordSource,
  options: BetterAuthOptions,
  records: AuthRecords,
  onChange: () => void,
): DBAdapter {
  return createAdapterFactory({
    config: {
      adapterId: 'daybook',
      supportsJSON: true,
      supportsArrays: true,
      supportsDates: false,
      supportsNumericIds: false,
      transaction: async (work) => {
        const turn = new LazyTransaction(records)
        try {
          const result = await work(openDesk(turn, options, records, onChange))
          await turn.commit()
          return result
        } catch (error) {
          await turn.undo(error)
          throw error
        } finally {
          onChange()
        }
      },
    },
    adapter: ({ schema, getDefaultModelName }) =>
      operations(desk, (name) => {
        const model = getDefaultModelName(name)
        const fields = Object.entries(schema[model]?.fields ?? {})
        const unique = fields.filter(([, field]) => field.unique)
        const keyed = fields.filter(([, field]) => field.unique || field.index || field.references)
        const nameOf = ([key, field]: (typeof fields)[number]): string => field.fieldName ?? key
        return {
          kind: recordKind(model),
          model,
          unique: unique.map(nameOf),
          keyed: [...keyed.map(nameOf), ...(MORE_KEYS[model] ?? [])],
        }
      }),
  })(options)
}

function direct(records: AuthRecords, onChange: () => void): RecordSource {
  return {
    read: records,
    async write(work) {
      try {
        return await records.transaction(work)
      } finally {
        onChange()
      }
    },
  }
}

/** A transaction that begins with its first write, and ends when it is told so. */
class LazyTransaction implements RecordSource {
  readonly #records: AuthRecords
  readonly #end = Promise.withResolvers<void>()
  #writer: Promise<RecordWriter> | undefined
  #reader: RecordReader
  #done: Promise<void> = Promise.resolve()

  constructor(records: AuthRecords) {
    this.#records = records
    this.#reader = records
  }

  get read(): RecordReader {
    return this.#reader
  }

  async write<T>(work: (writer: RecordWriter) => Promise<T>): Promise<T> {
    this.#writer ??= this.#begin()
    return work(await this.#writer)
  }

  async commit(): Promise<void> {
    this.#end.resolve()
    await this.#done
  }

  async undo(reason: unknown): Promise<void> {
    this.#end.reject(reason)
    await Promise.allSettled([this.#end.promise, this.#done])
  }

  #begin(): Promise<RecordWriter> {
    const { promise, resolve, reject } = Promise.withResolvers<RecordWriter>()
    let isBegun = false
    const hold = async (writer: RecordWriter): Promise<void> => {
      // After the loss of a connection, the store runs it again. Its statements were lost, and their results are used already.
      if (isBegun) throw new DaybookError('SERVICE_UNAVAILABLE')
      isBegun = true
      this.#reader = writer
      resolve(writer)
      await this.#end.promise
    }
    this.#done = this.#records.transaction(hold, { isAlone: true })
    this.#done.catch(reject)
    return promise
  }
}

/** The database interface of better-auth. It checks the types of rows itself. */
function operations(desk: RecordSource, tableOf: (model: string) => RecordTable): CustomAdapter {
  const found = (model: string, where: readonly CleanedWhere[], read = desk.read): Promise<readonly AuthRecord[]> =>
    findRows(read, tableOf(model), where)
  const change = (model: string, where: readonly CleanedWhere[], update: object, isOne: boolean) =>
    desk.write(async (writer) => {
      const table = tableOf(model)
      const rows = (await found(model, where, writer)).slice(0, isOne ? 1 : undefined)
      const changed = rows.map((row) => ({ ...row, ...update }))
      for (const row of changed) await putRecord(writer, table, row)
      for (const row of rows) await revokeAfterChange(writer, { model: table.model, row, update: { ...update } })
      return changed
    })
  const remove = (model: string, where: readonly CleanedWhere[], isOne: boolean) =>
    desk.write(async (writer) => {
      const table = tableOf(model)
      const rows = (await found(model, where, writer)).slice(0, isOne ? 1 : undefined)
      for (const { id } of rows) await writer.delete(table.kind, id)
      await revokeAfterRemoval(writer, table.model, rows)
      return rows
    })
  return {
    create: ({ model, data }) =>
      desk.write(async (writer) => {
        const table = tableOf(model)
        const row = data as unknown as AuthRecord
        if (await writer.get(table.kind, row.id)) throw new DuplicateKey('id')
        await putRecord(writer, table, row)
        await revokeAfterChange(writer, { model: table.model, row, update: row })
        return data
      }),
    findOne: async ({ model, where }) => ((await found(model, where))[0] ?? null) as never,
    findMany: async ({ model, where = [], sortBy, offset = 0, limit }) => {
      const rows = [...(await found(model, where))]
      if (sortBy) rows.sort((one, other) => orderRecords(one, other, sortBy))
      return rows.slice(offset, offset + limit) as never
    },
    count: async ({ model, where = [] }) => (await found(model, where)).length,
    update: async ({ model, where, update }) => {
      if (where.length === 0) return null
      return ((await change(model, where, update as object, true))[0] ?? null) as never
    },
    updateMany: async ({ model, where, update }) => (await change(model, where, update, false)).length,
    delete: async ({ model, where }) => {
      if (where.length > 0) await remove(model, where, true)
    },
    deleteMany: async ({ model, where }) => (await remove(model, where, false)).length,
    consumeOne: async ({ model, where }) => ((await remove(model, where, true))[0] ?? null) as never,
    incrementOne: ({ model, where, increment, set }) =>
      desk.write(async (writer) => {
        const [row] = await found(model, where, writer)
        if (!row) return null
        const sums = Object.entries(increment).map(([field, by]) => [field, Number(row[field] ?? 0) + by])
        const changed = { ...row, ...Object.fromEntries(sums), ...set }
        await putRecord(writer, tableOf(model), changed)
        return changed as never
      }),
  }
}

function putRecord(writer: RecordWriter, { kind, model, keyed, unique }: RecordTable, row: AuthRecord): Promise<void> {
  const keys = keyed.flatMap((field) => {
    const value = row[field]
    return typeof value === 'string' ? [[field, value] as const] : []
  })
  const until = EXPIRING_MODELS.has(model) ? Date.parse(String(row.expiresAt)) : Number.NaN
  return writer.put(kind, row, {
    keys: Object.fromEntries(keys),
    unique,
    ...(Number.isNaN(until) ? {} : { until }),
  })
}

/** Looks up what can be looked up, and goes through the rest. */
async function findRows(
  read: RecordReader,
  table: RecordTable,
  where: readonly CleanedWhere[],
): Promise<readonly AuthRecord[]> {
  const candidates = await candidatesFor(read, table, where)
  return candidates.filter((row) => recordMatches(row, where))
}

async function candidatesFor(
  read: RecordReader,
  { kind, keyed }: RecordTable,
  where: readonly CleanedWhere[],
): Promise<readonly AuthRecord[]> {
  const exact = where.filter(
    ({ connector, mode, operator }) =>
      connector === 'AND' && mode !== 'insensitive' && (operator === 'eq' || operator === 'in'),
  )
  const by = exact.find(({ field }) => field === 'id') ?? exact.find(({ field }) => keyed.includes(field))
  const values = [by?.value].flat().filter((value) => typeof value === 'string')
  if (!by || values.length === 0) return read.list(kind)
  const rows = new Map<string, AuthRecord>()
  for (const value of values) {
    const found = by.field === 'id' ? [await read.get(kind, value)] : await read.find(kind, by.field, value)
    for (const row of found) if (row) rows.set(row.id, row)
  }
  return [...rows.values()]
}
