import type { TSType } from 'oxc-parser'
import type { Sources } from './source.ts'

const KEYWORDS: Readonly<Record<string, string>> = {
  TSStringKeyword: 'string',
  TSNumberKeyword: 'number',
  TSBooleanKeyword: 'boolean',
  TSUnknownKeyword: 'any',
  TSFunctionType: 'function',
}

/** Types that readers know by a name of their own. */
const NAMED_TYPES: Readonly<Record<string, string>> = {
  Field: 'field',
  URL: 'URL',
  FieldValidator: 'function',
  EntryValidator: 'function',
  GlobalValidator: 'function',
}

/** A type as a reader of the docs knows it: `string[]`, `'a'` or `'b'`, function, object. */
export function printType(type: TSType, sources: Sources): string {
  const parts = partsOf(type, sources)
  const last = parts.length - 1
  return parts.map((part, index) => (index === 0 ? part : index === last ? ` or ${part}` : `, ${part}`)).join('')
}

function partsOf(type: TSType, sources: Sources): readonly string[] {
  if (type.type === 'TSUnionType') {
    const given = type.types.filter((one) => one.type !== 'TSUndefinedKeyword')
    return [...new Set(given.flatMap((one) => partsOf(one, sources)))]
  }
  if (type.type === 'TSParenthesizedType') return partsOf(type.typeAnnotation, sources)
  if (type.type === 'TSTypeOperator') return partsOf(type.typeAnnotation, sources)
  if (type.type === 'TSArrayType') return [arrayOf(printType(type.elementType, sources))]
  if (type.type === 'TSLiteralType' && type.literal.type === 'Literal') return [printLiteral(type.literal.value)]
  if (type.type === 'TSTypeReference') return partsOfReference(type, sources)
  return [KEYWORDS[type.type] ?? 'object']
}

const printLiteral = (value: unknown): string => (typeof value === 'string' ? `\`'${value}'\`` : `\`${value}\``)

const arrayOf = (item: string): string => (/^\w+$/.test(item) && item !== 'any' ? `${item}[]` : 'array')

function partsOfReference(
  { typeName }: Extract<TSType, { readonly type: 'TSTypeReference' }>,
  sources: Sources,
): readonly string[] {
  const name = typeName.type === 'Identifier' ? typeName.name : ''
  const named = NAMED_TYPES[name]
  if (named !== undefined) return [named]
  const declared = sources.find(name)?.found[0]?.node
  return declared?.type === 'TSTypeAliasDeclaration' ? partsOf(declared.typeAnnotation, sources) : ['object']
}

/** What a type leads to that has a name: in an option, or in each value of an object. */
export interface NamedPart {
  readonly name: string
  /** What stands between the option and the options inside: `.` or `.*.`. */
  readonly link: string
}

/** The names that a type mentions. What functions take and give, and what lists hold, is made and described elsewhere. */
export function namesIn(type: TSType, link = '.'): readonly NamedPart[] {
  if (type.type === 'TSUnionType') return type.types.flatMap((one) => namesIn(one, link))
  if (type.type === 'TSParenthesizedType') return namesIn(type.typeAnnotation, link)
  if (type.type !== 'TSTypeReference' || type.typeName.type !== 'Identifier') return []
  const { name } = type.typeName
  const args = type.typeArguments?.params ?? []
  if (name === 'Readonly' && args[0]) return namesIn(args[0], link)
  if (name === 'Record' && args[1]) return namesIn(args[1], '.*.')
  return [{ name, link }]
}
