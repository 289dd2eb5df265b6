import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Connection, StoreReadContext } from '../connection.ts'
import type { Dialect } from '../dialect.ts'
import { build, param, prepare, preparePut, prepareSql } from '../statement.ts'
import type { SystemTables } from '../tables/tables.ts'

export type Schedule = SystemTables['daybook$schedules'] & { readonly action: 'publish' | 'unpublish' }

/** The time of a schedule, as an entry shows it. */
export type ScheduledTime = Pick<Schedule, 'id' | 'action' | 'at'>

/** A schedule and the milliseconds until it is due; 0 or less if it is due now. */
export type DueSchedule = Schedule & { readonly wait: number }

export class ScheduleReader {
  readonly #source: Pick<StoreReadContext, 'connection' | 'dialect' | 'statements'>

  constructor(source: Pick<StoreReadContext, 'connection' | 'dialect' | 'statements'>) {
    this.#source = source
  }

  timesByIds(collection: string, ids: readonly string[]): Promise<readonly ScheduledTime[]> {
    const { connection, dialect, statements } = this.#source
    const named = statements.get('schedules', () =>
      prepareSql(sql<ScheduledTime>`SELECT id, action, at FROM daybook$schedules WHERE ${isNamed(dialect)}`),
    )
    return connection.all(named, { collection, ids: JSON.stringify(ids) })
  }

  /** Returns the time by the database's clock, in milliseconds since 1970. The clocks of nodes may differ. */
  async now(): Promise<number> {
    const { connection, dialect, statements } = this.#source
    const clock = statements.get('now', () => prepareSql(sql<{ now: number }>`SELECT ${dialect.now} AS now`))
    return Number((await connection.get(clock))?.now)
  }

  byIds(collection: string, ids: readonly string[]): Promise<readonly Schedule[]> {
    const { connection, dialect, statements } = this.#source
    const whole = statements.get('whole schedules', () =>
      prepareSql(sql<Schedule>`SELECT * FROM daybook$schedules WHERE ${isNamed(dialect)} ORDER BY id, action`),
    )
    return connection.all(whole, { collection, ids: JSON.stringify(ids) })
  }

  /** Returns the schedules of an actor, the soonest first. */
  byActor(actor: string): Promise<readonly Schedule[]> {
    const { connection, statements } = this.#source
    const named = statements.get('schedules of an actor', () =>
      prepareSql(sql<Schedule>`SELECT * FROM daybook$schedules WHERE actor = ${param('actor')} ORDER BY due, seq`),
    )
    return connection.all(named, { actor })
  }

  /** Returns the schedules due after a position, the soonest first. */
  after({ due, seq }: Pick<Schedule, 'due' | 'seq'>, limit: number): Promise<readonly Schedule[]> {
    const { connection, statements } = this.#source
    const later = statements.get('later schedules', () =>
      prepareSql(sql<Schedule>`SELECT * FROM daybook$schedules
        WHERE due >= ${param('due')} AND (due > ${param('due')} OR seq > ${param('seq')})
        ORDER BY due, seq LIMIT ${param('limit')}`),
    )
    return connection.all(later, { due, seq, limit })
  }

  /** Returns the schedule that is due first, by the database's clock; `undefined` if there is none. */
  first(): Promise<DueSchedule | undefined> {
    const { connection, dialect, statements } = this.#source
    const first = statements.get('first schedule', () =>
      prepareSql(sql<DueSchedule>`SELECT *, due - ${dialect.now} AS wait FROM daybook$schedules
        ORDER BY due, seq LIMIT 1`),
    )
    return connection.get(first)
  }
}

const isNamed = (dialect: Dialect): RawBuilder<SqlBool> =>
  sql<SqlBool>`collection = ${param('collection')} AND ${dialect.isAmong(sql.ref('id'), param('ids'))}`

export class ScheduleWriter {
  readonly #connection: Connection
  /** The database's clock, in milliseconds since 1970. */
  readonly now: () => Promise<number>

  constructor(connection: Connection, now: () => Promise<number>) {
    this.#connection = connection
    this.now = now
  }

  /** Stores a schedule in place of one of the same action. */
  async put(schedule: Schedule): Promise<void> {
    await this.#connection.run(PUT, { ...schedule })
  }

  /** Deletes the schedules of an entry. Returns their number. */
  async drop(collection: string, id: string, action?: Schedule['action']): Promise<number> {
    const statement = action === undefined ? DROP_ALL : DROP
    return this.#connection.run(statement, { collection, id, action })
  }

  async byEntry(collection: string, id: string): Promise<readonly Schedule[]> {
    return (await this.#connection.all(OF, { collection, id })) as readonly Schedule[]
  }
}

const isOf = sql<SqlBool>`collection = ${param('collection')} AND id = ${param('id')}`
const OF = prepare(build.selectFrom('daybook$schedules').selectAll().where(isOf).orderBy('action'))
const DROP_ALL = prepare(build.deleteFrom('daybook$schedules').where(isOf))
const DROP = prepare(build.deleteFrom('daybook$schedules').where(isOf).where('action', '=', param<string>('action')))
const PUT = preparePut('daybook$schedules')
