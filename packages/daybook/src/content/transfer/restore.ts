import { type Caller, createServiceCaller, SERVICE, SYSTEM } from '../../auth/adapter.ts'
import { DaybookError, StartupError } from '../../errors.ts'
import { isRank, RANK } from '../../fields/rank.ts'
import type { CollectionModel, Model } from '../../model/model.ts'
import type { RestoreNote } from '../../store/notes.ts'
import type { Schedule } from '../../store/records/schedules.ts'
import type { Draft, WrittenEntry } from '../../store/rows.ts'
import type { Writer } from '../../store/writes/writer.ts'
import { type ContentContext, getActor } from '../context.ts'
import { toDraft } from '../documents/draft-row.ts'
import { mergeFields } from '../documents/prepare-fields.ts'
import { findStoredReferences, toCanonical, toRow, withSystemKeys } from '../documents/row.ts'
import { explainUniqueViolation } from '../writes/entry-target.ts'
import { addMissingRanks } from './missing-ranks.ts'
import { type RestoreLine, toRestoredDocument } from './restore-lines.ts'

type RestoreEntryLine = RestoreLine & { readonly kind: 'entry' }
type RestoreGlobalLine = RestoreLine & { readonly kind: 'global' }

/** A line that is ready to be stored. */
export type PreparedLine =
  | {
      readonly kind: 'entry'
      readonly collection: CollectionModel
      readonly row: WrittenEntry
      readonly draft: Omit<Draft, 'seq'> | undefined
      readonly schedules: readonly RestoredSchedule[]
    }
  | RestoreGlobalLine

type RestoredSchedule = Pick<Schedule, 'action' | 'at' | 'actor' | 'locales'>
type PreparedEntry = Extract<PreparedLine, { kind: 'entry' }>

/** Thrown if a line cannot be stored. */
export class LineError extends Error {
  override readonly name = 'LineError'
  /** The index of the line among those that were added together. */
  readonly index: number

  constructor(index: number, cause: unknown) {
    super('line', { cause })
    this.index = index
  }
}

/** Returns the reason why nothing can be restored into a store; `undefined` if it is empty or contains part of a restore. */
export async function findRestoreObstacle({ store: { read } }: ContentContext): Promise<string | undefined> {
  const note = await read.system.restoreNote()
  if (note || (await read.journal.head()) === 0) return undefined
  return HOLDS_CONTENT
}

const HOLDS_CONTENT =
  'The store contains content, or did before. Restore into an empty store: a new folder or database.'

/** A restore in progress. Stored lines stay, so that another run can continue. */
export class Restore {
  readonly #context: ContentContext
  #note: RestoreNote

  private constructor(context: ContentContext, note: RestoreNote) {
    this.#context = context
    this.#note = note
  }

  /**
   * Begins or continues to restore a file.
   *
   * @param digest identifies the file
   * @throws {StartupError} if the store contains anything else
   */
  static async begin(context: ContentContext, digest: string): Promise<Restore> {
    const { read } = context.store
    const note = await read.system.restoreNote()
    const head = await read.journal.head()
    if (note && note.digest === digest && note.seq === head) return new Restore(context, note)
    if (note?.isDone === false && note.digest !== digest) {
      throw new StartupError('The store contains an unfinished restore of another file. Restore into an empty store.')
    }
    if (head > 0) throw new StartupError(note?.isDone === false ? STORE_CHANGED : HOLDS_CONTENT)
    const blankNote: RestoreNote = { digest, lines: 1, seq: 0, isDone: false }
    await context.store.transaction(async (writer) => writer.system.noteRestore(note, blankNote))
    return new Restore(context, blankNote)
  }

  /** The number of stored lines of the file, including the header. */
  get lines(): number {
    return this.#note.lines
  }

  /** True if all lines are stored. */
  get isDone(): boolean {
    return this.#note.isDone
  }

  /**
   * Stores the next lines in one transaction.
   *
   * @throws {LineError} if one of them cannot be stored; {StartupError} if another process writes to the store
   */
  async add(lines: readonly PreparedLine[]): Promise<void> {
    try {
      await this.#commit(lines, false, (writer) => this.#store(writer, lines))
    } catch (error) {
      if (!isLineError(error)) throw error
      // Store the lines one by one to identify the one that fails.
      await this.#commit(lines, false, (writer) => this.#storeEach(writer, lines))
    }
  }

  /** Records that all lines are stored. */
  async end(): Promise<void> {
    await this.#commit([], true, async () => {})
  }

  /** Runs work and records the progress in the same transaction. */
  async #commit(
    lines: readonly PreparedLine[],
    isDone: boolean,
    work: (writer: Writer) => Promise<void>,
  ): Promise<void> {
    const before = this.#note
    const records = lines.reduce((sum, line) => sum + countRecords(line), 0)
    const next = { ...before, lines: before.lines + lines.length, seq: before.seq + records, isDone }
    await this.#context.store.transaction(
      async (writer) => {
        if ((await writer.read.journal.head()) !== before.seq) throw new StartupError(STORE_CHANGED)
        await writer.system.noteRestore(before, next)
        await work(writer)
      },
      // A crash may lose the lines together with their progress note, so only the end waits until everything is on disk.
      { isLong: true, isRestartable: !isDone },
    )
    this.#note = next
  }

  async #storeEach(writer: Writer, lines: readonly PreparedLine[]): Promise<void> {
    for (const [index, line] of lines.entries()) {
      await this.#store(writer, [line]).catch((error) => {
        throw isLineError(error) ? new LineError(index, error) : error
      })
    }
  }

  async #store(writer: Writer, lines: readonly PreparedLine[]): Promise<void> {
    const entries = lines.filter((line) => line.kind === 'entry')
    for (const [collection, group] of Map.groupBy(entries, (line) => line.collection)) {
      const rows = group.map(({ row }) => row)
      await explainUniqueViolation(collection, () => writer.entries.createBulk(collection, rows, getActor(SYSTEM)))
      await this.#rank(writer, collection, rows)
      await this.#storeDraftsAndSchedules(writer, collection, group)
    }
    for (const line of lines) if (line.kind === 'global') await this.#storeGlobal(writer, line)
  }

  /** Ranks entries of an export whose collection was not orderable. */
  async #rank(writer: Writer, collection: CollectionModel, rows: readonly WrittenEntry[]): Promise<void> {
    const ids = collection.orderable ? rows.flatMap(({ id, value }) => (isRank(value[RANK]) ? [] : [id])) : []
    if (ids.length === 0) return
    const entries = (await writer.read.entries.storedByIds(collection, ids)).toSorted((a, b) => a.pk - b.pk)
    await addMissingRanks(this.#context.model, writer, collection, [entries], { hasLocaleRows: true })
  }

  async #storeDraftsAndSchedules(
    writer: Writer,
    collection: CollectionModel,
    lines: readonly PreparedEntry[],
  ): Promise<void> {
    const linesWithExtras = lines.filter((line) => countRecords(line) > 1)
    if (linesWithExtras.length === 0) return
    const ids = linesWithExtras.map(({ row }) => row.id)
    const stored = new Map((await writer.read.entries.storedByIds(collection, ids)).map((entry) => [entry.id, entry]))
    const actor = getActor(SYSTEM)
    for (const { row, draft, schedules } of linesWithExtras) {
      const entry = stored.get(row.id)
      if (entry && draft) await writer.drafts.write(collection, entry, draft, { at: draft.at, actor })
      const { id, updated_at: at } = row
      for (const schedule of schedules) await this.#schedule(writer, { collection: collection.key, id, at }, schedule)
    }
  }

  async #schedule(
    writer: Writer,
    entry: { readonly collection: string; readonly id: string; readonly at: string },
    schedule: RestoredSchedule,
  ): Promise<void> {
    const seq = await writer.journal.append({ ...entry, actor: getActor(SYSTEM), action: 'schedule' })
    const caller = JSON.stringify(toCaller(schedule.actor))
    await writer.schedules.put({ ...entry, ...schedule, caller, seq, due: Date.parse(schedule.at), failures: 0 })
  }

  async #storeGlobal(writer: Writer, { global, line }: RestoreGlobalLine): Promise<void> {
    const { values, orphaned, locales } = toRestoredDocument(global, line, null)
    const { key, schemaHash: schema_hash } = global
    const doc = JSON.stringify(withSystemKeys(global, { key }, mergeFields(global, {}, values)))
    const references = findStoredReferences(this.#context.model, global, toCanonical(values, locales))
    const at = line.updatedAt ?? new Date().toISOString()
    const before = await writer.read.globals.byKey(key)
    if (before) throw new DaybookError('CONFLICT', 'The file contains this global twice.')
    const { createdBy: created_by = null, updatedBy: updated_by = null } = line
    const row = { key, created_by, updated_by, schema_hash, orphaned, locales, doc }
    await writer.globals.write(undefined, row, references, at, getActor(SYSTEM))
  }
}

const STORE_CHANGED =
  'Another process has written to the store since the restore began. Restore into an empty store that no service uses.'

/** Returns true if an error is caused by a line, and not by the database. */
const isLineError = (error: unknown): boolean => error instanceof DaybookError && error.status < 500

export function prepareLine(model: Model, line: RestoreLine): PreparedLine {
  if (line.kind === 'global') return line
  const { collection } = line
  const { draft: draftPart, schedule = [] } = line.line
  const row = toEntryRow(model, line)
  const draft = draftPart && toDraftOfLine(collection, row, draftPart)
  const schedules = schedule.map(({ action, at, by = getActor(SYSTEM), locales }) => {
    return { action, at, actor: by, locales: locales ? JSON.stringify(locales) : null }
  })
  return { kind: 'entry', collection, row, draft, schedules }
}

/** Returns the draft of a line. It is not an autosave, so that later saves do not replace it in history. */
function toDraftOfLine(
  collection: CollectionModel,
  row: WrittenEntry,
  draft: NonNullable<RestoreEntryLine['line']['draft']>,
): Omit<Draft, 'seq'> {
  const { values, orphaned, locales } = toRestoredDocument(collection, draft, row.status)
  const { updatedAt: at, updatedBy: by = null } = draft
  return toDraft(collection, row, toCanonical(values, locales), orphaned, { at, by, isAutosave: false })
}

const countRecords = (line: PreparedLine): number =>
  line.kind === 'global' ? 1 : 1 + (line.draft ? 1 : 0) + line.schedules.length

/** Returns the row of an entry. Columns such as the slug are derived from the document if the config has fields for them. */
function toEntryRow(model: Model, { collection, line }: RestoreEntryLine): WrittenEntry {
  const { id, createdAt, updatedAt, createdBy = null, updatedBy = null, slug, status } = line
  const knownStatus = collection.status?.values.includes(status ?? '') ? status : null
  const { values, orphaned, locales } = toRestoredDocument(collection, line, knownStatus)
  const canonical = toCanonical(values, locales)
  const row = toRow(model, collection, {
    id,
    canonical,
    createdAt,
    updatedAt,
    createdBy,
    updatedBy,
    orphaned,
    draft: null,
    orphanedStatus: status,
  })
  return { ...row, slug: collection.slug ? row.slug : slug }
}

/** The actors of in-process writes in the journal. */
const INTERNAL_ACTOR = /^(?:system$|plugin:|config \()/

/** Returns the caller of a restored schedule. An export has only the subject, so the present rights of the account apply. */
function toCaller(actor: string): Caller {
  if (actor === getActor(SERVICE)) return SERVICE
  if (INTERNAL_ACTOR.test(actor)) return createServiceCaller('daybook', actor)
  const identity = {
    subject: actor,
    sessionId: actor,
    actorType: 'human',
    expiresAt: null,
    claims: {},
    roles: [],
  } as const
  return { principal: { id: actor }, identity: { provider: 'restored', ...identity } }
}
