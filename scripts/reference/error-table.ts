import type { ObjectProperty } from 'oxc-parser'
import { ERRORS, type ErrorCode } from '../../packages/daybook/src/errors.ts'
import type { Generation } from './option-tables.ts'
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
