import type { FieldDescription } from 'daybook'
import { labelOf } from '../../../model/studio-model.ts'
import { isRecord } from '../../saving/saved-field.ts'

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
export function kindsOf({ of, blocks, writable }: FieldDescription): readonly ItemKind[] {
  if (of) return [{ block: undefined, label: undefined, description: { ...of, key: '', generated: [] } }]
  return (blocks ?? []).map(({ type, fields }) => ({
    block: type,
    label: labelOf(type),
    description: { ...PLAIN, key: type, type: 'group', writable, fields },
  }))
}

/** The kind of an item; `undefined`: the config has none like it any more. */
export const kindOf = (kinds: readonly ItemKind[], item: unknown): ItemKind | undefined =>
  kinds.find(({ block }) => block === undefined || (isRecord(item) && item._type === block))

/** Whether an item takes more than a line, and can be folded. */
export const isFoldable = ({ description }: ItemKind): boolean =>
  description.fields !== undefined || description.of !== undefined || description.blocks !== undefined

/** A new item, with the constant defaults of its fields. */
export function newItem({ block, description }: ItemKind): unknown {
  if (!description.fields) return description.of || description.blocks ? [] : (description.default ?? null)
  const defaults = description.fields.flatMap((one) => (one.default === undefined ? [] : [[one.key, one.default]]))
  return { ...(block === undefined ? {} : { _type: block }), ...Object.fromEntries(defaults) }
}
