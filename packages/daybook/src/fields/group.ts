import {
  type CommonOptions,
  type Exactly,
  type Field,
  type Fields,
  type FieldType,
  isRecord,
  makeField,
  type OptionRule,
  walkFields,
} from './field.ts'
import type { FieldValues, InnerValues, WriteValues } from './infer.ts'
import { checkItemTitle } from './item-title.ts'
import { COMMON_RULES, objectRule, titlePathRule } from './option-rules.ts'

export interface GroupOptions<Value = unknown> extends CommonOptions<Value> {
  /**
   * The key of the field whose value titles the group in a folded list or block, such as `'name'`, or a path inside it, such as
   * `'person.name'`. @default the first text with a value @see docs/guides/modelling-content.md#name-things-for-people
   */
  readonly itemTitle?: string
  /**
   * The form of the group in the Studio: a section that is always open, one that is closed at first, or a row of fields side by side.
   * @default 'section'
   */
  readonly layout?: 'section' | 'collapsed' | 'row'
}

const layoutRule: OptionRule = (value) =>
  ['section', 'collapsed', 'row'].includes(String(value)) ? undefined : 'must be "section", "collapsed" or "row"'

const group: FieldType<GroupOptions & { readonly fields: Fields }> = {
  name: 'group',
  rules: { ...COMMON_RULES, itemTitle: titlePathRule, layout: layoutRule, fields: objectRule },
  check(options, place, report) {
    place.checkNested(options.fields, `${place.path}.fields`)
    checkItemTitle(options.itemTitle, options.fields, place.path, report)
  },
  schema: (options, nest) => nest(options.fields),
  accepts: isRecord,
  inner: (options) => [{ fields: options.fields, path: 'fields' }],
  isGroup: true,
  itemTitle: ({ itemTitle }) => itemTitle,
  layout: ({ layout }) => (layout === 'section' ? undefined : layout),
  walk: (value, options, visitor) => walkFields(options.fields, isRecord(value) ? value : {}, visitor),
}

/**
 * An object of fields that belong together.
 *
 * @param fields the fields by key
 */
export function groupField<const F extends Fields, const O extends GroupOptions = Record<never, never>>(
  fields: F,
  options?: Exactly<O, GroupOptions<FieldValues<F>>>,
): Field<InnerValues<F, O>, NoInfer<O> & { readonly fields: F }, WriteValues<F>> {
  return makeField(group, { ...options, fields } as unknown as O & { readonly fields: F })
}
