import type { SchemaDialect } from '../dialect.ts'
import { type Column, type ColumnKind, ENTRY_TABLE, LOCALE_TABLE, SYSTEM_TABLES, type TableOutline } from './tables.ts'

/** The engine's facts that decide how tables are made. */
type TableDialect = Pick<SchemaDialect, 'columnTypes' | 'tableOptions'>

/** Makes the tables that belong to Daybook, where they are missing. */
export function createSystemTables(dialect: TableDialect): readonly string[] {
  const all: Readonly<Record<string, TableOutline>> = SYSTEM_TABLES
  return [
    ...Object.entries(all).flatMap(([name, table]) => [
      `CREATE TABLE IF NOT EXISTS ${definition(dialect, name, table)}`,
      ...createIndexes(name, table),
    ]),
    'INSERT INTO daybook$head ("only", seq) VALUES (1, 0) ON CONFLICT DO NOTHING',
  ]
}

/** Makes the table of a collection, where it is missing. */
export const createEntryTable = (dialect: TableDialect, key: string): string =>
  `CREATE TABLE IF NOT EXISTS ${definition(dialect, key, ENTRY_TABLE)}`

/** Makes the table of a collection in one locale. */
export const createLocaleTable = (dialect: TableDialect, table: string): string =>
  `CREATE TABLE ${definition(dialect, table, LOCALE_TABLE)}`

function definition(dialect: TableDialect, name: string, table: TableOutline): string {
  const columns = Object.entries(table.columns).map(([column, type]) => columnOf(dialect, table, column, type))
  const key = table.key.length > 1 ? [`PRIMARY KEY (${quoteColumns(table.key)})`] : []
  return `"${name}" (${[...columns, ...key].join(', ')})${dialect.tableOptions(table)}`
}

function columnOf({ columnTypes }: TableDialect, table: TableOutline, name: string, column: Column): string {
  const kind = column.replace('?', '') as ColumnKind
  const own = `"${name}" ${columnTypes[kind]}`
  if (table.key.length === 1 && name === table.key[0]) return `${own} PRIMARY KEY${keyRules(table)}`
  const isUnique = table.unique?.includes(name) ?? false
  return `${own}${column === kind ? ' NOT NULL' : ''}${isUnique ? ' UNIQUE' : ''}`
}

/** Further constraints of a key of one column. */
function keyRules({ key, check, extends: other }: TableOutline): string {
  return `${check ? ` CHECK (${check})` : ''}${other ? ` REFERENCES "${other}" (${quoteColumns(key)})` : ''}`
}

function createIndexes(table: string, { indexes = {} }: TableOutline): readonly string[] {
  return Object.entries(indexes).map(([name, { columns, where }]) => {
    const rows = where ? ` WHERE ${where}` : ''
    return `CREATE INDEX IF NOT EXISTS "${table}_${name}" ON "${table}" (${quoteColumns(columns)})${rows}`
  })
}

export const quoteColumns = (columns: readonly string[]): string => columns.map((column) => `"${column}"`).join(', ')
