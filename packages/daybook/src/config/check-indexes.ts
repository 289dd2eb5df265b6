import type { FaultReport, Field } from '../fields/field.ts'
import { innerFields, isRecord } from '../fields/field.ts'
import { MAX_KEY_LENGTH } from '../fields/option-rules.ts'

/** The most indexes that a collection declares. */
const MAX_INDEXES = 8
/** The fewest and the most fields of one. */
const [MIN_FIELDS, MAX_FIELDS] = [2, 4]
/** The most characters that the texts of an index hold together: four bytes each still fit a PostgreSQL index row. */
const MAX_TEXT = 600

/** System fields that no index needs to name. */
const NEEDLESS: ReadonlyMap<string, string> = new Map([
  ['id', 'leave id out: every index ends with it'],
  ['createdAt', 'leave createdAt out: every index ends with the order of creation'],
])

/** Checks the indexes that a collection declares over several of its fields. */
export function checkIndexes(indexes: unknown, fields: unknown, path: string, report: FaultReport): void {
  if (indexes === undefined) return
  if (!Array.isArray(indexes) || !indexes.every(isListOfTexts)) {
    report.add(path, 'write a list of lists of fields, such as [["category", "-publishedOn"]]')
    return
  }
  if (indexes.length > MAX_INDEXES)
    report.add(path, `write at most ${MAX_INDEXES} indexes: each makes every write slower`)
  const seen = new Map<string, number>()
  for (const [place, keys] of indexes.entries()) {
    checkIndex(keys, fields, `${path}.${place}`, report)
    const name = orderOf(keys)
    const other = seen.get(name)
    if (other !== undefined)
      report.add(`${path}.${place}`, `leave it out: indexes.${other} is the same, and is read in both directions`)
    seen.set(name, other ?? place)
  }
}

const isListOfTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')

const pathOf = (key: string): string => key.replace(/^-/, '')

/** Equal for indexes that serve the same lists: the first field always holds one value, and all others turn together. */
function orderOf([first = '', ...others]: readonly string[]): string {
  const isTurned = others.at(-1)?.startsWith('-') === true
  return [pathOf(first), ...others.map((key) => `${key.startsWith('-') === isTurned ? '' : '-'}${pathOf(key)}`)].join()
}

function checkIndex(keys: readonly string[], fields: unknown, path: string, report: FaultReport): void {
  const paths = keys.map(pathOf)
  if (keys.length < MIN_FIELDS || keys.length > MAX_FIELDS)
    report.add(path, `name ${MIN_FIELDS} to ${MAX_FIELDS} fields; a field alone has an index of its own`)
  for (const [place, one] of paths.entries()) {
    const fault = paths.indexOf(one) < place ? `names "${one}" twice; leave one out` : keyFault(one, fields)
    if (fault) report.add(path, fault)
  }
  const texts = paths.map((one) => ({ path: one, length: partLength(one, fields) ?? textLength(fieldAt(one, fields)) }))
  const long = texts.filter(({ length }) => length > MAX_TEXT / MAX_FIELDS).map((one) => one.path)
  if (texts.reduce((sum, { length }) => sum + length, 0) > MAX_TEXT)
    report.add(
      path,
      `its texts may hold at most ${MAX_TEXT} characters together; give ${long.join(', ')} a maxLength, or leave it out`,
    )
}

function keyFault(path: string, fields: unknown): string | undefined {
  if (path === 'updatedAt') return undefined
  const needless = NEEDLESS.get(path)
  if (needless) return needless
  const field = fieldAt(path, fields)
  if (field?.type.role === 'status') return `leave ${path} out: every index holds the status`
  return field?.type.scalar?.(field.options) || partLength(path, fields) !== undefined
    ? undefined
    : `"${path}" can be neither filtered nor sorted; name another field`
}

/** A field by its dotted path through groups. */
function fieldAt(path: string, fields: unknown): Field | undefined {
  const [key = '', ...rest] = path.split('.')
  const field = isRecord(fields) && Object.hasOwn(fields, key) ? fields[key] : undefined
  if (!isRecord(field) || !isRecord(field.type) || !isRecord(field.options)) return undefined
  const found = field as unknown as Field
  if (rest.length === 0) return found
  return found.type.isGroup ? fieldAt(rest.join('.'), innerFields(found)[0]) : undefined
}

/** The longest text that a field takes, in characters; 0 where it holds none. */
function textLength(field: Field | undefined): number {
  if (field?.type.scalar?.(field.options) !== 'text') return 0
  // No fields lie inside a scalar.
  const { maxLength, enum: choices, format } = field.type.schema(field.options, () => ({}))
  if (typeof maxLength === 'number') return maxLength
  if (Array.isArray(choices)) return Math.max(0, ...choices.map((one) => String(one).length))
  return format === 'uuid' ? UUID_LENGTH : MAX_TEXT
}

/** The longest text of a part of a reference that names its collection; `undefined`: the path is no such part. */
function partLength(path: string, fields: unknown): number | undefined {
  const [, relation = '', part] = /^(.+)\.(collection|id)$/.exec(path) ?? []
  const field = fieldAt(relation, fields)
  const facts = field?.type.relation?.(field.options)
  if (!facts?.isIndexed || facts.many) return undefined
  return part === 'id' ? UUID_LENGTH : MAX_KEY_LENGTH
}

const UUID_LENGTH = 36
