import type { Connection } from '../connection.ts'
import type { Dialect, SchemaDialect } from '../dialect.ts'
import { rawStatement } from '../statement.ts'
import {
  type Column,
  type ColumnKind,
  ENTRY_TABLE,
  isLocaleTable,
  LOCALE_TABLE,
  SYSTEM_TABLES,
  type TableDefinition,
} from './tables.ts'

type TableDialect = Pick<SchemaDialect, 'columnTypes' | 'tableOptions'>

export function createSystemTables(dialect: TableDialect): readonly string[] {
  const all: Readonly<Record<string, TableDefinition>> = SYSTEM_TABLES
  return [
    ...Object.entries(all).flatMap(([name, table]) => [
      `CREATE TABLE IF NOT EXISTS ${defineTable(dialect, name, table)}`,
      ...createIndexes(name, table),
    ]),
    'INSERT INTO daybook$head ("only", seq) VALUES (1, 0) ON CONFLICT DO NOTHING',
  ]
}

/** Returns the statement that creates the table of a collection, if it is missing. */
export const createEntryTable = (dialect: TableDialect, key: string): string =>
  `CREATE TABLE IF NOT EXISTS ${defineTable(dialect, key, ENTRY_TABLE)}`

export const createLocaleTable = (dialect: TableDialect, table: string): string =>
  `CREATE TABLE ${defineTable(dialect, table, LOCALE_TABLE)}`

function defineTable(dialect: TableDialect, name: string, table: TableDefinition): string {
  const columns = Object.entries(table.columns).map(([column, type]) => defineColumn(dialect, table, column, type))
  const key = table.key.length > 1 ? [`PRIMARY KEY (${quoteColumns(table.key)})`] : []
  return `"${name}" (${[...columns, ...key].join(', ')})${dialect.tableOptions(table)}`
}

function defineColumn({ columnTypes }: TableDialect, table: TableDefinition, name: string, column: Column): string {
  const kind = column.replace('?', '') as ColumnKind
  const definition = `"${name}" ${columnTypes[kind]}`
  if (table.key.length === 1 && name === table.key[0]) return `${definition} PRIMARY KEY${keyRules(table)}`
  const isUnique = table.unique?.includes(name) ?? false
  return `${definition}${column === kind ? ' NOT NULL' : ''}${isUnique ? ' UNIQUE' : ''}`
}

/** Returns further constraints of a key of one column. */
function keyRules({ key, check, extends: other }: TableDefinition): string {
  return `${check ? ` CHECK (${check})` : ''}${other ? ` REFERENCES "${other}" (${quoteColumns(key)})` : ''}`
}

function createIndexes(table: string, { indexes = {} }: TableDefinition): readonly string[] {
  return Object.entries(indexes).map(([name, { columns, where }]) => {
    const rows = where ? ` WHERE ${where}` : ''
    return `CREATE INDEX IF NOT EXISTS "${table}_${name}" ON "${table}" (${quoteColumns(columns)})${rows}`
  })
}

export const quoteColumns = (columns: readonly string[]): string => columns.map((column) => `"${column}"`).join(', ')

async function storedLocaleTables(connection: Connection, { schema }: Dialect): Promise<readonly string[]> {
  const rows = await connection.all(rawStatement<{ name: string }>(schema.tablesQuery))
  return rows.map(({ name }) => name).filter(isLocaleTable)
}

/** Drops the tables of locales that are no longer needed. Their content is derived from the collection's own table. */
export async function dropLocaleTables(
  connection: Connection,
  dialect: Dialect,
  isUnwanted: (name: string) => boolean,
): Promise<void> {
  for (const name of (await storedLocaleTables(connection, dialect)).filter(isUnwanted)) {
    await runStatements(connection, ...dropStatements(dialect, name))
  }
}

/** Returns the statements that drop a table of entries and its search table. */
export const dropStatements = ({ search }: Dialect, table: string): readonly string[] => [
  ...search.drop(table),
  `DROP TABLE IF EXISTS "${table}"`,
]

/** Runs statements without parameters. */
export async function runStatements(connection: Connection, ...texts: readonly string[]): Promise<void> {
  for (const text of texts) await connection.run(rawStatement(text))
}
