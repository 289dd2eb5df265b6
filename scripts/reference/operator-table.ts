import { MEMBER_OPERATORS, type NamedOperator, TEXT_OPERATORS } from '../../packages/daybook/src/query/operators.ts'
import { table } from './table.ts'

/** The table of the operators of filters, with the fields that have them. */
export function operatorTable(): string {
  const groups = Map.groupBy(TEXT_OPERATORS, ({ isFolded, operator }) => (isFolded ? 'folded' : operator.fields))
  return table(
    ['operators', 'for'],
    [
      [
        printNames(groups.get('all')),
        'every indexed field; `in` and `nin` take values separated by commas, `exists` takes true or false',
      ],
      [printNames(groups.get('ordered')), 'texts, numbers, dates and datetimes'],
      [printNames(groups.get('text')), 'texts'],
      [printNames(groups.get('folded')), 'texts, with case and accents ignored: `creme` finds `Crème`'],
      [
        printNames(MEMBER_OPERATORS),
        'fields with `many: true`: `in` finds any of the values, `all` every one of them, `nin` none',
      ],
    ],
  )
}

const printNames = (operators: readonly NamedOperator[] = []): string =>
  operators.map(({ name }) => `\`${name}\``).join(', ')
