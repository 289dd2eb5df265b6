import { type CallOptions, etagOf } from '@daybook/client'
import type { Values } from './field-values.ts'

/** A document as it is stored. */
export interface Snapshot {
  /** Its entity tag; `null`: it is not stored yet. */
  readonly tag: string | null
  readonly values: Values
  /** Who stored it, where this session may know it. */
  readonly by?: string
  /** When it was stored, ISO 8601. */
  readonly at?: string
}

/** What a save changes. */
export interface DocumentChange {
  readonly body: Values
  /** Whether members of groups are merged in (RFC 7396); else the fields that the body names are replaced. */
  readonly isMerge: boolean
  /** The tag of what it was made from. */
  readonly tag: string
}

/** Where one kind of document is stored. All of it throws the client's errors. */
export interface RemoteStore {
  /** @returns `null` when it is not there, or not for this session */
  read(id: string, signal: AbortSignal): Promise<Snapshot | null>
  save(id: string, change: DocumentChange, signal: AbortSignal): Promise<Snapshot>
  /** Creates the document once, however often it is called with one key. */
  create(body: Values, idempotencyKey: string, signal: AbortSignal): Promise<Snapshot & { readonly id: string }>
}

interface WriteCall extends CallOptions {
  readonly locale?: string
  readonly ifMatch?: string
  readonly idempotencyKey?: string
  readonly autosave?: boolean
  readonly merge?: boolean
}

/** What the engine calls of a collection of `@daybook/client`, for a model that is known only at run time. */
export interface EntryCalls {
  findById(id: string, query: Values, options: CallOptions): Promise<object | null>
  create(data: Values, options: WriteCall): Promise<object>
  update(id: string, data: Values, options: WriteCall): Promise<object>
  patch(id: string, data: Values, options: WriteCall): Promise<object>
  saveDraft(id: string, data: Values, options: WriteCall): Promise<object>
}

/** What the engine calls of a global of `@daybook/client`. */
export interface GlobalCalls {
  get(query: Values, options: CallOptions): Promise<object>
  update(data: Values, options: WriteCall): Promise<object>
}

/** Which form of an entry is edited. */
export interface EntryOptions {
  readonly locale?: string
  /** Whether a value that the locale lacks is answered in another one. @default false */
  readonly hasFallbacks?: boolean
  /** Whether its working copy is; else the entry itself, which readers see at once. */
  readonly hasDrafts: boolean
  /** What a new entry has besides, such as a status that readers do not see. */
  readonly initial?: Values
}

/** The engine waits and retries itself, by its own clock. */
const ONCE = { retry: { attempts: 1 } } as const

/**
 * Reads again what a write has answered: a write answers other languages in the place of values that are missing. Where that fails, or
 * somebody has stored something newer meanwhile, the answer stands until the document is read next.
 */
async function ownValues(written: Snapshot, read: () => Promise<Snapshot | null>): Promise<Snapshot> {
  const own = await read().catch(() => null)
  return own?.tag === written.tag ? own : written
}

/** The entries of a collection. */
export function createEntryStore(entries: EntryCalls, options: EntryOptions): RemoteStore {
  const { locale, hasFallbacks = false, hasDrafts, initial } = options
  const language = locale === undefined ? {} : { locale }
  const query = { ...language, ...(locale === undefined ? {} : { fallbackLocale: 'none' }) }
  const read = async (id: string, signal: AbortSignal): Promise<Snapshot | null> => {
    const entry = await entries.findById(id, hasDrafts ? { ...query, draft: true } : query, { ...ONCE, signal })
    return entry && toSnapshot(entry)
  }
  const written = (id: string, answer: object, signal: AbortSignal): Snapshot | Promise<Snapshot> =>
    hasFallbacks ? ownValues(toSnapshot(answer), () => read(id, signal)) : toSnapshot(answer)
  return {
    read,
    save: async (id, { body, isMerge, tag }, signal) => {
      const condition = { ...ONCE, ...language, ifMatch: tag, signal }
      if (hasDrafts) {
        const answer = await entries.saveDraft(id, body, { ...condition, autosave: true, merge: isMerge })
        return written(id, answer, signal)
      }
      const answer = isMerge ? await entries.patch(id, body, condition) : await entries.update(id, body, condition)
      return written(id, answer, signal)
    },
    create: async (body, idempotencyKey, signal) => {
      const entry = await entries.create({ ...initial, ...body }, { ...ONCE, ...language, idempotencyKey, signal })
      const id = String(Reflect.get(entry, 'id'))
      return { ...(await written(id, entry, signal)), id }
    },
  }
}

/** A global; its key is its id, and it is always there. */
export function createGlobalStore(
  global: GlobalCalls,
  { locale, hasFallbacks = false }: Pick<EntryOptions, 'locale' | 'hasFallbacks'> = {},
): RemoteStore {
  const language = locale === undefined ? {} : { locale }
  const query = { ...language, ...(locale === undefined ? {} : { fallbackLocale: 'none' }) }
  const read = async (signal: AbortSignal): Promise<Snapshot> =>
    toSnapshot(await global.get(query, { ...ONCE, signal }))
  return {
    read: (_key, signal) => read(signal),
    save: async (_key, { body, tag }, signal) => {
      const answer = toSnapshot(await global.update(body, { ...ONCE, ...language, ifMatch: tag, signal }))
      return hasFallbacks ? ownValues(answer, () => read(signal)) : answer
    },
    create: () => Promise.reject(new TypeError('A global is always there.')),
  }
}

function toSnapshot(document: object): Snapshot {
  const values = document as Values
  const { updatedBy, updatedAt } = values
  return {
    tag: etagOf(document),
    values,
    ...(typeof updatedBy === 'string' ? { by: updatedBy } : {}),
    ...(typeof updatedAt === 'string' ? { at: updatedAt } : {}),
  }
}
