import { createHash } from 'node:crypto'
import type { Caller } from '../auth/adapter.ts'
import { DaybookError } from '../errors.ts'
import { UniqueViolation } from '../store/database.ts'
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
}

const underway = new WeakMap<Engine, Set<string>>()

/** Names a request: another body, path or session gives another digest. */
export function requestDigest({ request }: Repeatable, { identity }: Caller): string {
  const who = [identity?.provider, identity?.subject, identity?.sessionId]
  return createHash('sha256')
    .update(JSON.stringify([who, request]))
    .digest('base64url')
}

/**
 * Carries a write out once, however often it is sent: its answer is stored in the write's own transaction.
 *
 * @param perform does the write through the `run` that it is given, and turns its result into a reply
 * @returns the reply, and whether it was given before
 * @throws IDEMPOTENCY_MISMATCH when the key was used for another request; CONFLICT while the first one is under way
 */
export async function once(
  engine: Engine,
  repeatable: Repeatable,
  caller: Caller,
  perform: (run: <T>(toReply: (result: T) => KeptReply) => RunWrite) => Promise<KeptReply>,
): Promise<{ readonly reply: KeptReply; readonly isReplay: boolean }> {
  const { key } = repeatable
  const digest = requestDigest(repeatable, caller)
  const known = await findReply(engine, key, digest)
  if (known) return { reply: known, isReplay: true }
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
    if (first) return { reply: first, isReplay: true }
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
