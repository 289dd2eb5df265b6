import type { SystemFieldDescription } from 'daybook'
import type { Messages } from '../messages/en.ts'
import { type StudioCollection, type StudioField, type StudioItem, toLabel } from '../model/studio-model.ts'

/** A field by which lists show, sort and filter entries. */
export interface ListField {
  /** The dotted path; fields of groups are listed individually. */
  readonly path: string
  readonly label: string
  /** The type of the field, as in `f.text()`; `id`, `person` or `rank` for system fields. */
  readonly type: string
  readonly many: boolean
  readonly sortable: boolean
  readonly operators: readonly string[]
  readonly options: readonly string[] | undefined
  /** The labels of options, by option. */
  readonly optionLabels?: StudioField['optionLabels']
  /** The target collections of a relation that the session may read. */
  readonly to: readonly string[]
  /** True if its values fit into a row, unlike long texts and composite values. */
  readonly isShort: boolean
}

/** Types whose values do not fit into a row. */
const LONG: ReadonlySet<string> = new Set(['markdown', 'json', 'blocks', 'group', 'reverse'])

/** Returns the fields of a collection that lists support, system fields last. */
export const getListFields = ({ fields, systemFields }: StudioCollection): readonly ListField[] => [
  ...fields.flatMap((field) => flattenField(field, '', '')),
  ...systemFields
    .filter(({ key }) => fields.every(({ generated }) => !generated.includes(key)))
    .map((field) => toSystemField(field)),
]

function flattenField(field: StudioField, pathPrefix: string, labelPrefix: string): readonly ListField[] {
  const path = `${pathPrefix}${field.key}`
  const label = `${labelPrefix}${field.label}`
  // The service cannot select or filter fields inside lists and blocks.
  if (field.fields && !field.many)
    return field.fields.flatMap((inner) => flattenField(inner, `${path}.`, `${label} › `))
  const { type, many, sortable, operators, options } = field
  const to = [field.relation?.to ?? []].flat()
  const optionLabels = field.optionLabels ?? field.of?.optionLabels
  const listField = {
    path,
    label,
    type,
    many,
    sortable,
    operators,
    options: options ?? field.of?.options,
    optionLabels,
    to,
  }
  if (to.length > 1) return [{ ...listField, isShort: true }, toCollectionField(listField)]
  return [{ ...listField, isShort: isShort(field) }]
}

const isShort = ({ type, fields, blocks, of }: StudioItem): boolean =>
  !LONG.has(type) && fields === undefined && blocks === undefined && (of === undefined || isShort(of))

/** Returns the field by which a relation to several collections is filtered by collection. */
const toCollectionField = (field: Omit<ListField, 'isShort'>): ListField => ({
  ...field,
  path: `${field.path}.collection`,
  type: 'select',
  options: field.to,
  to: [],
  sortable: false,
  operators: field.many ? ['in', 'all', 'nin', 'exists'] : ['eq', 'ne', 'in', 'nin', 'exists'],
  isShort: false,
})

function toSystemField({ key, schema, operators, sortable }: SystemFieldDescription): ListField {
  const isTime = (schema as { readonly format?: string }).format === 'date-time'
  const isRank = key === 'rank'
  const type = isTime ? 'datetime' : isRank || key === 'id' ? key : /By$/.test(key) ? 'person' : 'text'
  return {
    path: key,
    label: toLabel(key),
    type,
    many: false,
    sortable,
    // Ranks mean nothing to people.
    operators: isRank ? [] : operators,
    options: undefined,
    to: [],
    isShort: !isRank,
  }
}

/** The fields of a file that its thumbnail needs. */
export const THUMBNAIL_FIELDS = ['mimeType', 'url', 'placeholder'] as const

/** Returns the key of the file field whose first file is shown in rows; `undefined` if there is none. */
export const findThumbnailField = ({ fields }: Pick<StudioCollection, 'fields'>): string | undefined =>
  fields.find(({ type, relation }) => type === 'asset' && relation?.to !== null)?.key

export function getValueAt(entry: Readonly<Record<string, unknown>>, path: string): unknown {
  let value: unknown = entry
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined
    value = (value as Readonly<Record<string, unknown>>)[key]
  }
  return value
}

/** Returns the label of a field, translated for system fields. */
export function getFieldLabel({ path, label }: ListField, { lists }: Messages): string {
  const labels: Readonly<Record<string, string>> = lists.systemFields
  return Object.hasOwn(labels, path) ? (labels[path] ?? label) : label
}
