import type { FieldDescription } from 'daybook'
import { isRecord } from '../saving/field-values.ts'

/** How numbers are written in one place. */
interface NumberSigns {
  readonly decimal: string
  readonly group: string
}

function signsOf(locale: string): NumberSigns {
  const parts = new Intl.NumberFormat(locale).formatToParts(12_345.6)
  const sign = (type: string): string => parts.find((part) => part.type === type)?.value ?? ''
  return { decimal: sign('decimal') || '.', group: sign('group') || ',' }
}

/** A number as the reader writes it, without groups, so that it can be edited. */
export const formatNumber = (value: number, locale: string): string =>
  String(value).replace('.', value.toString().includes('e') ? '.' : signsOf(locale).decimal)

/**
 * Reads a number that a person typed, in either way of writing fractions; where a sign could be both, the locale decides.
 *
 * @returns `undefined`: it is none
 */
export function parseNumber(text: string, locale: string): number | undefined {
  const bare = text.replace(/[\s\u00a0\u202f'’]/g, '').replace('−', '-')
  const number = Number(withPoint(bare, signsOf(locale)))
  return bare !== '' && /^[-+\d.,e]+$/i.test(bare) && Number.isFinite(number) ? number : undefined
}

/** A number whose fraction is behind a point. */
function withPoint(text: string, { decimal, group }: NumberSigns): string {
  const [last] = /[.,](?=[^.,]*$)/.exec(text) ?? []
  if (last === undefined) return text
  const other = last === '.' ? ',' : '.'
  if (text.includes(other)) return text.replaceAll(other, '').replace(last, '.')
  const isGroups = last !== decimal && last === group && /^[-+]?\d{1,3}(?:[.,]\d{3})+$/.test(text)
  return isGroups ? text.replaceAll(last, '') : text.replace(last, '.')
}

/** What a text says as JSON, or where it is wrong. */
export type ParsedJson =
  | { readonly isValid: true; readonly value: unknown }
  /** `line` and `column` begin at 1; absent where the browser does not tell. */
  | { readonly isValid: false; readonly line?: number; readonly column?: number }

/** Reads JSON; a text of blanks is nothing. */
export function parseJson(text: string): ParsedJson {
  if (text.trim() === '') return { isValid: true, value: null }
  try {
    return { isValid: true, value: JSON.parse(text) }
  } catch (error) {
    return { isValid: false, ...placeIn(text, error instanceof Error ? error.message : '') }
  }
}

/** Browsers tell the place in their sentences: by line and column, by position, or not at all. */
function placeIn(text: string, message: string): { readonly line?: number; readonly column?: number } {
  const [, line, column] = /line (\d+) column (\d+)/.exec(message) ?? []
  if (line !== undefined && column !== undefined) return { line: Number(line), column: Number(column) }
  const [, position] = /position (\d+)/.exec(message) ?? []
  if (position !== undefined) return placeAt(text, Number(position))
  return /end of (?:JSON|data)|Unexpected EOF/i.test(message) ? placeAt(text, text.length) : {}
}

function placeAt(text: string, position: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, position).split('\n')
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}

/** What is asked of the values of a field. */
type Described = Pick<FieldDescription, 'type' | 'many' | 'schema'>

type Shape = (value: unknown) => boolean

const isText: Shape = (value) => typeof value === 'string'

/** What a value of each type of JSON Schema looks like. */
const SHAPES: Readonly<Record<string, Shape>> = {
  string: isText,
  number: (value) => typeof value === 'number',
  integer: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  object: isRecord,
  array: Array.isArray,
}

/** The types of numbers take what is typed while it is no number yet. */
const TYPED_AS_TEXT: ReadonlySet<string> = new Set(['integer', 'number'])

/**
 * Whether the editor of a field can show a value: an empty one, or one of the form that its schema names. A value of an older config may
 * have another form.
 */
export function canShowValue({ type, many, schema }: Described, value: unknown): boolean {
  if (value === null || value === undefined || type === 'json' || type === 'reverse') return true
  if (many) return Array.isArray(value)
  if (TYPED_AS_TEXT.has(type) && typeof value === 'string') return true
  const named = [schema.type].flat().filter((one): one is string => typeof one === 'string')
  return named.length === 0 || named.some((one) => SHAPES[one]?.(value) ?? true)
}
