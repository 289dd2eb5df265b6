import type { FieldDescription } from 'daybook'
import { isRecord } from '../../saving/saved-field.ts'

/** The longest summary, in characters. */
const LONGEST = 100
/** How much of a text is looked at: a text may have a million characters. */
const LOOKED_AT = 400
/** Fields that say best what an item is. */
const NAMES: readonly string[] = ['title', 'name', 'label', 'heading', 'headline', 'question']
const WORDY: ReadonlySet<string> = new Set(['text', 'markdown', 'select', 'url', 'email', 'slug', 'date', 'datetime'])

/** A few words that say what an item holds; empty where it holds no text. */
export function summaryOf(fields: readonly FieldDescription[], item: unknown): string {
  if (!isRecord(item)) return typeof item === 'string' ? shorten(item) : ''
  const wordy = fields.filter(({ type, many }) => WORDY.has(type) && !many)
  const named = wordy.filter(({ key }) => NAMES.includes(key))
  for (const { key } of [...named, ...wordy]) {
    const text = item[key]
    if (typeof text === 'string' && text.trim() !== '') return shorten(text)
  }
  return ''
}

function shorten(text: string): string {
  const line = text
    .slice(0, LOOKED_AT)
    .replace(/[#>*_`[\]]+/g, '')
    .replace(/\s+/g, ' ')
    .trim()
  return line.length > LONGEST ? `${line.slice(0, LONGEST).trimEnd()} …` : line
}
