import type { StudioField, StudioItem } from '../../../model/studio-model.ts'
import { isRecord } from '../../saving/field-values.ts'
import { canShowValue } from '../value-formats.ts'

export type Items = readonly unknown[]

export const toItems = (value: unknown): Items => (Array.isArray(value) ? value : [])

/** Returns the items with others inserted before the one at `index`. */
export const insertItems = (items: Items, index: number, added: Items): Items => items.toSpliced(index, 0, ...added)

export const removeItem = (items: Items, index: number): Items => items.toSpliced(index, 1)

/**
 * Returns the items with one moved.
 *
 * @param to its new index; values outside the list move it to an end
 */
export function moveItem(items: Items, from: number, to: number): Items {
  if (!(from in items)) return items
  const index = Math.max(0, Math.min(to, items.length - 1))
  return index === from ? items : items.toSpliced(from, 1).toSpliced(index, 0, items[from])
}

/** A kind of item that a list accepts: its only one, or one of several blocks. */
export interface ItemKind {
  /** The `_type` of a block; `undefined` for lists. */
  readonly block: string | undefined
  /** The name of a block or item; `undefined` if items are numbered. */
  readonly label: string | undefined
  /** The item, described as a field without a key. */
  readonly description: StudioField
  /** The dotted path of the value that titles an item. */
  readonly itemTitle: string | undefined
}

const GROUP_DEFAULTS = {
  schema: { type: 'object' },
  required: false,
  many: false,
  localized: false,
  unique: false,
  operators: [],
  sortable: false,
  aggregates: [],
  searchable: false,
  generated: [],
} as const

export function listItemKinds({ of, blocks, writable, itemTitle }: StudioField): readonly ItemKind[] {
  if (of) return [{ block: undefined, label: of.label, description: toItemField(of), itemTitle }]
  return (blocks ?? []).map(({ type, label, description, fields, itemTitle: blockTitle }) => ({
    block: type,
    label,
    description: { ...GROUP_DEFAULTS, key: type, type: 'group', label, description, writable, fields },
    itemTitle: blockTitle,
  }))
}

const toItemField = (item: StudioItem): StudioField => ({ ...item, label: item.label ?? '', key: '', generated: [] })

/** Finds the kind of an item; `undefined` if the config no longer has it. */
export const findItemKind = (kinds: readonly ItemKind[], item: unknown): ItemKind | undefined =>
  kinds.find(({ block }) => block === undefined || (isRecord(item) && item._type === block))

/** Returns true if an item needs more than one line, and can be folded. */
export const isFoldable = ({ description }: ItemKind): boolean =>
  description.fields !== undefined || description.of !== undefined || description.blocks !== undefined

/** Creates an item with the constant defaults of its fields. */
export function createItem({ block, description }: ItemKind): unknown {
  if (!description.fields) return description.of || description.blocks ? [] : (description.default ?? null)
  const defaults = description.fields.flatMap((field) =>
    field.default === undefined ? [] : [[field.key, field.default]],
  )
  return { ...(block === undefined ? {} : { _type: block }), ...Object.fromEntries(defaults) }
}

/** Items from elsewhere, reduced to what a list accepts. */
interface FittedItems {
  readonly items: Items
  /** True if nothing was dropped. */
  readonly isWhole: boolean
}

/** Reduces items to the parts that the model of a list knows, since copied items may come from another collection or an older config. */
export function fitItems(kinds: readonly ItemKind[], items: Items): FittedItems {
  const fittedItems = items.map((item) => {
    const kind = findItemKind(kinds, item)
    return kind && fitItem(kind, item)
  })
  return combine(fittedItems)
}

/** Members of an item that are not fields. */
const META_MEMBERS: readonly string[] = ['_key', '_type']

interface Fitted {
  readonly value: unknown
  readonly isWhole: boolean
}

function fitItem({ block, description }: ItemKind, item: unknown): Fitted | undefined {
  if (!description.fields) return fitValue(description, item)
  const fitted = isRecord(item) ? fitMembers(description.fields, item) : undefined
  if (!fitted) return undefined
  // A block copied from one list may be a group in another, but not if none of its fields fit.
  const hasNoFittingField =
    Object.keys(fitted.value).length === 0 && Object.keys(item as object).some((key) => !META_MEMBERS.includes(key))
  if (hasNoFittingField && block === undefined) return undefined
  return { value: block === undefined ? fitted.value : { _type: block, ...fitted.value }, isWhole: fitted.isWhole }
}

function fitValue(field: StudioField, value: unknown): Fitted | undefined {
  if (value === null) return { value, isWhole: true }
  if (!canShowValue(field, value)) return undefined
  if (field.fields && isRecord(value)) return fitMembers(field.fields, value)
  if (!field.of && !field.blocks) return { value, isWhole: true }
  const { items, isWhole } = fitInside(field, value as Items)
  return { value: items, isWhole }
}

function fitInside({ of, blocks }: StudioField, items: Items): FittedItems {
  const fittedItems = items.map((item): Fitted | undefined => {
    if (of) return fitValue(toItemField(of), item)
    const block = isRecord(item) ? blocks?.find(({ type }) => type === item._type) : undefined
    if (!block || !isRecord(item)) return undefined
    const { value, isWhole } = fitMembers(block.fields, item)
    return { value: { _type: block.type, ...value }, isWhole }
  })
  return combine(fittedItems)
}

/** Returns the items that fit at least in part. */
function combine(fittedItems: readonly (Fitted | undefined)[]): FittedItems {
  const fits = fittedItems.filter((item) => item !== undefined)
  return {
    items: fits.map(({ value }) => value),
    isWhole: fits.length === fittedItems.length && fits.every(({ isWhole }) => isWhole),
  }
}

function fitMembers(
  fields: readonly StudioField[],
  values: Readonly<Record<string, unknown>>,
): { readonly value: Readonly<Record<string, unknown>>; readonly isWhole: boolean } {
  const generated = new Set([...META_MEMBERS, ...fields.flatMap((field) => field.generated)])
  const writtenMembers = Object.entries(values).filter(([key, value]) => !generated.has(key) && value !== null)
  const fittedMembers = writtenMembers.map(([key, value]) => {
    const field = fields.find((candidate) => candidate.key === key)
    return [key, field && fitValue(field, value)] as const
  })
  const members = fittedMembers.flatMap(([key, fitted]) => (fitted ? [[key, fitted.value]] : []))
  return { value: Object.fromEntries(members), isWhole: fittedMembers.every(([, fitted]) => fitted?.isWhole === true) }
}

/** The maximum length of a summary, in characters. */
const MAX_SUMMARY_LENGTH = 100
/** The number of characters that are read, since a text may have a million. */
const MAX_READ_LENGTH = 400
/** Keys of fields that usually identify an item. */
const NAME_KEYS: readonly string[] = ['title', 'name', 'label', 'heading', 'headline', 'question']
const TEXT_TYPES: ReadonlySet<string> = new Set([
  'text',
  'markdown',
  'select',
  'url',
  'email',
  'slug',
  'date',
  'datetime',
])

/** Summarizes an item in a few words: its title, if the model names one; returns an empty text if it has none. */
export function summarizeItem({ description: { fields }, itemTitle }: ItemKind, item: unknown): string {
  if (!fields || !isRecord(item)) return ''
  const title = itemTitle === undefined ? '' : getTitle(fields, item, itemTitle.split('.'))
  if (title !== '') return shorten(title)
  const textFields = fields.filter(({ type, many }) => TEXT_TYPES.has(type) && !many)
  const nameFields = textFields.filter(({ key }) => NAME_KEYS.includes(key))
  for (const { key } of [...nameFields, ...textFields]) {
    const text = item[key]
    if (typeof text === 'string' && text.trim() !== '') return shorten(text)
  }
  return ''
}

/** Returns the value at a path inside an item as a text; that of a choice is its label. */
function getTitle(
  fields: readonly StudioField[],
  item: Readonly<Record<string, unknown>>,
  [key = '', ...rest]: readonly string[],
): string {
  const field = fields.find((candidate) => candidate.key === key)
  const value = item[key]
  if (rest.length > 0) return isRecord(value) ? getTitle(field?.fields ?? [], value, rest) : ''
  if (typeof value === 'string') return field?.optionLabels?.[value] ?? value
  return typeof value === 'number' ? String(value) : ''
}

function shorten(text: string): string {
  const line = text
    .slice(0, MAX_READ_LENGTH)
    .replace(/[#>*_`[\]]+/g, '')
    .replace(/\s+/g, ' ')
    .trim()
  return line.length > MAX_SUMMARY_LENGTH ? `${line.slice(0, MAX_SUMMARY_LENGTH).trimEnd()} …` : line
}

/** Marks a text that contains items. */
const TYPE = 'daybook/items'

export const serializeItems = (items: Items): string => JSON.stringify({ type: TYPE, version: 1, items })

/** Parses serialized items; returns `undefined` for other texts. */
export function parseItems(text: string): Items | undefined {
  if (!text.includes(TYPE)) return undefined
  try {
    const parsed: unknown = JSON.parse(text)
    return isRecord(parsed) && parsed.type === TYPE && Array.isArray(parsed.items) ? parsed.items : undefined
  } catch {
    return undefined
  }
}
