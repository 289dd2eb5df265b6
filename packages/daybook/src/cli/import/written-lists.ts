import { isRecord } from '../../fields/field.ts'
import { FileError } from './file-error.ts'
import { fit, type YamlValue } from './fit.ts'
import type { TargetField } from './target-field.ts'

/** Keys whose texts also name several people with `and` or `&`; a tag may be called "Research and Development". */
const PEOPLE_KEYS: readonly string[] = ['author', 'authors']

/** What one value of an item's schema may be, so that a text can hold several of them. */
const SINGLE_TYPES: readonly unknown[] = ['string', 'number', 'integer', 'boolean']

/**
 * Makes of a front matter's value what a field holds; a text may stand for a list, and a list of one for its item.
 *
 * @param key of the front matter
 * @throws {FileError} when it names several entries, and the field refers to one
 */
export function fitField(key: string, target: TargetField, value: YamlValue): unknown {
  const { schema } = target
  if (target.refersTo && schema.type !== 'array') return fit(schema, singleName(target, value))
  if (typeof value.text !== 'string' || !isListOfSingles(target)) return fit(schema, value)
  const parts = isOfPeople(key, target) ? splitPeople(value.text) : splitAtCommas(value.text)
  return fit(schema, { text: parts, typed: () => parts })
}

/** Whether a text names several people, for a field that refers to one entry. */
export function namesSeveral(key: string, target: TargetField, text: unknown): boolean {
  if (target.refersTo === undefined || target.schema.type === 'array' || !isOfPeople(key, target)) return false
  return typeof text === 'string' && splitPeople(text).length > 1
}

const isOfPeople = (key: string, target: TargetField): boolean =>
  target.refersTo !== undefined && (PEOPLE_KEYS.includes(key) || PEOPLE_KEYS.includes(target.key))

const isListOfSingles = ({ schema: { type, items } }: TargetField): boolean =>
  type === 'array' && isRecord(items) && SINGLE_TYPES.includes(items.type)

function singleName(target: TargetField, { text, typed }: YamlValue): YamlValue {
  if (!Array.isArray(text)) return { text, typed }
  if (text.length > 1) {
    const field = target.refersTo?.holdsFiles ? 'f.asset({' : `f.relation('${target.refersTo?.key}', {`
    const advice = `make it ${field} many: true })`
    throw new FileError(`names ${text.length} entries, and the field holds one: name one, or ${advice}`, {
      path: `/${target.key}`,
    })
  }
  return { text: text[0], typed: () => (typed() as readonly unknown[])[0] }
}

const splitAtCommas = (text: string): readonly string[] => toParts(text.split(','))

const splitPeople = (text: string): readonly string[] => toParts(text.split(/,(?:\s+(?:and|&)\s)?|\s(?:and|&)\s/))

const toParts = (parts: readonly string[]): readonly string[] =>
  parts.map((part) => part.trim()).filter((part) => part !== '')
