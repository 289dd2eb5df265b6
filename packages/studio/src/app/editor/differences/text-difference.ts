import type { FieldDescription } from 'daybook'
import { diffComm } from 'node-diff3'
import { isRecord, removeItemKeys, toPlainValue } from '../saving/field-values.ts'

/** A piece of a text, and what became of it. */
export interface DifferencePart {
  readonly kind: 'same' | 'removed' | 'added'
  readonly text: string
}

/** The most lines, or words of changed lines, that are compared: comparing takes their square in the worst case. */
const MOST_LINES = 5000
const MOST_WORDS = 1500

const LINES = /[^\n]*\n|[^\n]+$/g
/** A word, or another sign, with the blanks before it. */
const WORDS = /\s*(?:[\p{L}\p{N}\p{M}]+|[^\s\p{L}\p{N}\p{M}])|\s+/gu

/** What makes one text of another: by lines, and by words within lines that changed. */
export function diffTexts(from: string, to: string): readonly DifferencePart[] {
  return joined(
    compare(from, to, LINES, MOST_LINES).flatMap((part) =>
      part.kind === 'same' ? [part] : compare(part.from, part.to, WORDS, MOST_WORDS).flatMap(toParts),
    ),
  )
}

type Region =
  | { readonly kind: 'same'; readonly text: string }
  | { readonly kind: 'changed'; readonly from: string; readonly to: string }

function compare(from: string, to: string, token: RegExp, most: number): readonly Region[] {
  const [before, after] = [from.match(token) ?? [], to.match(token) ?? []]
  if (from === to) return [{ kind: 'same', text: from }]
  if (Math.max(before.length, after.length) > most) return [{ kind: 'changed', from, to }]
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

/** Parts of one kind in a row become one, and empty ones none. */
function joined(parts: readonly DifferencePart[]): readonly DifferencePart[] {
  const result: DifferencePart[] = []
  for (const part of parts) {
    const last = result.at(-1)
    if (part.text === '') continue
    if (last?.kind === part.kind) result.splice(-1, 1, { ...last, text: last.text + part.text })
    else result.push(part)
  }
  return result
}

/** The field that a path of keys leads to: `seo.title`. */
export function findField(fields: readonly FieldDescription[], path: string): FieldDescription | undefined {
  const [key, ...rest] = path.split('.')
  const field = fields.find((one) => one.key === key)
  return rest.length === 0 ? field : findField(field?.fields ?? [], rest.join('.'))
}

/** A value as a text that people can compare: an item of a list to a line, without what the service makes of it. */
export function toComparableText(value: unknown, field?: FieldDescription): string {
  const plain = field ? removeItemKeys(field, toPlainValue(field, value)) : value
  if (plain === null || plain === undefined) return ''
  if (Array.isArray(plain) && !plain.some((item) => isRecord(item) || Array.isArray(item)))
    return plain.map(String).join('\n')
  return typeof plain === 'object' ? JSON.stringify(plain, null, 2) : String(plain)
}
