import fc from 'fast-check'
import type { Fault } from './faulty-network.ts'
import { LEAVES, type LeafPath } from './token-account.ts'

const CALLS = ['refresh', 'flush', 'offline', 'online', 'sign-in'] as const

/** A step of a run. `who` is the index of the editor. */
export type Command =
  | { readonly kind: 'type'; readonly who: number; readonly leaf: LeafPath; readonly at: number }
  | {
      readonly kind: 'rearrange'
      readonly isMove: boolean
      readonly who: number
      readonly leaf: 'tags' | 'parts'
      readonly at: number
    }
  | { readonly kind: 'undo'; readonly isRedo: boolean; readonly who: number }
  | { readonly kind: 'crash'; readonly who: number }
  | { readonly kind: 'call'; readonly call: (typeof CALLS)[number]; readonly who: number }
  | { readonly kind: 'decide'; readonly who: number; readonly choice: 'mine' | 'theirs' | 'new' }
  | { readonly kind: 'fault'; readonly who: number; readonly fault: Fault; readonly method?: 'PUT' }
  | { readonly kind: 'outside'; readonly leaf: 'title' | 'body' | 'minutes' }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'tick'; readonly count: number }

const answered = (status: number, code: string): Fault => ({ kind: 'answered', status, code })

const FAULTS: readonly { readonly fault: Fault; readonly method?: 'PUT' }[] = [
  { fault: { kind: 'request-lost' } },
  { fault: { kind: 'answer-lost' } },
  { fault: { kind: 'answer-lost' }, method: 'PUT' },
  { fault: { kind: 'page', status: 502 } },
  { fault: answered(401, 'UNAUTHORIZED') },
  // Only for updates: the service never rejects a create request that it has executed.
  { fault: answered(403, 'FORBIDDEN'), method: 'PUT' },
  { fault: answered(409, 'CONFLICT'), method: 'PUT' },
  { fault: answered(412, 'PRECONDITION_FAILED'), method: 'PUT' },
  { fault: answered(413, 'PAYLOAD_TOO_LARGE'), method: 'PUT' },
  { fault: { kind: 'answered', status: 429, code: 'RATE_LIMITED', retryAfter: 3 } },
  { fault: { kind: 'answered', status: 503, code: 'SERVICE_UNAVAILABLE', retryAfter: 1 } },
]

const constant = <const T>(value: T): fc.Arbitrary<T> => fc.constant(value)

const faultFor = (who: fc.Arbitrary<number>): fc.Arbitrary<Command> =>
  fc.tuple(who, fc.constantFrom(...FAULTS)).map(([index, fault]) => ({ kind: 'fault', who: index, ...fault }))

/** Generates commands for a number of editors. */
export function commandsFor(editors: number, maxLength: number): fc.Arbitrary<Command[]> {
  const who = fc.nat(editors - 1)
  const at = fc.nat(3)
  const leaf = fc.constantFrom('tags', 'parts')
  const command: fc.Arbitrary<Command> = fc.oneof(
    { weight: 10, arbitrary: fc.record({ kind: constant('type'), who, leaf: fc.constantFrom(...LEAVES), at }) },
    { weight: 3, arbitrary: fc.record({ kind: constant('rearrange'), isMove: fc.boolean(), who, leaf, at }) },
    { weight: 2, arbitrary: fc.record({ kind: constant('undo'), isRedo: fc.boolean(), who }) },
    { weight: 2, arbitrary: fc.record({ kind: constant('crash'), who }) },
    { weight: 5, arbitrary: fc.record({ kind: constant('call'), call: fc.constantFrom(...CALLS), who }) },
    {
      weight: 2,
      arbitrary: fc.record({ kind: constant('decide'), who, choice: fc.constantFrom('mine', 'theirs', 'new') }),
    },
    { weight: 4, arbitrary: faultFor(who) },
    {
      weight: 1,
      arbitrary: fc.record({ kind: constant('outside'), leaf: fc.constantFrom('title', 'body', 'minutes') }),
    },
    { weight: 5, arbitrary: fc.record({ kind: constant('wait'), ms: fc.constantFrom(300, 900, 6000) }) },
    { weight: 5, arbitrary: fc.record({ kind: constant('tick'), count: fc.constantFrom(1, 2, 5, 20) }) },
  )
  return fc.array(command, { minLength: 5, maxLength, size: 'max' })
}
