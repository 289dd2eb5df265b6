import {
  COUNTED_BEHAVIOR,
  type CommonOptions,
  type CountedOptions,
  checkCounted,
  type DefaultRule,
  type Exactly,
  type FaultReport,
  type Field,
  type FieldPlace,
  type FieldType,
  isRecord,
  type JsonSchema,
  makeField,
  type Scalar,
} from './field.ts'
import type { InnerItem, KeyedItem, WrittenItem } from './infer.ts'
import { checkItemTitle } from './item-title.ts'
import { anyValueRule, COMMON_RULES, COUNTED_RULES, countRule, SCALAR_RULES, titlePathRule } from './option-rules.ts'

export interface ListFieldOptions<Item = unknown> extends CommonOptions<readonly Item[]>, CountedOptions {
  /** The minimum number of items. @default 0 */
  readonly min?: number
  /** The maximum number of items, at most 1,000 with an index. @default 1,000 */
  readonly max?: number
  /**
   * The key of the field whose value titles an item that is a group, such as `'name'`, or a path inside it, such as `'person.name'`.
   * @default the `itemTitle` of the group, else the first text with a value
   */
  readonly itemTitle?: string
  /**
   * `false` saves the index of a list of texts, numbers, dates, selects and the like, which can then be neither filtered nor counted. Other
   * lists have no index. @default true
   */
  readonly index?: boolean
  /** The value of a new document without one, or a function that makes it. @default an empty list @see docs/guides/modelling-content.md#compute-a-default */
  readonly default?: readonly unknown[] | DefaultRule<readonly unknown[]>
}

type ListOptions = ListFieldOptions & { readonly of: Field }

/** The default number of items, and the maximum for a list with an index, which has a row for each item. */
const MAX_ITEMS = 1000
/** The maximum length of an indexed item, in characters. */
const MAX_MEMBER_LENGTH = 2000

/** Returns the type by which items compare, if they can be indexed. */
function findItemScalar({ of }: ListOptions): Scalar | undefined {
  // Checks of the config call this with any value.
  if (!isRecord(of?.type) || !isRecord(of.options) || of.type.relation !== undefined) return undefined
  // The table of members has no locales.
  if (of.options.localized === true) return undefined
  const scalar = of.type.scalar?.(of.options)
  return scalar !== 'text' || isShort(of) ? scalar : undefined
}

/** Returns true if the texts of a field fit into an index. */
function isShort({ type, options }: Field): boolean {
  const { maxLength, enum: choices }: JsonSchema = type.schema(options, () => ({}))
  return choices !== undefined || (typeof maxLength === 'number' && maxLength <= MAX_MEMBER_LENGTH)
}

const isIndexed = (options: ListOptions): boolean => options.index !== false && findItemScalar(options) !== undefined

/** Returns true if items are objects with keys. Items that are localized as a whole have none. */
const isKeyed = ({ of }: ListOptions): boolean =>
  isRecord(of?.type) && of.type.isGroup === true && of.options.localized !== true

const getMaxItems = ({ max }: ListOptions): number => max ?? MAX_ITEMS

const list: FieldType<ListOptions> = {
  name: 'list',
  rules: {
    ...COMMON_RULES,
    of: () => undefined,
    itemTitle: titlePathRule,
    min: countRule,
    max: countRule,
    default: anyValueRule,
    index: SCALAR_RULES.index,
    ...COUNTED_RULES,
  },
  check(options, place, report) {
    checkCounted(options, place, report)
    checkIndex(options, place, report)
    if (options.of?.type?.generated?.('of', options.of.options).length) {
      report.add(
        `${place.path}.of`,
        'must be inside a group, such as f.list(f.group({ body: f.markdown() })), or have html: false',
      )
    }
    place.checkNested({ of: options.of }, place.path)
    checkItemTitle(options.itemTitle, options.of?.options?.fields, place.path, report)
  },
  schema: (options, nest) => ({
    type: 'array',
    items: options.of.type.schema(options.of.options, (fields) => nest(fields, isKeyed(options))),
    ...(options.min === undefined ? {} : { minItems: options.min }),
    maxItems: getMaxItems(options),
  }),
  accepts: (value, { of }) => Array.isArray(value) && value.every((item) => of.type.accepts(item, of.options)),
  item: (options) => options.of,
  hasItemKeys: isKeyed,
  itemTitle: ({ itemTitle, of }) => itemTitle ?? of.type.itemTitle?.(of.options),
  isMany: isIndexed,
  ...COUNTED_BEHAVIOR,
  default: (options) => options.default,
  empty: () => [],
  walk: (value, options, visitor) =>
    (Array.isArray(value) ? value : []).map((item) => visitor.value(options.of, item, '')),
}

function checkIndex(options: ListOptions, place: FieldPlace, report: FaultReport): void {
  if (isRecord(options.of?.options) && options.of.options.counted === true)
    report.add(
      `${place.path}.of.counted`,
      'is not allowed on an item. Write counted: true among the options of the list',
    )
  if (options.counted && findItemScalar(options) === undefined)
    report.add(
      `${place.path}.counted`,
      'is not allowed, because only lists of texts, numbers, dates, selects and the like are counted. Leave it out',
    )
  if (isIndexed(options) && getMaxItems(options) > MAX_ITEMS)
    report.add(`${place.path}.max`, `must be at most ${MAX_ITEMS}, unless the list has index: false`)
}

type Listed<Of> = {
  readonly of: Of
  readonly '~filled'?: true
}

/**
 * A list of values of one field type, `[]` if empty. Items that are groups have a `_key`, which the service makes and writes keep.
 *
 * @param of the field of an item
 */
export function listField<
  Item,
  OfOptions extends object,
  Write,
  const O extends ListFieldOptions = Record<never, never>,
>(
  of: Field<Item, OfOptions, Write>,
  options?: Exactly<O, ListFieldOptions<KeyedItem<Item, OfOptions>>>,
): Field<
  readonly KeyedItem<InnerItem<Item, OfOptions, O>, OfOptions>[],
  NoInfer<O> & Listed<Field<Item, OfOptions, Write>>,
  readonly WrittenItem<Write, OfOptions>[]
> {
  return makeField(list, { ...options, of } as unknown as O & Listed<Field<Item, OfOptions, Write>>)
}
