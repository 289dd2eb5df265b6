import { type FaultReport, type Field, innerFields, isRecord } from '../fields/field.ts'
import { MAX_KEY_LENGTH } from '../fields/option-rules.ts'

/** The maximum number of declared indexes of a collection. */
const MAX_INDEXES = 8
/** The minimum and the maximum number of fields of an index. */
const [MIN_FIELDS, MAX_FIELDS] = [2, 4]
/** The maximum total length of the texts of an index, in characters, which fits in a PostgreSQL index row with four bytes each. */
const MAX_TEXT = 600

/** System fields that no index needs. */
const NEEDLESS: ReadonlyMap<string, string> = new Map([
  ['id', 'does not need id, because every index ends with it. Leave id out'],
  ['createdAt', 'does not need createdAt, because every index ends with the order of creation. Leave createdAt out'],
])

/** Checks the declared indexes of a collection. */
export function checkIndexes(indexes: unknown, fields: unknown, path: string, report: FaultReport): void {
  if (indexes === undefined) return
  if (!Array.isArray(indexes) || !indexes.every(isListOfTexts)) {
    report.add(path, 'must be a list of lists of fields, such as [["category", "-publishedOn"]]')
    return
  }
  if (indexes.length > MAX_INDEXES)
    report.add(path, `must have at most ${MAX_INDEXES} indexes, because each makes every write slower`)
  const seen = new Map<string, number>()
  for (const [index, keys] of indexes.entries()) {
    checkIndex(keys, fields, `${path}.${index}`, report)
    const name = normalizeOrder(keys)
    const other = seen.get(name)
    if (other !== undefined)
      report.add(
        `${path}.${index}`,
        `is not needed, because indexes.${other} is the same and is read in both directions. Leave it out`,
      )
    seen.set(name, other ?? index)
  }
}

const isListOfTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')

const toPath = (key: string): string => key.replace(/^-/, '')

/** Returns equal texts for indexes that serve the same lists: the first field has a single value, and the others can be reversed together. */
function normalizeOrder([first = '', ...rest]: readonly string[]): string {
  const isReversed = rest.at(-1)?.startsWith('-') === true
  return [toPath(first), ...rest.map((key) => `${key.startsWith('-') === isReversed ? '' : '-'}${toPath(key)}`)].join()
}

function checkIndex(keys: readonly string[], fields: unknown, path: string, report: FaultReport): void {
  const paths = keys.map(toPath)
  if (keys.length < MIN_FIELDS || keys.length > MAX_FIELDS)
    report.add(path, `must name ${MIN_FIELDS} to ${MAX_FIELDS} fields. A field alone has an index of its own`)
  for (const [index, fieldPath] of paths.entries()) {
    const isRepeated = paths.indexOf(fieldPath) < index
    const fault = isRepeated ? `contains "${fieldPath}" twice. Leave one out` : findKeyFault(fieldPath, fields)
    if (fault) report.add(path, fault)
  }
  const texts = paths.map((fieldPath) => ({
    path: fieldPath,
    length: getPartLength(fieldPath, fields) ?? getTextLength(findField(fieldPath, fields)),
  }))
  const long = texts.filter(({ length }) => length > MAX_TEXT / MAX_FIELDS).map((text) => text.path)
  if (texts.reduce((sum, { length }) => sum + length, 0) > MAX_TEXT)
    report.add(
      path,
      `must have texts of at most ${MAX_TEXT} characters together. Give ${long.join(', ')} a maxLength, or leave it out`,
    )
}

function findKeyFault(path: string, fields: unknown): string | undefined {
  if (path === 'updatedAt') return undefined
  const needless = NEEDLESS.get(path)
  if (needless) return needless
  const field = findField(path, fields)
  if (field?.type.role === 'status')
    return `does not need ${path}, because every index contains the status. Leave ${path} out`
  return field?.type.scalar?.(field.options) || getPartLength(path, fields) !== undefined
    ? undefined
    : `contains "${path}", which can be neither filtered nor sorted. Name another field`
}

/** Returns the field at a dotted path through groups. */
function findField(path: string, fields: unknown): Field | undefined {
  const [key = '', ...rest] = path.split('.')
  const field = isRecord(fields) && Object.hasOwn(fields, key) ? fields[key] : undefined
  if (!isRecord(field) || !isRecord(field.type) || !isRecord(field.options)) return undefined
  const checkedField = field as unknown as Field
  if (rest.length === 0) return checkedField
  return checkedField.type.isGroup ? findField(rest.join('.'), innerFields(checkedField)[0]) : undefined
}

/** Returns the maximum length of a field's texts, in characters; 0 if it has none. */
function getTextLength(field: Field | undefined): number {
  if (field?.type.scalar?.(field.options) !== 'text') return 0
  // A scalar has no inner fields.
  const { maxLength, enum: choices, format } = field.type.schema(field.options, () => ({}))
  if (typeof maxLength === 'number') return maxLength
  if (Array.isArray(choices)) return Math.max(0, ...choices.map((choice) => String(choice).length))
  return format === 'uuid' ? UUID_LENGTH : MAX_TEXT
}

/** Returns the maximum length of a part of a tagged reference, or `undefined` for another path. */
function getPartLength(path: string, fields: unknown): number | undefined {
  const [, relation = '', part] = /^(.+)\.(collection|id)$/.exec(path) ?? []
  const field = findField(relation, fields)
  const info = field?.type.relation?.(field.options)
  if (!info?.isIndexed || info.many) return undefined
  return part === 'id' ? UUID_LENGTH : MAX_KEY_LENGTH
}

const UUID_LENGTH = 36
