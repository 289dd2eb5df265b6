import { join } from 'node:path'
import NativeDatabase from 'better-sqlite3'

interface Check {
  readonly what: string
  /** Counts the faults. */
  readonly sql: string
}

const CHECKS: readonly Check[] = [
  {
    what: 'journal numbers are missing or above the head',
    sql: 'SELECT abs((SELECT seq FROM daybook$head) - count(*)) + abs((SELECT seq FROM daybook$head) - max(seq)) AS n FROM daybook$journal',
  },
  {
    what: 'former states of entries are missing',
    sql: `SELECT count(*) AS n FROM daybook$journal j WHERE action <> 'delete'
          AND seq NOT IN (SELECT seq FROM daybook$journal_payload)
          AND seq <> coalesce((SELECT max(seq) FROM (SELECT seq FROM posts WHERE id = j.id UNION ALL
            SELECT seq FROM authors WHERE id = j.id UNION ALL SELECT seq FROM tags WHERE id = j.id UNION ALL
            SELECT seq FROM pages WHERE id = j.id UNION ALL SELECT seq FROM daybook$globals WHERE key = j.id)), 0)`,
  },
  {
    what: 'entries differ from the last record in the journal',
    sql: `SELECT count(*) AS n FROM posts WHERE seq <> coalesce(
            (SELECT max(seq) FROM daybook$journal j WHERE j.collection = 'posts' AND j.id = posts.id AND j.action <> 'delete'), 0)`,
  },
  {
    what: 'entries are counted wrongly',
    sql: `SELECT abs((SELECT count(*) FROM posts) - (SELECT sum(value) FROM json_each(
          (SELECT counts FROM daybook$collections WHERE key = 'posts')))) AS n`,
  },
  {
    what: 'entries have no search row, or search rows no entry',
    sql: 'SELECT (SELECT count(*) FROM posts) <> (SELECT count(*) FROM posts$search) AS n',
  },
]

/** Checks a store that no process has open, and describes each fault. */
export function checkStore(data: string): readonly string[] {
  const database = new NativeDatabase(join(data, 'daybook.db'), { timeout: 1000 })
  const faults = CHECKS.flatMap(({ what, sql }) => {
    const { n } = database.prepare(sql).get() as { n: number }
    return n === 0 ? [] : [`${n} ${what}`]
  })
  const integrity = database.pragma('integrity_check', { simple: true })
  const foreign = database.pragma('foreign_key_check') as unknown[]
  database.exec(`INSERT INTO posts$search (posts$search) VALUES ('integrity-check')`)
  database.close()
  return [
    ...faults,
    ...(integrity === 'ok' ? [] : [`integrity_check: ${integrity}`]),
    ...(foreign.length === 0 ? [] : [`${foreign.length} foreign keys dangle`]),
  ]
}
