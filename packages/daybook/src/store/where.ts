import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { CollectionModel, Comparable, ManyValued } from '../model/model.ts'
import type { Condition } from '../query/where.ts'
import { param, type WhereSql } from './compile.ts'
import type { Dialect, FilteredTable, Piece, QueryPlan } from './dialect.ts'

export type CompareCondition = Extract<Condition, { kind: 'compare' }>
type Member = Extract<Condition, { kind: 'member' }>
type RelatedCondition = Extract<Condition, { kind: 'related' }>

/** The options of {@link toWhereSql}. */
interface WhereOptions {
  /** The way to find the entries. @default the database chooses */
  readonly plan?: QueryPlan
  /** The beginning of the names of its parameters. @default 'where' */
  readonly prefix?: string
}

/** Translates a filter on the table that is called `entry`. */
export function toWhereSql(
  dialect: Dialect,
  condition: Condition,
  { key, table: name }: Pick<CollectionModel, 'key' | 'table'>,
  { plan, prefix = 'where' }: WhereOptions = {},
): WhereSql {
  const values: Record<string, unknown> = {}
  const bind = (value: unknown): string => {
    const parameter = `${prefix}${Object.keys(values).length}`
    values[parameter] = value
    return parameter
  }
  const table: FilteredTable = { dialect, collection: key, name, alias: 'entry', bind }
  const piece =
    plan && dialect.planner ? dialect.planner.translate(condition, table, plan) : translateCondition(condition, table)
  return { cacheKey: piece.cacheKey, values, build: () => piece.sql() }
}

/** Translates a condition so that the engine finds each value where it likes. */
export function translateCondition(condition: Condition, table: FilteredTable): Piece {
  if (condition.kind === 'compare') return translateComparison(condition, table)
  if (condition.kind === 'member') return member(condition, table)
  if (condition.kind === 'related') return related(condition, table)
  return combinePieces(
    condition.kind,
    condition.of.map((one) => translateCondition(one, table)),
  )
}

/** Parts that must all hold, or of which one must. */
export function combinePieces(kind: 'all' | 'any', pieces: readonly Piece[]): Piece {
  const isAll = kind === 'all'
  return {
    cacheKey: `${isAll ? '&' : '|'}(${pieces.map(({ cacheKey }) => cacheKey).join()})`,
    sql: () => {
      if (pieces.length === 0) return isAll ? sql`1 = 1` : sql`1 = 0`
      return sql`(${sql.join(
        pieces.map((piece) => piece.sql()),
        isAll ? sql` AND ` : sql` OR `,
      )})`
    },
  }
}

/** A missing value differs from every value: a negated condition holds for it. */
const negate = (value: RawBuilder<unknown>, holds: RawBuilder<SqlBool>): RawBuilder<SqlBool> =>
  sql`(${value} IS NULL OR NOT (${holds}))`

function translateComparison(condition: CompareCondition, { dialect, alias, bind }: FilteredTable): Piece {
  const { by, operator, values, negated } = condition
  const isLong = values.some((value) => String(value).length >= INDEXED_CHARACTERS)
  const cacheKey = `${negated ? '!' : ''}${alias}.${by.path} ${operator}${isLong ? ' long' : ''}`
  const names = bindValues(operator, values, bind)
  return {
    cacheKey,
    sql: () => {
      const own = dialect.value(by, alias)
      if (operator === 'exists') return negated ? sql`${own} IS NULL` : sql`${own} IS NOT NULL`
      const holds = dialect.compare(by, operator, names, { alias, isLong })
      return negated ? negate(own, holds) : holds
    },
  }
}

/** An index may hold no more of a text than its first so many characters. */
export const INDEXED_CHARACTERS = 600

/** A value as the documents hold it: beyond 2⁵³, a whole number is the one that JSON writes, not the nearest double's own. */
export function toStored(value: unknown): unknown {
  if (typeof value === 'boolean') return Number(value)
  const isLarge = typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)
  return isLarge && Math.abs(value) < 2 ** 63 ? BigInt(String(value)) : value
}

function bindValues(operator: string, values: readonly unknown[], bind: FilteredTable['bind']): readonly string[] {
  if (operator === 'exists') return []
  if (operator === 'in') return [bind(JSON.stringify(values))]
  const [value] = values
  if (operator === 'startsWith') return [bind(value), bind(successor(String(value)))]
  return [bind(toStored(value))]
}

const LAST = 0x10ffff

/** The first text, by code point, that comes after all that begin with this one; `null` when there is none. */
function successor(text: string): string | null {
  const points = [...text].map((character) => character.codePointAt(0) ?? 0)
  while (points.at(-1) === LAST) points.pop()
  const last = points.pop()
  if (last === undefined) return null
  // Surrogates are no characters of their own.
  return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1)
}

/** The members of a many-valued field: references in one table, choices and scalars in the other. */
function memberTable({ to, part }: ManyValued): { table: RawBuilder<unknown>; value: RawBuilder<unknown> } {
  if (to === undefined && !part) return { table: sql.table('daybook$choices'), value: sql.ref('m.value') }
  return {
    table: sql.table('daybook$refs'),
    value: sql.ref(part?.name === 'collection' ? 'm.to_collection' : 'm.to_id'),
  }
}

/** Whether an entry alone tells if it holds the condition, without a look into other tables. */
export function isOwn(condition: Condition): boolean {
  return condition.kind === 'compare' || ('of' in condition && Array.isArray(condition.of) && condition.of.every(isOwn))
}

function member(condition: Member, { dialect, collection, alias, bind }: FilteredTable): Piece {
  const { of, operator, values, negated } = condition
  // Members are kept as text.
  const list = operator === 'exists' ? '' : bind(JSON.stringify(values.map(String)))
  const count = operator === 'all' ? bind(values.length) : ''
  return {
    cacheKey: `${negated ? '!' : ''}${alias}.${of.path} has ${operator}`,
    sql: () => {
      const { table, value } = memberTable(of)
      const own = sql`${table} AS m WHERE m.from_collection = ${sql.lit(collection)} AND m.field = ${sql.lit(of.part?.relation ?? of.path)}`
      const id = sql.ref(`${alias}.id`)
      const given = dialect.isAmong(value, param(list))
      // Without the collection, no index leads from a document to the entries that refer to it.
      const ofTarget = of.to === undefined ? sql`` : sql` AND m.to_collection = ${sql.lit(of.to)}`
      // Several references may lead to one collection.
      const counted = of.part?.name === 'collection' ? sql`count(DISTINCT ${value})` : sql`count(*)`
      const holds =
        operator === 'exists'
          ? sql<SqlBool>`EXISTS (SELECT 1 FROM ${own} AND m.from_id = ${id})`
          : operator === 'in'
            ? sql<SqlBool>`${id} IN (SELECT m.from_id FROM ${own}${ofTarget} AND ${given})`
            : sql<SqlBool>`(SELECT ${counted} FROM ${own} AND m.from_id = ${id} AND ${given}) = ${param(count)}`
      return negated ? sql`NOT (${holds})` : holds
    },
  }
}

function related(condition: RelatedCondition, table: FilteredTable): Piece {
  const { dialect, collection, alias, bind } = table
  const { through, isMany, to, statuses, where, negated } = condition
  const inner = translateCondition(where, { ...table, collection: to.key, name: to.table, alias: 'target' })
  const seen = statuses === undefined ? '' : bind(JSON.stringify(statuses))
  return {
    cacheKey: `${negated ? '!' : ''}${alias}.${through.path}>${to.table} ${seen !== ''} (${inner.cacheKey})`,
    sql: () => {
      const visible = seen === '' ? sql`` : sql` AND ${dialect.isAmong(sql.ref('target.status'), param(seen))}`
      const targets = sql`(SELECT ${dialect.targetId} FROM ${sql.table(to.table)} AS target WHERE ${inner.sql()}${visible})`
      if (isMany) {
        const id = sql.ref(`${alias}.id`)
        const holds = sql<SqlBool>`${id} IN (SELECT m.from_id FROM daybook$refs AS m WHERE m.from_collection = ${sql.lit(
          collection,
        )} AND m.field = ${sql.lit(through.path)} AND m.to_collection = ${sql.lit(to.key)} AND m.to_id IN ${targets})`
        return negated ? sql`NOT (${holds})` : holds
      }
      const own = dialect.value(through as Comparable, alias)
      const holds = sql<SqlBool>`${own} IN ${targets}`
      return negated ? negate(own, holds) : holds
    },
  }
}
