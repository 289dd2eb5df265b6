import { sql } from 'kysely'
import { param, prepareSql, type Statement } from '../compile.ts'
import type { StoredEntry } from '../reads/rows.ts'
import { ENTRY_COLUMNS } from '../tables/tables.ts'

/** The most rows of a batch: each is read at one go, and others wait meanwhile. */
const MAX_BATCH_ENTRIES = 128
/** The most bytes of texts in a batch of more than one entry: V8 treats larger texts as large objects, and lets them pile up. */
const MAX_BATCH_BYTES = 32 * 1024

/** The entries of a collection behind a `pk`: the next one, and others as far as they fit into a batch. */
export function batchStatement(key: string): Statement<StoredEntry> {
  const table = sql.table(key)
  const columns = sql.join(['pk', ...ENTRY_COLUMNS].map((name) => sql.ref(name)))
  const optional = ['locales', 'orphaned', 'draft'].map((name) => sql`coalesce(octet_length(${sql.ref(name)}), 0)`)
  const size = sql.join([sql`octet_length(doc)`, ...optional], sql` + `)
  const sizes = sql`SELECT pk, ${size} AS size FROM ${table} WHERE pk > ${param('after')}
    ORDER BY pk LIMIT ${sql.lit(MAX_BATCH_ENTRIES)}`
  const sums = sql`SELECT pk, sum(size) OVER (ORDER BY pk) - size AS before FROM (${sizes}) AS sizes`
  return prepareSql(sql<StoredEntry>`SELECT ${columns} FROM ${table} WHERE pk > ${param('after')}
    AND pk <= (SELECT max(pk) FROM (${sums}) AS sums WHERE before < ${sql.lit(MAX_BATCH_BYTES)}) ORDER BY pk`)
}
