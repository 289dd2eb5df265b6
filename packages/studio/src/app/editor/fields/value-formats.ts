import type { FieldDescription } from 'daybook'
import { isRecord } from '../saving/field-values.ts'

interface Separators {
  readonly decimal: string
  readonly group: string
}

function getSeparators(locale: string): Separators {
  const parts = new Intl.NumberFormat(locale).formatToParts(12_345.6)
  const find = (type: string): string => parts.find((part) => part.type === type)?.value ?? ''
  return { decimal: find('decimal') || '.', group: find('group') || ',' }
}

/** Formats a number for editing: in the user's locale, without thousands separators. */
export const formatNumber = (value: number, locale: string): string =>
  String(value).replace('.', value.toString().includes('e') ? '.' : getSeparators(locale).decimal)

/**
 * Parses a typed number with a decimal point or comma. If a sign could be either separator, the locale decides.
 *
 * @returns `undefined` if the text is no number
 */
export function parseNumber(text: string, locale: string): number | undefined {
  const compact = text.replace(/[\s\u00a0\u202f'’]/g, '').replace('−', '-')
  const number = Number(normalizeSeparators(compact, getSeparators(locale)))
  return compact !== '' && /^[-+\d.,e]+$/i.test(compact) && Number.isFinite(number) ? number : undefined
}

/** Removes thousands separators, and replaces a decimal comma by a point. */
function normalizeSeparators(text: string, { decimal, group }: Separators): string {
  const [lastSign] = /[.,](?=[^.,]*$)/.exec(text) ?? []
  if (lastSign === undefined) return text
  const otherSign = lastSign === '.' ? ',' : '.'
  if (text.includes(otherSign)) return text.replaceAll(otherSign, '').replace(lastSign, '.')
  const isGrouped = lastSign !== decimal && lastSign === group && /^[-+]?\d{1,3}(?:[.,]\d{3})+$/.test(text)
  return isGrouped ? text.replaceAll(lastSign, '') : text.replace(lastSign, '.')
}

/** The value of a JSON text, or the position of its fault. */
export type ParsedJson =
  | { readonly isValid: true; readonly value: unknown }
  /** `line` and `column` count from 1; absent if the browser does not report them. */
  | { readonly isValid: false; readonly line?: number; readonly column?: number }

/** Parses JSON. Whitespace alone yields `null`. */
export function parseJson(text: string): ParsedJson {
  if (text.trim() === '') return { isValid: true, value: null }
  try {
    return { isValid: true, value: JSON.parse(text) }
  } catch (error) {
    return { isValid: false, ...findFault(text, error instanceof Error ? error.message : '') }
  }
}

/** Finds the position in a browser's error message, which may contain line and column, an offset, or neither. */
function findFault(text: string, message: string): { readonly line?: number; readonly column?: number } {
  const [, line, column] = /line (\d+) column (\d+)/.exec(message) ?? []
  if (line !== undefined && column !== undefined) return { line: Number(line), column: Number(column) }
  const [, position] = /position (\d+)/.exec(message) ?? []
  if (position !== undefined) return toLineAndColumn(text, Number(position))
  return /end of (?:JSON|data)|Unexpected EOF/i.test(message) ? toLineAndColumn(text, text.length) : {}
}

function toLineAndColumn(text: string, position: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, position).split('\n')
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}

type DescribedField = Pick<FieldDescription, 'type' | 'many' | 'schema'>

type Check = (value: unknown) => boolean

const isText: Check = (value) => typeof value === 'string'

/** Checks of values by JSON Schema type. */
const CHECKS: Readonly<Record<string, Check>> = {
  string: isText,
  number: (value) => typeof value === 'number',
  integer: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  object: isRecord,
  array: Array.isArray,
}

/** Types whose editors also accept text, which may be a number that is still being typed. */
const TYPED_AS_TEXT: ReadonlySet<string> = new Set(['integer', 'number'])

/**
 * Returns true if the editor of a field can show a value: an empty one, or one of the type in its schema. A value of an older config may have
 * another type.
 */
export function canShowValue({ type, many, schema }: DescribedField, value: unknown): boolean {
  if (value === null || value === undefined || type === 'json' || type === 'reverse') return true
  if (many) return Array.isArray(value)
  if (TYPED_AS_TEXT.has(type) && typeof value === 'string') return true
  const types = [schema.type].flat().filter((name): name is string => typeof name === 'string')
  return types.length === 0 || types.some((name) => CHECKS[name]?.(value) ?? true)
}
