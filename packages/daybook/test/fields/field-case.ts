import type { f } from 'daybook'

/** A valid value, with its stored form if that differs. */
export type Accepted = readonly [given: unknown, stored?: unknown]
/** An invalid value, with the code of the issue, and its path inside the field; `*`: any. */
export type Refused = readonly [given: unknown, code: string, path?: string]

/** One field of a config, with valid and invalid values. */
export interface FieldCase {
  readonly name: string
  readonly field: ReturnType<(typeof f)[keyof typeof f]>
  readonly accepts: readonly Accepted[]
  readonly refuses: readonly Refused[]
  /** The value that `null` stores; `'refused'` if the field is required. @default null */
  readonly empty?: unknown
  /** The value of a new entry without the field. @default the same as `empty` */
  readonly unnamed?: unknown
}

/** An entry that relations of the suite refer to, and a missing one. */
export const TARGET = '0198c0de-1111-7000-8000-00000000000a'
export const NOBODY = '0198c0de-1111-7000-8000-00000000000b'
/** The placeholder for the id of the entry that relations refer to. */
export const ID = '<id>'
export const SHOUTED_ID = '<ID>'
/** The placeholder for the id of a plain text file. */
export const FILE = '<file>'

/** Invalid values of every type whose values are texts. */
export const TEXT_REFUSES: readonly Refused[] = [
  [5, 'type'],
  [true, 'type'],
  [['a'], 'type'],
  [{ a: 1 }, 'type'],
  ['with \0 in it', 'character'],
  ['half a pair \ud83d', 'character'],
  ['the other half \ude00', 'character'],
]

export type FieldCases = Readonly<Record<keyof typeof f, readonly FieldCase[]>>

/** A JSON Schema that refers to a part of itself. */
export const POINT = {
  type: 'object',
  properties: { x: { $ref: '#/$defs/coordinate' } },
  required: ['x'],
  $defs: { coordinate: { type: 'number', maximum: 9 } },
} as const
