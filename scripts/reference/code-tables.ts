import type { TSType } from 'oxc-parser'
import { ERRORS, type ErrorCode } from '../../packages/daybook/src/errors.ts'
import { Metrics } from '../../packages/daybook/src/metrics/metrics.ts'
import { MEMBER_OPERATORS, type NamedOperator, TEXT_OPERATORS } from '../../packages/daybook/src/query/operators.ts'
import type { Generation } from './option-tables.ts'
import { optionsOf } from './options.ts'
import { proseOfDoc, table } from './table.ts'

const FILE = 'packages/daybook/src/errors.ts'

/** The table of error codes, with statuses and doc comments. */
export function errorTable({ sources, target, undocumented }: Generation): string {
  const source = sources.all.find(({ file }) => file === FILE)
  if (!source) throw new Error(`${FILE} does not exist.`)
  const properties = source.object('ERRORS').properties.filter((property) => property.type === 'Property')
  const rows = properties.map((property) => {
    const code = source.textOf(property.key) as ErrorCode
    const doc = source.docBefore(property)
    if (doc.text === '') undocumented(`the error ${code}`)
    return [`\`${code}\``, String(ERRORS[code].status), proseOfDoc(doc, target), doc.details ?? '']
  })
  return table(['code', 'status', 'when', 'details'], rows)
}

/** The table of the codes of issues, with their params. Each code and param needs a description. */
export function issueTable({ sources, target, undocumented }: Generation): string {
  const rows = optionsOf('IssueParams', sources).map(({ name, doc, type }) => {
    const params = findMembers(type)
    if (doc.text === '') undocumented(`the issue ${name}`)
    for (const param of params.filter((name) => !doc.params.get(name))) undocumented(`${param} of the issue ${name}`)
    for (const param of doc.params.keys())
      if (!params.includes(param)) throw new Error(`The issue ${name} has no ${param}.`)
    const cells = [...doc.params].map(([param, meaning]) => `\`${param}\`: ${meaning}`)
    return [`\`${name}\``, proseOfDoc(doc, target), cells.join('; ')]
  })
  return table(['code', 'when', 'params'], rows)
}

/** Finds the members of an object type, or of the object types in a union. */
function findMembers(type: TSType): readonly string[] {
  if (type.type === 'TSUnionType') return [...new Set(type.types.flatMap(findMembers))]
  if (type.type !== 'TSTypeLiteral') return []
  return type.members.flatMap((member) =>
    member.type === 'TSPropertySignature' && member.key.type === 'Identifier' ? [member.key.name] : [],
  )
}

/** A source in which every metric has a value. */
const BUSY = {
  statements: () => 1,
  journalSeq: async () => 1,
  poolState: () => ({ total: 2, idle: 1, waiting: 0 }),
  readers: () => [{ name: 'replica', seq: 1 }],
  missingFiles: () => 0,
}

/** The label that the Prometheus client adds to histograms. */
const BUCKET = 'le'

/** The table of all metrics, including those that only some stores have. */
export async function metricTable(): Promise<string> {
  const metrics = new Metrics(BUSY)
  metrics.observe('GET', '/api/posts', 200, 1)
  const snapshot = await metrics.snapshot()
  metrics.close()
  const rows = snapshot.map(({ name, help, values }) => {
    const labels = new Set(values.flatMap((value) => Object.keys(value.labels)).filter((label) => label !== BUCKET))
    return [`\`${name}\``, [...labels].join(', '), help]
  })
  return table(['metric', 'labels', 'meaning'], rows)
}

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
