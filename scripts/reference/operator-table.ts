import { MEMBER_OPERATORS, type NamedOperator, TEXT_OPERATORS } from '../../packages/daybook/src/query/operators.ts'
import { table } from './table.ts'

/** The operators of filters, and the fields that have them. */
export function operatorTable(): string {
  const groups = Map.groupBy(TEXT_OPERATORS, ({ isFolded, operator }) => (isFolded ? 'folded' : operator.fields))
  return table(
    ['operators', 'for'],
    [
      [
        namesOf(groups.get('all')),
        'every indexed field; `in` and `nin` take values separated by commas, `exists` takes true or false',
      ],
      [namesOf(groups.get('ordered')), 'texts, numbers, dates and datetimes'],
      [namesOf(groups.get('text')), 'texts'],
      [namesOf(groups.get('folded')), 'texts, with case and accents ignored: `creme` finds `Crème`'],
      [
        namesOf(MEMBER_OPERATORS),
        'fields with `many: true`: `in` finds any of the values, `all` every one of them, `nin` none',
      ],
    ],
  )
}

const namesOf = (operators: readonly NamedOperator[] = []): string =>
  operators.map(({ name }) => `\`${name}\``).join(', ')
