import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { FilterableField } from '../model/model.ts'

/** A value that a filter compares with. */
export type QueryValue = string | number | boolean

type Sql = RawBuilder<unknown>
type SqlCondition = RawBuilder<SqlBool>

/** A comparison of a field with the operands of a filter: for requests, in SQL, in JavaScript and in words. */
interface Operator {
  /** The name of the operator in filters. */
  readonly name: string
  /**
   * The operand of a filter.
   *
   * - `value`: one value of the field
   * - `text`: one text, which need not be a value of the field
   * - `values`: a list of values of the field
   * - `presence`: true or false; the condition itself has no operand
   */
  readonly operand: 'value' | 'text' | 'values' | 'presence'
  /** True if an access rule must not give an empty list, since it would match every entry. @default false */
  readonly requiresValues?: boolean
  /** The requirement in words, to be put between "must" and the operands. */
  phrase(isNegated: boolean, operandCount: number): string
  /** The parameters of the SQL. @default the operands, or one JSON list of type `values` */
  parameters?(operands: readonly QueryValue[]): readonly unknown[]
}

/** An operator on fields with a single value. A missing value never matches. */
export interface ValueOperator extends Operator {
  /** The fields that have the operator: all, those whose values have an order, or those with text. */
  readonly fields: 'all' | 'ordered' | 'text'
  /** The keys of the field's index that hold the matches. @default any keys */
  readonly keys?: 'one' | 'several' | 'interval'
  matches(value: unknown, ...operands: readonly QueryValue[]): boolean
  sql(value: SqlValue, ...parameters: readonly Sql[]): SqlCondition
  /** The negation, where it can use an index. @default the value is missing, or does not match */
  negatedSql?(value: SqlValue): SqlCondition
}

/** An operator on fields with many values. */
export interface MemberOperator extends Operator {
  matches(members: ReadonlySet<string>, ...operands: readonly string[]): boolean
  sql(members: SqlMembers, ...parameters: readonly Sql[]): SqlCondition
}

export interface SqlValue {
  /** The value as the field's index holds it: perhaps only the beginning of a text. */
  readonly indexed: Sql
  /** The entire value. */
  readonly full: Sql
  /** The function of two texts that returns the position of the second in the first, from 1, or 0. */
  readonly position: Sql
  /** A parameter of the value's type. */
  parameter(name: string): Sql
  compare(symbol: '=' | '<' | '<=' | '>' | '>=', operand: Sql): SqlCondition
  isAmong(list: Sql): SqlCondition
  /** @param next the first text, by code point, after all texts with the prefix; NULL if there is none */
  startsWith(prefix: Sql, next: Sql): SqlCondition
}

/** The members of a field in SQL: rows of a table with the alias `m`. */
export interface SqlMembers {
  /** The id of the entry that a condition is about. */
  readonly entryId: Sql
  /** The members of all entries: `table AS m WHERE …`. */
  readonly rows: Sql
  /** The same rows, found by the collection that a relation leads to. */
  readonly rowsByTarget: Sql
  /** The number of different members among rows of one entry. */
  readonly count: Sql
  isAmong(list: Sql): SqlCondition
}

const either =
  (affirmed: string, negated: string): Operator['phrase'] =>
  (isNegated) =>
    isNegated ? negated : affirmed

/** An operator with the same SQL, JavaScript and words as another one. */
type Variant = { readonly negationOf: string } | { readonly foldedFormOf: string }

type OperatorTable<O extends Operator> = Readonly<Record<string, Omit<O, 'name'> | Variant>>

/** Equality, for conditions that Daybook itself builds. */
export const EQUALS: ValueOperator = {
  name: 'eq',
  fields: 'all',
  operand: 'value',
  keys: 'one',
  phrase: either('be', 'not be'),
  matches: (value, operand) => value === operand,
  sql: (value, operand) => value.compare('=', operand),
}

/** The order of the entries is their order in messages, schemas and documentation. */
const VALUE_TABLE: OperatorTable<ValueOperator> = {
  eq: EQUALS,
  ne: { negationOf: 'eq' },
  in: {
    fields: 'all',
    operand: 'values',
    keys: 'several',
    phrase: (isNegated, count) => {
      if (count === 1) return isNegated ? 'not be' : 'be'
      return isNegated ? 'be none of:' : 'be one of:'
    },
    matches: (value, ...operands) => operands.some((operand) => operand === value),
    sql: (value, list) => value.isAmong(list),
  },
  nin: { negationOf: 'in' },
  exists: {
    fields: 'all',
    operand: 'presence',
    keys: 'interval',
    phrase: either('have a value', 'be empty'),
    matches: () => true,
    sql: ({ indexed }) => sql`${indexed} IS NOT NULL`,
    negatedSql: ({ indexed }) => sql`${indexed} IS NULL`,
  },
  lt: {
    fields: 'ordered',
    operand: 'value',
    keys: 'interval',
    phrase: either('be less than', 'be at least'),
    matches: (value, operand) => compare(value, operand) < 0,
    sql: (value, operand) => value.compare('<', operand),
  },
  lte: {
    fields: 'ordered',
    operand: 'value',
    keys: 'interval',
    phrase: either('be at most', 'be more than'),
    matches: (value, operand) => compare(value, operand) <= 0,
    sql: (value, operand) => value.compare('<=', operand),
  },
  gt: {
    fields: 'ordered',
    operand: 'value',
    keys: 'interval',
    phrase: either('be more than', 'be at most'),
    matches: (value, operand) => compare(value, operand) > 0,
    sql: (value, operand) => value.compare('>', operand),
  },
  gte: {
    fields: 'ordered',
    operand: 'value',
    keys: 'interval',
    phrase: either('be at least', 'be less than'),
    matches: (value, operand) => compare(value, operand) >= 0,
    sql: (value, operand) => value.compare('>=', operand),
  },
  startsWith: {
    fields: 'text',
    operand: 'text',
    keys: 'interval',
    phrase: either('begin with', 'not begin with'),
    parameters: ([prefix]) => [prefix, textAfterPrefix(String(prefix))],
    matches: (value, prefix) => String(value).startsWith(String(prefix)),
    sql: (value, prefix, next) => value.startsWith(prefix, next),
  },
  contains: {
    fields: 'text',
    operand: 'text',
    phrase: either('contain', 'not contain'),
    matches: (value, part) => String(value).includes(String(part)),
    sql: ({ position, full }, part) => sql`${position}(${full}, ${part}) > 0`,
  },
  ieq: { foldedFormOf: 'eq' },
  istartsWith: { foldedFormOf: 'startsWith' },
  icontains: { foldedFormOf: 'contains' },
}

const MEMBER_TABLE: OperatorTable<MemberOperator> = {
  in: {
    operand: 'values',
    phrase: either('contain one of:', 'contain none of:'),
    matches: (members, ...operands) => operands.some((operand) => members.has(operand)),
    sql: ({ entryId, rowsByTarget, isAmong }, list) =>
      sql`${entryId} IN (SELECT m.from_id FROM ${rowsByTarget} AND ${isAmong(list)})`,
  },
  all: {
    operand: 'values',
    requiresValues: true,
    phrase: either('contain all of:', 'not contain all of:'),
    parameters: (operands) => [JSON.stringify(operands), operands.length],
    matches: (members, ...operands) => operands.every((operand) => members.has(operand)),
    sql: ({ entryId, rows, count, isAmong }, list, length) =>
      sql`(SELECT ${count} FROM ${rows} AND m.from_id = ${entryId} AND ${isAmong(list)}) = ${length}`,
  },
  nin: { negationOf: 'in' },
  exists: {
    operand: 'presence',
    phrase: either('have a value', 'be empty'),
    matches: (members) => members.size > 0,
    sql: ({ entryId, rows }) => sql`EXISTS (SELECT 1 FROM ${rows} AND m.from_id = ${entryId})`,
  },
}

/** An operator as filters name it. */
export interface NamedOperator<O extends Operator = Operator> {
  readonly name: string
  readonly operator: O
  readonly isNegated: boolean
  /** True if case and accents are ignored. */
  readonly isFolded: boolean
}

function nameOperators<O extends Operator>(table: OperatorTable<O>): readonly NamedOperator<O>[] {
  const operators = new Map<string, O>()
  return Object.entries(table).map(([name, entry]) => {
    const isNegated = 'negationOf' in entry
    const isFolded = 'foldedFormOf' in entry
    if (!isNegated && !isFolded) operators.set(name, { ...entry, name } as O)
    const basis = isNegated ? entry.negationOf : isFolded ? entry.foldedFormOf : name
    const operator = operators.get(basis)
    if (!operator) throw new Error(`The operator ${name} is declared before ${basis}.`)
    return { name, operator, isNegated, isFolded }
  })
}

/** The operators of a text, which are all operators of fields with a single value. */
export const TEXT_OPERATORS: readonly NamedOperator<ValueOperator>[] = nameOperators(VALUE_TABLE)
const ORDER_OPERATORS = TEXT_OPERATORS.filter(({ operator, isFolded }) => operator.fields !== 'text' && !isFolded)
const EQUALITY_OPERATORS = ORDER_OPERATORS.filter(({ operator }) => operator.fields === 'all')

/** The operators of a field with many values. */
export const MEMBER_OPERATORS: readonly NamedOperator<MemberOperator>[] = nameOperators(MEMBER_TABLE)

export function listOperators({ scalar, isText, to, part }: FilterableField): readonly NamedOperator<ValueOperator>[] {
  if (scalar === 'boolean' || to !== undefined || part) return EQUALITY_OPERATORS
  return isText ? TEXT_OPERATORS : ORDER_OPERATORS
}

/** The names of the operators with a list as operand. */
export const LIST_OPERATORS: readonly string[] = [
  ...new Set(
    [...TEXT_OPERATORS, ...MEMBER_OPERATORS]
      .filter(({ operator }) => operator.operand === 'values')
      .map(({ name }) => name),
  ),
]

export function toSqlParameters(operator: Operator, operands: readonly QueryValue[]): readonly unknown[] {
  if (operator.parameters) return operator.parameters(operands)
  return operator.operand === 'values' ? [JSON.stringify(operands)] : operands
}

/** Compares a value with an operand; texts by code point. Returns a negative number, 0, or a positive number. */
function compare(value: unknown, operand: QueryValue): number {
  if (typeof value === 'number' && typeof operand === 'number') return value - operand
  return Buffer.compare(Buffer.from(String(value)), Buffer.from(String(operand)))
}

const LAST_CODE_POINT = 0x10ffff

/** Returns the first text, by code point, after all texts with a prefix; `null` if there is none. */
function textAfterPrefix(prefix: string): string | null {
  const points = [...prefix].map((character) => character.codePointAt(0) ?? 0)
  while (points.at(-1) === LAST_CODE_POINT) points.pop()
  const last = points.pop()
  if (last === undefined) return null
  // Skips the surrogates, which are not characters.
  return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1)
}
