import { createHash } from 'node:crypto'
import type { Caller } from '../auth/adapter.ts'
import { DaybookError } from '../errors.ts'
import type { CollectionModel } from '../model/model.ts'
import { UniqueViolation } from '../store/database.ts'
import { hiddenFields, rulingOnReads } from './access.ts'
import type { Engine, RunWrite } from './engine.ts'

/** How long an answer is kept, in milliseconds. */
export const KEPT_MS: number = 24 * 60 * 60 * 1000

/** An answer that can be given again. */
export interface KeptReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A write that may be sent again. */
export interface Repeatable {
  readonly key: string
  /** Everything that makes it the same request. */
  readonly request: readonly unknown[]
  /** What it writes to. */
  readonly collections: readonly CollectionModel[]
  /** The entries that an answer shows. */
  shown(body: string): readonly ShownEntry[]
}

/** An entry that an answer shows. */
export interface ShownEntry {
  /** A collection's key. */
  readonly collection: string
  readonly id: string
}

const underway = new WeakMap<Engine, Set<string>>()

/** Names a request: another body, path or session gives another digest, and so does one that may see more or less. */
async function requestDigest({ model }: Engine, repeatable: Repeatable, caller: Caller): Promise<string> {
  const { identity } = caller
  const who = [identity?.provider, identity?.subject, identity?.sessionId]
  const sights: unknown[] = []
  for (const collection of new Set(repeatable.collections)) {
    const ruling = await rulingOnReads(model, collection, caller)
    const hidden = [...hiddenFields(collection, caller)]
    sights.push([collection.key, typeof ruling === 'boolean' ? ruling : 'some', hidden])
  }
  return createHash('sha256')
    .update(JSON.stringify([who, repeatable.request, sights]))
    .digest('base64url')
}

/**
 * An answer that is given again must not show an entry that has come out of the caller's reach meanwhile.
 *
 * @throws FORBIDDEN
 */
async function demandShown(
  { model, store }: Engine,
  repeatable: Repeatable,
  caller: Caller,
  { body }: KeptReply,
): Promise<void> {
  for (const collection of new Set(repeatable.collections)) {
    const ruling = await rulingOnReads(model, collection, caller)
    if (typeof ruling === 'boolean') continue
    const own = repeatable.shown(body).filter((one) => one.collection === collection.key)
    const ids = [...new Set(own.map(({ id }) => id))]
    const seen = await store.read.statuses(collection, ids, ruling.where)
    if (seen.length < ids.length)
      throw new DaybookError('FORBIDDEN', 'This was done, but you may not read the answer any more.')
  }
}

/**
 * Carries a write out once, however often it is sent: its answer is stored in the write's own transaction.
 *
 * @param perform does the write through the `run` that it is given, and turns its result into a reply
 * @returns the reply, and whether it was given before
 * @throws IDEMPOTENCY_MISMATCH when the key was used for another request; CONFLICT while the first one is under way;
 * FORBIDDEN when the caller may no longer see what would be given again
 */
export async function once(
  engine: Engine,
  repeatable: Repeatable,
  caller: Caller,
  perform: (run: <T>(toReply: (result: T) => KeptReply) => RunWrite) => Promise<KeptReply>,
): Promise<{ readonly reply: KeptReply; readonly isReplay: boolean }> {
  const { key } = repeatable
  const digest = await requestDigest(engine, repeatable, caller)
  const replayed = async (reply: KeptReply): Promise<{ readonly reply: KeptReply; readonly isReplay: true }> => {
    await demandShown(engine, repeatable, caller, reply)
    return { reply, isReplay: true }
  }
  const known = await findReply(engine, key, digest)
  if (known) return replayed(known)
  const busy = underway.get(engine) ?? new Set<string>()
  underway.set(engine, busy)
  if (busy.has(key)) throw inFlight()
  busy.add(key)
  try {
    const reply = await perform((toReply) => keepingRun(engine, key, digest, toReply))
    return { reply, isReplay: false }
  } catch (error) {
    if (!(error instanceof UniqueViolation)) throw error
    // Another node was first.
    const first = await findReply(engine, key, digest)
    if (first) return replayed(first)
    throw inFlight()
  } finally {
    busy.delete(key)
  }
}

const inFlight = (): DaybookError =>
  new DaybookError('CONFLICT', 'A request with this Idempotency-Key is under way; wait for its answer.')

async function findReply(engine: Engine, key: string, digest: string): Promise<KeptReply | undefined> {
  const stored = await engine.store.read.storedAnswer(key)
  if (!stored || stored.at < new Date(Date.now() - KEPT_MS).toISOString()) return undefined
  if (stored.request !== digest) throw new DaybookError('IDEMPOTENCY_MISMATCH')
  return { status: stored.status, headers: JSON.parse(stored.headers), body: stored.body }
}

function keepingRun<T>(engine: Engine, key: string, digest: string, toReply: (result: T) => KeptReply): RunWrite {
  return (work) =>
    engine.store.transaction(async (writer) => {
      const result = await work(writer)
      const { status, headers, body } = toReply(result as unknown as T)
      const now = Date.now()
      await writer.keepAnswer(
        { key, request: digest, at: new Date(now).toISOString(), status, headers: JSON.stringify(headers), body },
        new Date(now - KEPT_MS).toISOString(),
      )
      return result
    })
}
