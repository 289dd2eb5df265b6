import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { CollectionModel, FilterableField, MultiValuedField } from '../model/model.ts'
import { type SqlMembers, toSqlParameters } from '../query/operators.ts'
import type { Condition } from '../query/where.ts'
import type { Dialect, FilteredTable, QueryPlan, SqlFragment } from './dialect.ts'
import { param, type WhereSql } from './statement.ts'

export type CompareCondition = Extract<Condition, { kind: 'compare' }>
type MemberCondition = Extract<Condition, { kind: 'member' }>
type RelatedCondition = Extract<Condition, { kind: 'related' }>

interface WhereOptions {
  /** The plan for finding the entries. @default chosen by the database */
  readonly plan?: QueryPlan
  /** The prefix of the parameter names. @default 'where' */
  readonly prefix?: string
}

/** Translates a filter on the table with the alias `entry`. */
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

/** Translates a condition without a plan. */
export function translateCondition(condition: Condition, table: FilteredTable): SqlFragment {
  if (condition.kind === 'compare') return translateComparison(condition, table)
  if (condition.kind === 'member') return translateMember(condition, table)
  if (condition.kind === 'related') return translateRelated(condition, table)
  return combineFragments(
    condition.kind,
    condition.of.map((part) => translateCondition(part, table)),
  )
}

export function combineFragments(kind: 'all' | 'any', pieces: readonly SqlFragment[]): SqlFragment {
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

/** Negates a condition. A missing value differs from every value, so it matches. */
const negate = (value: RawBuilder<unknown>, holds: RawBuilder<SqlBool>): RawBuilder<SqlBool> =>
  sql`(${value} IS NULL OR NOT (${holds}))`

function translateComparison(condition: CompareCondition, { dialect, alias, bind }: FilteredTable): SqlFragment {
  const { by, operator, values, negated } = condition
  const isLong = values.some((value) => String(value).length >= MAX_INDEXED_CHARACTERS)
  const cacheKey = `${negated ? '!' : ''}${alias}.${by.path} ${operator.name}${isLong ? ' long' : ''}`
  const names = toSqlParameters(operator, values).map((value) => bind(toStoredValue(value)))
  return {
    cacheKey,
    sql: () => {
      const value = dialect.comparedValue(by, { alias, isLong })
      if (negated && operator.negatedSql) return operator.negatedSql(value)
      const parameters = names.map(operator.operand === 'values' ? param : value.parameter)
      const holds = operator.sql(value, ...parameters)
      return negated ? negate(value.indexed, holds) : holds
    },
  }
}

/** The maximum number of characters of a text that an index holds. */
export const MAX_INDEXED_CHARACTERS = 600

/** Converts a value to the form that documents hold. Beyond 2⁵³, that is the whole number that JSON writes for the double. */
export function toStoredValue(value: unknown): unknown {
  if (typeof value === 'boolean') return Number(value)
  const isLarge = typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)
  return isLarge && Math.abs(value) < 2 ** 63 ? BigInt(String(value)) : value
}

/** True if a condition depends on the entry's row alone, and on no other table. */
export function isSelfContained(condition: Condition): boolean {
  return (
    condition.kind === 'compare' ||
    ('of' in condition && Array.isArray(condition.of) && condition.of.every(isSelfContained))
  )
}

function translateMember(condition: MemberCondition, { dialect, collection, alias, bind }: FilteredTable): SqlFragment {
  const { of, operator, values, negated } = condition
  // Members are stored as text.
  const names = toSqlParameters(operator, values.map(String)).map(bind)
  return {
    cacheKey: `${negated ? '!' : ''}${alias}.${of.path} has ${operator.name}`,
    sql: () => {
      const holds = operator.sql(membersSql(of, dialect, collection, alias), ...names.map(param))
      return negated ? sql`NOT (${holds})` : holds
    },
  }
}

/** Selects the members of a multi-valued field: references from one table, choices and scalars from another. */
function membersSql(
  { path, to, part }: MultiValuedField,
  dialect: Dialect,
  collection: string,
  alias: string,
): SqlMembers {
  const isReference = to !== undefined || part !== undefined
  const value = isReference ? sql.ref(part?.name === 'collection' ? 'm.to_collection' : 'm.to_id') : sql.ref('m.value')
  const rows = sql`${sql.table(isReference ? 'daybook$refs' : 'daybook$choices')} AS m WHERE m.from_collection = ${sql.lit(collection)} AND m.field = ${sql.lit(part?.relation ?? path)}`
  return {
    entryId: sql.ref(`${alias}.id`),
    rows,
    // Without the collection, no index leads from a document to the entries that refer to it.
    rowsByTarget: to === undefined ? rows : sql`${rows} AND m.to_collection = ${sql.lit(to)}`,
    // Several references may lead to the same collection.
    count: part?.name === 'collection' ? sql`count(DISTINCT ${value})` : sql`count(*)`,
    isAmong: (list) => dialect.isAmong(value, list),
  }
}

function translateRelated(condition: RelatedCondition, table: FilteredTable): SqlFragment {
  const { dialect, collection, alias, bind } = table
  const { through, isMany, to, statuses, where, negated } = condition
  const inner = translateCondition(where, { ...table, collection: to.key, name: to.table, alias: 'target' })
  const statusParameter = statuses === undefined ? '' : bind(JSON.stringify(statuses))
  return {
    cacheKey: `${negated ? '!' : ''}${alias}.${through.path}>${to.table} ${statusParameter !== ''} (${inner.cacheKey})`,
    sql: () => {
      const visible =
        statusParameter === '' ? sql`` : sql` AND ${dialect.isAmong(sql.ref('target.status'), param(statusParameter))}`
      const targets = sql`(SELECT ${dialect.targetId} FROM ${sql.table(to.table)} AS target WHERE ${inner.sql()}${visible})`
      if (isMany) {
        const id = sql.ref(`${alias}.id`)
        const holds = sql<SqlBool>`${id} IN (SELECT m.from_id FROM daybook$refs AS m WHERE m.from_collection = ${sql.lit(
          collection,
        )} AND m.field = ${sql.lit(through.path)} AND m.to_collection = ${sql.lit(to.key)} AND m.to_id IN ${targets})`
        return negated ? sql`NOT (${holds})` : holds
      }
      const reference = dialect.indexedValue(through as FilterableField, alias)
      const holds = sql<SqlBool>`${reference} IN ${targets}`
      return negated ? negate(reference, holds) : holds
    },
  }
}
