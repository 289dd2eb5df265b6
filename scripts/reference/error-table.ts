import type { ObjectProperty, TSType } from 'oxc-parser'
import { ERRORS, type ErrorCode } from '../../packages/daybook/src/errors.ts'
import type { Generation } from './option-tables.ts'
import { optionsOf } from './options.ts'
import { proseOfDoc, table } from './table.ts'

const FILE = 'packages/daybook/src/errors.ts'

/** Every code with its status, and what the table in the code says of it. */
export function errorTable({ sources, target, undocumented }: Generation): string {
  const source = sources.all.find(({ file }) => file === FILE)
  if (!source) throw new Error(`${FILE} is not there.`)
  const properties = source.object('ERRORS').properties.filter((one): one is ObjectProperty => one.type === 'Property')
  const rows = properties.map((property) => {
    const code = source.textOf(property.key) as ErrorCode
    const doc = source.docBefore(property)
    if (doc.text === '') undocumented(`the error ${code}`)
    return [`\`${code}\``, String(ERRORS[code].status), proseOfDoc(doc, target), doc.details ?? '']
  })
  return table(['code', 'status', 'when', 'details'], rows)
}

/** Every code of an issue, with its params. A code and each of its params need words of their own. */
export function issueTable({ sources, target, undocumented }: Generation): string {
  const rows = optionsOf('IssueParams', sources).map(({ name, doc, type }) => {
    const params = membersIn(type)
    if (doc.text === '') undocumented(`the issue ${name}`)
    for (const param of params.filter((one) => !doc.params.get(one))) undocumented(`${param} of the issue ${name}`)
    for (const param of doc.params.keys())
      if (!params.includes(param)) throw new Error(`The issue ${name} has no ${param}.`)
    const cells = [...doc.params].map(([param, meaning]) => `\`${param}\`: ${meaning}`)
    return [`\`${name}\``, proseOfDoc(doc, target), cells.join('; ')]
  })
  return table(['code', 'when', 'params'], rows)
}

/** The members of an object type, or of those in a union. */
function membersIn(type: TSType): readonly string[] {
  if (type.type === 'TSUnionType') return [...new Set(type.types.flatMap(membersIn))]
  if (type.type !== 'TSTypeLiteral') return []
  return type.members.flatMap((one) =>
    one.type === 'TSPropertySignature' && one.key.type === 'Identifier' ? [one.key.name] : [],
  )
}
