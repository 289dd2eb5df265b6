import type { FieldDescription, SystemFieldDescription, ValueDescription } from 'daybook'
import type { Messages } from '../messages/en.ts'
import { type StudioCollection, toLabel } from '../model/studio-model.ts'

/** A value of an entry, as lists show it, sort by it and filter by it. */
export interface ListField {
  /** Its dotted path: fields of groups stand on their own. */
  readonly path: string
  readonly label: string
  /** Of a field, as in `f.text()`; `id` and `person` of what the service makes. */
  readonly type: string
  readonly many: boolean
  readonly sortable: boolean
  /** The operators that `where` takes. */
  readonly operators: readonly string[]
  readonly options: readonly string[] | undefined
  /** Of a relation: the collections that it leads to, as far as the session may read them. */
  readonly to: readonly string[]
  /** Whether a row can show it: long texts and what is made of parts would be more than a row holds. */
  readonly isShort: boolean
}

/** Types whose values are too long for a row. */
const LONG: ReadonlySet<string> = new Set(['markdown', 'json', 'blocks', 'group', 'reverse'])

/** All values of a collection's entries that lists know, those of the config first. */
export const getListFields = ({ fields, systemFields }: StudioCollection): readonly ListField[] => [
  ...fields.flatMap((field) => fieldsAt(field, '', '')),
  ...systemFields
    .filter(({ key }) => fields.every(({ generated }) => !generated.includes(key)))
    .map((field) => toSystemField(field)),
]

function fieldsAt(field: FieldDescription, before: string, around: string): readonly ListField[] {
  const path = `${before}${field.key}`
  const label = `${around}${toLabel(field.key)}`
  // Inside lists and blocks, nothing can be asked for by itself.
  if (field.fields && !field.many) return field.fields.flatMap((inner) => fieldsAt(inner, `${path}.`, `${label} › `))
  const { type, many, sortable, operators, options } = field
  const to = [field.relation?.to ?? []].flat()
  const own = { path, label, type, many, sortable, operators, options: optionsOf(field) ?? options, to }
  if (to.length > 1) return [{ ...own, isShort: true }, ...partsOf(own)]
  return [{ ...own, isShort: isShort(field) }]
}

const isShort = ({ type, fields, blocks, of }: ValueDescription): boolean =>
  !LONG.has(type) && fields === undefined && blocks === undefined && (of === undefined || isShort(of))

const optionsOf = ({ options, of }: ValueDescription): readonly string[] | undefined => options ?? of?.options

/** A relation to several collections is filtered by its parts. */
const partsOf = (field: Omit<ListField, 'isShort'>): readonly ListField[] => [
  {
    ...field,
    path: `${field.path}.collection`,
    type: 'select',
    options: field.to,
    to: [],
    sortable: false,
    operators: field.many ? ['in', 'all', 'nin', 'exists'] : ['eq', 'ne', 'in', 'nin', 'exists'],
    isShort: false,
  },
]

function toSystemField({ key, schema, operators, sortable }: SystemFieldDescription): ListField {
  const isTime = (schema as { readonly format?: string }).format === 'date-time'
  const type = isTime ? 'datetime' : key === 'id' ? 'id' : /By$/.test(key) ? 'person' : 'text'
  return {
    path: key,
    label: toLabel(key),
    type,
    many: false,
    sortable,
    operators,
    options: undefined,
    to: [],
    isShort: true,
  }
}

/** The value at a dotted path. */
export function getValueAt(entry: Readonly<Record<string, unknown>>, path: string): unknown {
  let value: unknown = entry
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined
    value = (value as Readonly<Record<string, unknown>>)[key]
  }
  return value
}

/** What a field is called: fields of the config by their keys, those of the service in the reader's language. */
export function getFieldLabel({ path, label }: ListField, { lists }: Messages): string {
  const own: Readonly<Record<string, string>> = lists.systemFields
  return Object.hasOwn(own, path) ? (own[path] ?? label) : label
}
