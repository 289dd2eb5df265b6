import type { CommonOptions, DefaultRule, Exactly, Field, FieldType } from './field.ts'
import { makeField } from './field.ts'
import { aCount, aDefault, COMMON_RULES } from './rules.ts'

export interface ListFieldOptions extends CommonOptions {
  /** The fewest items. @default 0 */
  readonly min?: number
  /** The most items. @default 1,000 */
  readonly max?: number
  /** What a new document gets that names no value; or a function that makes it. @default an empty list @see docs/modelling-content.md#defaults-that-a-function-makes */
  readonly default?: readonly unknown[] | DefaultRule<readonly unknown[]>
}

const DEFAULT_MAX_ITEMS = 1000

const list: FieldType<ListFieldOptions & { readonly of: Field }> = {
  name: 'list',
  rules: { ...COMMON_RULES, of: () => undefined, min: aCount, max: aCount, default: aDefault },
  check(options, place, report) {
    if (options.of?.type?.generated?.('of', options.of.options)) {
      report.add(
        `${place.path}.of`,
        'put it into a group, as f.list(f.group({ body: f.markdown() })), or say html: false',
      )
    }
    place.checkNested({ of: options.of }, place.path)
  },
  schema: (options, nest) => ({
    type: 'array',
    items: options.of.type.schema(options.of.options, nest),
    ...(options.min === undefined ? {} : { minItems: options.min }),
    maxItems: options.max ?? DEFAULT_MAX_ITEMS,
  }),
  accepts: (value, { of }) => Array.isArray(value) && value.every((item) => of.type.accepts(item, of.options)),
  item: (options) => options.of,
  default: (options) => options.default,
  empty: () => [],
  walk: (value, options, visitor) =>
    (Array.isArray(value) ? value : []).map((item) => visitor.value(options.of, item, '')),
}

type Listed<Of> = {
  readonly of: Of
  readonly '~filled'?: true
}

/**
 * Values of one kind, in order. An empty one is `[]`.
 *
 * @param of what an item is
 */
export function listField<
  Item,
  OfOptions extends object,
  Write,
  const O extends ListFieldOptions = Record<never, never>,
>(
  of: Field<Item, OfOptions, Write>,
  options?: Exactly<O, ListFieldOptions>,
): Field<readonly Item[], NoInfer<O> & Listed<Field<Item, OfOptions, Write>>, readonly Write[]> {
  return makeField(list, { ...options, of } as unknown as O & Listed<Field<Item, OfOptions, Write>>)
}
