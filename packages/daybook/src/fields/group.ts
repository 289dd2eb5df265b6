import {
  type CommonOptions,
  type Exactly,
  type Field,
  type Fields,
  type FieldType,
  isRecord,
  makeField,
  walkFields,
} from './field.ts'
import type { FieldValues, WriteValues } from './infer.ts'
import { COMMON_RULES, objectRule } from './option-rules.ts'

export type GroupOptions<Value = unknown> = CommonOptions<Value>

const group: FieldType<GroupOptions & { readonly fields: Fields }> = {
  name: 'group',
  rules: { ...COMMON_RULES, fields: objectRule },
  check: (options, place) => place.checkNested(options.fields, `${place.path}.fields`),
  schema: (options, nest) => nest(options.fields),
  accepts: isRecord,
  inner: (options) => [{ fields: options.fields, path: 'fields' }],
  isGroup: true,
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
): Field<FieldValues<F>, NoInfer<O> & { readonly fields: F }, WriteValues<F>> {
  return makeField(group, { ...options, fields } as unknown as O & { readonly fields: F })
}
