import type { FieldDescription } from 'daybook'
import { isRecord } from '../../saving/saved-field.ts'
import { holdsShape } from '../value-shape.ts'
import { type ItemKind, kindOf } from './item-kinds.ts'
import type { Items } from './list-changes.ts'

/** What is left of items that come from elsewhere. */
export interface FittedItems {
  readonly items: Items
  /** Whether nothing was left out. */
  readonly isWhole: boolean
}

/** The items that a list takes, as far as its model knows them: another entry may be of another collection, or another config. */
export function fitItems(kinds: readonly ItemKind[], items: Items): FittedItems {
  const fitted = items.map((item) => {
    const kind = kindOf(kinds, item)
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
  if (!holdsShape(field, value)) return undefined
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
