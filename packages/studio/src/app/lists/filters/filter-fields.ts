import type { StudioCollection } from '../../model/studio-model.ts'
import { type ListField, listFields } from '../list-fields.ts'

/** The fields that a filter can name: those of the collection, and those of what its relations lead to. */
export function filterFields(
  fields: readonly ListField[],
  collections: ReadonlyMap<string, StudioCollection>,
): readonly ListField[] {
  const through = fields.flatMap((field) => {
    const [to] = field.to
    const target = field.to.length === 1 && to !== undefined ? collections.get(to) : undefined
    if (!target || field.operators.length === 0) return []
    return listFields(target).map((inner) => ({
      ...inner,
      path: `${field.path}.${inner.path}`,
      label: `${field.label} › ${inner.label}`,
    }))
  })
  return [...fields, ...through].filter(({ operators }) => operators.length > 0)
}

/** The operator that people mean most often. */
export const usualOperator = ({ operators, many }: ListField): string =>
  (many ? 'in' : ['contains', 'eq'].find((one) => operators.includes(one))) ?? operators[0] ?? 'exists'

/** Operators that compare with several values. */
export const SEVERAL: ReadonlySet<string> = new Set(['in', 'nin', 'all'])

/** The value that a condition of another kind begins with. */
export const valueAfter = (operator: string): boolean | undefined => (operator === 'exists' ? true : undefined)
