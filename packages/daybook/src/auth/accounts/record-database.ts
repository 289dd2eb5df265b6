import type { BetterAuthOptions } from 'better-auth'
import {
  type CleanedWhere,
  type CustomAdapter,
  createAdapterFactory,
  type DBAdapter,
  type DBAdapterInstance,
} from 'better-auth/adapters'
import { DaybookError } from '../../errors.ts'
import {
  type AuthRecord,
  type AuthRecords,
  DuplicateKeyError,
  type RecordReader,
  type RecordWriter,
} from '../records.ts'
import { getRecordKind, revokeAfterChange, revokeAfterRemoval } from './revocation.ts'

/** A model of better-auth, with the keys of its records. */
interface RecordModel {
  readonly name: string
  readonly keys: readonly string[]
  /** The keys whose values are unique. */
  readonly unique: readonly string[]
}

/** The committed records, or those that a transaction sees. */
interface RecordSource {
  readonly reader: RecordReader
  write<T>(work: (writer: RecordWriter) => Promise<T>): Promise<T>
}

/** Models whose rows expire at their `expiresAt`. */
const EXPIRING_MODELS: ReadonlySet<string> = new Set(['session', 'verification'])
/** Keys that better-auth looks up besides those of its schema. */
const FURTHER_KEYS: Readonly<Record<string, readonly string[]>> = { account: ['accountId'] }

/**
 * Creates a database for better-auth in records, for its own tables and those of its plugins, without migrations. A transaction begins with
 * its first write, so that no other write waits while a password is hashed.
 *
 * A new password, a ban or a removal revokes sessions and links of the account in the same transaction.
 *
 * @param onChange called after each change
 */
export function recordDatabase(records: AuthRecords, onChange: () => void): DBAdapterInstance {
  const source: RecordSource = {
    reader: records,
    write: (work) => records.transaction(work).finally(onChange),
  }
  return (options) => openDatabase(source, { records, options, onChange })
}

interface DatabaseParts {
  readonly records: AuthRecords
  readonly options: BetterAuthOptions
  readonly onChange: () => void
}

function openDatabase(source: RecordSource, parts: DatabaseParts): DBAdapter {
  return createAdapterFactory({
    config: {
      adapterId: 'daybook',
      supportsJSON: true,
      supportsArrays: true,
      supportsDates: false,
      supportsNumericIds: false,
      transaction: async (work) => {
        const transaction = new LazyTransaction(parts.records)
        try {
          const result = await work(openDatabase(transaction, parts))
          await transaction.commit()
          return result
        } catch (error) {
          await transaction.rollBack(error)
          throw error
        } finally {
          parts.onChange()
        }
      },
    },
    adapter: ({ schema, getDefaultModelName }) =>
      createOperations(source, (modelName) => {
        const name = getDefaultModelName(modelName)
        const fields = Object.entries(schema[name]?.fields ?? {}).map(([key, field]) => ({
          ...field,
          name: field.fieldName ?? key,
        }))
        const keys = fields.filter(({ unique, index, references }) => unique || index || references)
        return {
          name,
          keys: [...keys.map((field) => field.name), ...(FURTHER_KEYS[name] ?? [])],
          unique: keys.filter(({ unique }) => unique).map((field) => field.name),
        }
      }),
  })(parts.options)
}

/** A transaction of the store that begins with the first write. */
class LazyTransaction implements RecordSource {
  readonly #records: AuthRecords
  readonly #end = Promise.withResolvers<void>()
  #writer: Promise<RecordWriter> | undefined
  #reader: RecordReader
  #committed: Promise<void> = Promise.resolve()

  constructor(records: AuthRecords) {
    this.#records = records
    this.#reader = records
  }

  get reader(): RecordReader {
    return this.#reader
  }

  async write<T>(work: (writer: RecordWriter) => Promise<T>): Promise<T> {
    this.#writer ??= this.#begin()
    return work(await this.#writer)
  }

  async commit(): Promise<void> {
    this.#end.resolve()
    await this.#committed
  }

  async rollBack(reason: unknown): Promise<void> {
    this.#end.reject(reason)
    await Promise.allSettled([this.#end.promise, this.#committed])
  }

  #begin(): Promise<RecordWriter> {
    const { promise, resolve, reject } = Promise.withResolvers<RecordWriter>()
    let isBegun = false
    const hold = async (writer: RecordWriter): Promise<void> => {
      // The store repeats a transaction after it lost its connection. This one cannot be repeated, because its results are already in use.
      if (isBegun) throw new DaybookError('SERVICE_UNAVAILABLE')
      isBegun = true
      this.#reader = writer
      resolve(writer)
      await this.#end.promise
    }
    this.#committed = this.#records.transaction(hold, { exclusive: true })
    this.#committed.catch(reject)
    return promise
  }
}

/** Creates the database interface of better-auth, which checks the types of rows itself. */
function createOperations(source: RecordSource, modelFor: (name: string) => RecordModel): CustomAdapter {
  const find = (name: string, where: readonly CleanedWhere[] = []): Promise<readonly AuthRecord[]> =>
    findRows(source.reader, modelFor(name), where)
  /** Changes the matching rows, at most `limit`. */
  const change = (
    name: string,
    where: readonly CleanedWhere[],
    fieldsFor: (row: AuthRecord) => object,
    limit?: number,
  ): Promise<readonly AuthRecord[]> =>
    source.write(async (writer) => {
      const model = modelFor(name)
      const rows = (await findRows(writer, model, where)).slice(0, limit)
      const changes = rows.map((row) => ({ model: model.name, row, update: { ...fieldsFor(row) } }))
      const changedRows = changes.map(({ row, update }) => ({ ...row, ...update }))
      for (const row of changedRows) await putRow(writer, model, row)
      for (const rowChange of changes) await revokeAfterChange(writer, rowChange)
      return changedRows
    })
  const remove = (name: string, where: readonly CleanedWhere[], limit?: number): Promise<readonly AuthRecord[]> =>
    source.write(async (writer) => {
      const model = modelFor(name)
      const rows = (await findRows(writer, model, where)).slice(0, limit)
      for (const { id } of rows) await writer.delete(getRecordKind(model.name), id)
      await revokeAfterRemoval(writer, model.name, rows)
      return rows
    })
  return {
    create: ({ model: name, data }) =>
      source.write(async (writer) => {
        const model = modelFor(name)
        const row = data as unknown as AuthRecord
        if (await writer.get(getRecordKind(model.name), row.id)) throw new DuplicateKeyError('id')
        await putRow(writer, model, row)
        await revokeAfterChange(writer, { model: model.name, row, update: row })
        return data
      }),
    findOne: async ({ model, where }) => ((await find(model, where))[0] ?? null) as never,
    findMany: async ({ model, where, sortBy, offset = 0, limit }) => {
      const rows = await find(model, where)
      const sorted = sortBy ? rows.toSorted((a, b) => compareRows(a, b, sortBy)) : rows
      return sorted.slice(offset, offset + limit) as never
    },
    count: async ({ model, where }) => (await find(model, where)).length,
    update: async ({ model, where, update }) => {
      if (where.length === 0) return null
      return ((await change(model, where, () => update as object, 1))[0] ?? null) as never
    },
    updateMany: async ({ model, where, update }) => (await change(model, where, () => update)).length,
    delete: async ({ model, where }) => {
      if (where.length > 0) await remove(model, where, 1)
    },
    deleteMany: async ({ model, where }) => (await remove(model, where)).length,
    consumeOne: async ({ model, where }) => ((await remove(model, where, 1))[0] ?? null) as never,
    incrementOne: async ({ model, where, increment, set }) => {
      const fieldsFor = (row: AuthRecord): object => {
        const sums = Object.entries(increment).map(([field, by]) => [field, Number(row[field] ?? 0) + by])
        return { ...Object.fromEntries(sums), ...set }
      }
      return ((await change(model, where, fieldsFor, 1))[0] ?? null) as never
    },
  }
}

function putRow(writer: RecordWriter, { name, keys, unique }: RecordModel, row: AuthRecord): Promise<void> {
  const texts = keys.map((key) => [key, row[key]]).filter(([, value]) => typeof value === 'string')
  const until = EXPIRING_MODELS.has(name) ? Date.parse(String(row.expiresAt)) : Number.NaN
  return writer.put(getRecordKind(name), row, {
    keys: Object.fromEntries(texts),
    unique,
    ...(Number.isNaN(until) ? {} : { until }),
  })
}

/** Finds rows by a key if a condition has one. Otherwise it reads all rows of the model. */
async function findRows(
  reader: RecordReader,
  { name, keys }: RecordModel,
  where: readonly CleanedWhere[],
): Promise<readonly AuthRecord[]> {
  const kind = getRecordKind(name)
  const exact = where.filter(
    ({ connector, mode, operator }) =>
      connector === 'AND' && mode !== 'insensitive' && (operator === 'eq' || operator === 'in'),
  )
  const condition = exact.find(({ field }) => field === 'id') ?? exact.find(({ field }) => keys.includes(field))
  const values = [condition?.value].flat().filter((value) => typeof value === 'string')
  if (!condition || values.length === 0) return (await reader.list(kind)).filter((row) => matches(row, where))
  const rows = new Map<string, AuthRecord>()
  for (const value of values) {
    const candidates =
      condition.field === 'id' ? [await reader.get(kind, value)] : await reader.find(kind, condition.field, value)
    for (const row of candidates) if (row && matches(row, where)) rows.set(row.id, row)
  }
  return [...rows.values()]
}

/** Returns true if a row meets every condition joined by AND, and one of those joined by OR if there are any. */
function matches(row: AuthRecord, where: readonly CleanedWhere[]): boolean {
  const alternatives = where.filter(({ connector }) => connector === 'OR')
  return (
    where.every((condition) => condition.connector === 'OR' || meets(row, condition)) &&
    (alternatives.length === 0 || alternatives.some((condition) => meets(row, condition)))
  )
}

function meets(row: AuthRecord, { field, operator, value, mode }: CleanedWhere): boolean {
  const comparable = (operand: unknown): unknown => {
    if (operand instanceof Date) return operand.toISOString()
    return mode === 'insensitive' && typeof operand === 'string' ? operand.toLowerCase() : operand
  }
  const operands = [value].flat().map(comparable)
  return OPERATORS[operator ?? 'eq'](comparable(row[field] ?? null), operands)
}

type OperatorName = NonNullable<CleanedWhere['operator']>
type Operator = (value: unknown, operands: readonly unknown[]) => boolean

const OPERATORS: Readonly<Record<OperatorName, Operator>> = {
  eq: (value, [operand = null]) => value === operand,
  ne: (value, [operand = null]) => value !== operand,
  in: (value, operands) => operands.includes(value),
  not_in: (value, operands) => !operands.includes(value),
  lt: (value, [operand]) => compare(value, operand) < 0,
  lte: (value, [operand]) => compare(value, operand) <= 0,
  gt: (value, [operand]) => compare(value, operand) > 0,
  gte: (value, [operand]) => compare(value, operand) >= 0,
  contains: (value, [operand]) => String(value ?? '').includes(String(operand)),
  starts_with: (value, [operand]) => String(value ?? '').startsWith(String(operand)),
  ends_with: (value, [operand]) => String(value ?? '').endsWith(String(operand)),
}

/** Compares two numbers, or two texts by code unit. Returns `NaN`, which is neither more nor less, for other values. */
function compare(value: unknown, operand: unknown): number {
  const isText = typeof value === 'string' && typeof operand === 'string'
  const isNumber = typeof value === 'number' && typeof operand === 'number'
  if (!isText && !isNumber) return Number.NaN
  return value === operand ? 0 : value < operand ? -1 : 1
}

/** Sorts missing values first. */
function compareRows(
  a: AuthRecord,
  b: AuthRecord,
  { field, direction }: { readonly field: string; readonly direction: 'asc' | 'desc' },
): number {
  const [left, right] = [a[field] ?? null, b[field] ?? null]
  const isMore = left !== null && (right === null || (left as string | number) > (right as string | number))
  const order = left === right ? 0 : isMore ? 1 : -1
  return direction === 'asc' ? order : -order
}
