import { type CallOptions, etagOf } from '@daybook/client'
import type { Values } from './field-values.ts'

export interface Snapshot {
  /** The entity tag; `null` if the document is not stored yet. */
  readonly tag: string | null
  readonly values: Values
  /** The author's subject, if this session may see it. */
  readonly by?: string
  /** The time of the last change (ISO 8601). */
  readonly at?: string
}

export interface DocumentChange {
  readonly body: Values
  /** True for a merge patch (RFC 7396); otherwise the fields in the body are replaced. */
  readonly isMerge: boolean
  /** The tag of the stored document that the change is based on. */
  readonly tag: string
}

/** Reads and writes one kind of document at the service. All methods throw the client's errors. */
export interface RemoteStore {
  /** Returns `null` if the document does not exist, or the caller may not read it. */
  read(id: string, signal: AbortSignal): Promise<Snapshot | null>
  save(id: string, change: DocumentChange, signal: AbortSignal): Promise<Snapshot>
  /** Creates the document once, however often it is called with the same key. */
  create(body: Values, idempotencyKey: string, signal: AbortSignal): Promise<Snapshot & { readonly id: string }>
}

interface WriteCall extends CallOptions {
  readonly locale?: string
  readonly ifMatch?: string
  readonly idempotencyKey?: string
  readonly autosave?: boolean
  readonly merge?: boolean
}

/** The client's methods of a collection. The types know no model, since the Studio loads it at run time. */
export interface EntryCalls {
  findById(id: string, query: Values, options: CallOptions): Promise<object | null>
  create(data: Values, options: WriteCall): Promise<object>
  update(id: string, data: Values, options: WriteCall): Promise<object>
  patch(id: string, data: Values, options: WriteCall): Promise<object>
  saveDraft(id: string, data: Values, options: WriteCall): Promise<object>
}

export interface GlobalCalls {
  get(query: Values, options: CallOptions): Promise<object>
  update(data: Values, options: WriteCall): Promise<object>
}

export interface EntryOptions {
  readonly locale?: string
  /** True if responses to writes replace missing values of the locale by fallbacks. @default false */
  readonly hasFallbacks?: boolean
  /** True to edit the draft; otherwise saves are public at once. */
  readonly hasDrafts: boolean
  /** Additional values of a new entry, such as a status that is not public. */
  readonly initial?: Values
}

/** Disables the client's retries, since the editor retries itself. */
const ONCE = { retry: { attempts: 1 } } as const

/**
 * Reads a document after a write, because the response to a write contains fallbacks for missing values. If the read fails or returns a newer
 * revision, the response is used until the next read.
 */
async function readWithoutFallbacks(response: Snapshot, read: () => Promise<Snapshot | null>): Promise<Snapshot> {
  const stored = await read().catch(() => null)
  return stored?.tag === response.tag ? stored : response
}

export function createEntryStore(
  entries: EntryCalls,
  { locale, hasFallbacks = false, hasDrafts, initial }: EntryOptions,
): RemoteStore {
  const language = locale === undefined ? {} : { locale }
  const query = { ...language, ...(locale === undefined ? {} : { fallbackLocale: 'none' }) }
  const read = async (id: string, signal: AbortSignal): Promise<Snapshot | null> => {
    const entry = await entries.findById(id, hasDrafts ? { ...query, draft: true } : query, { ...ONCE, signal })
    return entry && toSnapshot(entry)
  }
  const toStored = (id: string, response: object, signal: AbortSignal): Snapshot | Promise<Snapshot> =>
    hasFallbacks ? readWithoutFallbacks(toSnapshot(response), () => read(id, signal)) : toSnapshot(response)
  return {
    read,
    save: async (id, { body, isMerge, tag }, signal) => {
      const options = { ...ONCE, ...language, ifMatch: tag, signal }
      if (hasDrafts) {
        const draft = await entries.saveDraft(id, body, { ...options, autosave: true, merge: isMerge })
        return toStored(id, draft, signal)
      }
      const entry = isMerge ? await entries.patch(id, body, options) : await entries.update(id, body, options)
      return toStored(id, entry, signal)
    },
    create: async (body, idempotencyKey, signal) => {
      const entry = await entries.create({ ...initial, ...body }, { ...ONCE, ...language, idempotencyKey, signal })
      const id = String(Reflect.get(entry, 'id'))
      return { ...(await toStored(id, entry, signal)), id }
    },
  }
}

/** Creates the store for a global, which always exists. Its id is its key. */
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
      const response = toSnapshot(await global.update(body, { ...ONCE, ...language, ifMatch: tag, signal }))
      return hasFallbacks ? readWithoutFallbacks(response, () => read(signal)) : response
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
