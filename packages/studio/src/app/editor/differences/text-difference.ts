import type { FieldDescription } from 'daybook'
import { diffComm } from 'node-diff3'
import { isRecord, removeItemKeys, toPlainValue } from '../saving/field-values.ts'

export interface DifferencePart {
  readonly kind: 'same' | 'removed' | 'added'
  readonly text: string
}

/** The maximum number of lines, and of words in changed lines. Comparing takes quadratic time in the worst case. */
const MAX_LINES = 5000
const MAX_WORDS = 1500

const LINES = /[^\n]*\n|[^\n]+$/g
/** A word or another character, with the whitespace before it. */
const WORDS = /\s*(?:[\p{L}\p{N}\p{M}]+|[^\s\p{L}\p{N}\p{M}])|\s+/gu

/** Compares two texts by lines, and changed lines by words. */
export function diffTexts(from: string, to: string): readonly DifferencePart[] {
  return joinParts(
    compare(from, to, LINES, MAX_LINES).flatMap((part) =>
      part.kind === 'same' ? [part] : compare(part.from, part.to, WORDS, MAX_WORDS).flatMap(toParts),
    ),
  )
}

type Region =
  | { readonly kind: 'same'; readonly text: string }
  | { readonly kind: 'changed'; readonly from: string; readonly to: string }

function compare(from: string, to: string, token: RegExp, maxTokens: number): readonly Region[] {
  const [before, after] = [from.match(token) ?? [], to.match(token) ?? []]
  if (from === to) return [{ kind: 'same', text: from }]
  if (Math.max(before.length, after.length) > maxTokens) return [{ kind: 'changed', from, to }]
  return diffComm([...before], [...after]).map((region) =>
    'common' in region
      ? { kind: 'same', text: region.common.join('') }
      : { kind: 'changed', from: region.buffer1.join(''), to: region.buffer2.join('') },
  )
}

const toParts = (region: Region): readonly DifferencePart[] =>
  region.kind === 'same'
    ? [region]
    : [
        { kind: 'removed', text: region.from },
        { kind: 'added', text: region.to },
      ]

/** Joins adjacent parts of the same kind, and drops empty ones. */
function joinParts(parts: readonly DifferencePart[]): readonly DifferencePart[] {
  const result: DifferencePart[] = []
  for (const part of parts) {
    const last = result.at(-1)
    if (part.text === '') continue
    if (last?.kind === part.kind) result.splice(-1, 1, { ...last, text: last.text + part.text })
    else result.push(part)
  }
  return result
}

/** Finds the field at a path of keys such as `seo.title`. */
export function findField(fields: readonly FieldDescription[], path: string): FieldDescription | undefined {
  const [key, ...rest] = path.split('.')
  const field = fields.find((candidate) => candidate.key === key)
  return rest.length === 0 ? field : findField(field?.fields ?? [], rest.join('.'))
}

/** Formats a value for comparison by users: one line per list item, without item keys and derived values. */
export function toComparableText(value: unknown, field?: FieldDescription): string {
  const plain = field ? removeItemKeys(field, toPlainValue(field, value)) : value
  if (plain === null || plain === undefined) return ''
  if (Array.isArray(plain) && !plain.some((item) => isRecord(item) || Array.isArray(item)))
    return plain.map(String).join('\n')
  return typeof plain === 'object' ? JSON.stringify(plain, null, 2) : String(plain)
}
