import type { FieldDescription } from 'daybook'
import { toLabel } from '../../../model/studio-model.ts'
import { isRecord } from '../../saving/field-values.ts'
import { canShowValue } from '../value-formats.ts'

/** The items of a list, in order. */
export type Items = readonly unknown[]

/** The items of a field's value; an empty field has none. */
export const toItems = (value: unknown): Items => (Array.isArray(value) ? value : [])

/** A list with further items in front of that at `index`. */
export const insertItems = (items: Items, index: number, added: Items): Items => items.toSpliced(index, 0, ...added)

/** A list without the item at `index`. */
export const removeItem = (items: Items, index: number): Items => items.toSpliced(index, 1)

/**
 * A list with one item in another place.
 *
 * @param to its index in the new list; beyond the ends is at the end
 */
export function moveItem(items: Items, from: number, to: number): Items {
  if (!(from in items)) return items
  const place = Math.max(0, Math.min(to, items.length - 1))
  return place === from ? items : items.toSpliced(from, 1).toSpliced(place, 0, items[from])
}

/** A kind of item that a list takes: the one of a list, or one of the blocks. */
export interface ItemKind {
  /** The `_type` of a block; `undefined`: the items of a list have none. */
  readonly block: string | undefined
  /** What people call it; `undefined`: an item of a list is told by its number. */
  readonly label: string | undefined
  /** An item, as a field without a key. */
  readonly description: FieldDescription
}

const PLAIN = {
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

/** The kinds of items that a list or blocks take. */
export function listItemKinds({ of, blocks, writable }: FieldDescription): readonly ItemKind[] {
  if (of) return [{ block: undefined, label: undefined, description: { ...of, key: '', generated: [] } }]
  return (blocks ?? []).map(({ type, fields }) => ({
    block: type,
    label: toLabel(type),
    description: { ...PLAIN, key: type, type: 'group', writable, fields },
  }))
}

/** The kind of an item; `undefined`: the config has none like it any more. */
export const findItemKind = (kinds: readonly ItemKind[], item: unknown): ItemKind | undefined =>
  kinds.find(({ block }) => block === undefined || (isRecord(item) && item._type === block))

/** Whether an item takes more than a line, and can be folded. */
export const isFoldable = ({ description }: ItemKind): boolean =>
  description.fields !== undefined || description.of !== undefined || description.blocks !== undefined

/** A new item, with the constant defaults of its fields. */
export function createItem({ block, description }: ItemKind): unknown {
  if (!description.fields) return description.of || description.blocks ? [] : (description.default ?? null)
  const defaults = description.fields.flatMap((one) => (one.default === undefined ? [] : [[one.key, one.default]]))
  return { ...(block === undefined ? {} : { _type: block }), ...Object.fromEntries(defaults) }
}

/** What is left of items that come from elsewhere. */
interface FittedItems {
  readonly items: Items
  /** Whether nothing was left out. */
  readonly isWhole: boolean
}

/** The items that a list takes, as far as its model knows them: another entry may be of another collection, or another config. */
export function fitItems(kinds: readonly ItemKind[], items: Items): FittedItems {
  const fitted = items.map((item) => {
    const kind = findItemKind(kinds, item)
    return kind && fitItem(kind, item)
  })
  const fits = fitted.filter((one) => one !== undefined)
  return {
    items: fits.map(({ value }) => value),
    isWhole: fits.length === items.length && fits.every(({ isWhole }) => isWhole),
  }
}

/** Members of an item that are no fields. */
const OWN_MEMBERS: readonly string[] = ['_key', '_type']

interface Fitted {
  readonly value: unknown
  readonly isWhole: boolean
}

function fitItem({ block, description }: ItemKind, item: unknown): Fitted | undefined {
  if (!description.fields) return fitValue(description, item)
  const fitted = isRecord(item) ? fitMembers(description.fields, item) : undefined
  if (!fitted) return undefined
  // The block of one list may be the group of another.
  const isBare =
    Object.keys(fitted.value).length === 0 && Object.keys(item as object).some((key) => !OWN_MEMBERS.includes(key))
  if (isBare && block === undefined) return undefined
  return { value: block === undefined ? fitted.value : { _type: block, ...fitted.value }, isWhole: fitted.isWhole }
}

function fitValue(field: FieldDescription, value: unknown): Fitted | undefined {
  if (value === null) return { value, isWhole: true }
  if (!canShowValue(field, value)) return undefined
  if (field.fields && isRecord(value)) return fitMembers(field.fields, value)
  if (!field.of && !field.blocks) return { value, isWhole: true }
  const { items, isWhole } = fitInside(field, value as Items)
  return { value: items, isWhole }
}

function fitInside({ of, blocks }: FieldDescription, items: Items): FittedItems {
  const all: readonly (Fitted | undefined)[] = items.map((item) => {
    if (of) return fitValue({ ...of, key: '', generated: [] }, item)
    const block = isRecord(item) ? blocks?.find(({ type }) => type === item._type) : undefined
    if (!block || !isRecord(item)) return undefined
    const { value, isWhole } = fitMembers(block.fields, item)
    return { value: { _type: block.type, ...value }, isWhole }
  })
  const fits = all.filter((one) => one !== undefined)
  return {
    items: fits.map(({ value }) => value),
    isWhole: fits.length === all.length && fits.every(({ isWhole }) => isWhole),
  }
}

function fitMembers(
  fields: readonly FieldDescription[],
  values: Readonly<Record<string, unknown>>,
): { readonly value: Readonly<Record<string, unknown>>; readonly isWhole: boolean } {
  const generated = new Set([...OWN_MEMBERS, ...fields.flatMap((field) => field.generated)])
  const own = Object.entries(values).filter(([key, value]) => !generated.has(key) && value !== null)
  const fitted = own.map(([key, value]) => {
    const field = fields.find((one) => one.key === key)
    return [key, field && fitValue(field, value)] as const
  })
  const members = fitted.flatMap(([key, fit]) => (fit ? [[key, fit.value]] : []))
  return { value: Object.fromEntries(members), isWhole: fitted.every(([, fit]) => fit?.isWhole === true) }
}

/** The longest summary, in characters. */
const LONGEST = 100
/** How much of a text is looked at: a text may have a million characters. */
const LOOKED_AT = 400
/** Fields that say best what an item is. */
const NAMES: readonly string[] = ['title', 'name', 'label', 'heading', 'headline', 'question']
const WORDY: ReadonlySet<string> = new Set(['text', 'markdown', 'select', 'url', 'email', 'slug', 'date', 'datetime'])

/** A few words that say what an item holds; empty where it holds no text. */
export function summarizeItem(fields: readonly FieldDescription[], item: unknown): string {
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

/** Says of a text that it holds items. */
const TYPE = 'daybook/items'

/** Items as a text, for clipboards. */
export const serializeItems = (items: Items): string => JSON.stringify({ type: TYPE, version: 1, items })

/** Reads items from a text; `undefined`: it holds something else. */
export function parseItems(text: string): Items | undefined {
  if (!text.includes(TYPE)) return undefined
  try {
    const read: unknown = JSON.parse(text)
    return isRecord(read) && read.type === TYPE && Array.isArray(read.items) ? read.items : undefined
  } catch {
    return undefined
  }
}
