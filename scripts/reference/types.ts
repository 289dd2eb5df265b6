import type { TSType } from 'oxc-parser'
import type { Sources } from './source.ts'

const KEYWORDS: Readonly<Record<string, string>> = {
  TSStringKeyword: 'string',
  TSNumberKeyword: 'number',
  TSBooleanKeyword: 'boolean',
  TSUnknownKeyword: 'any',
  TSFunctionType: 'function',
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
  if (type.type === 'TSLiteralType' && type.literal.type === 'Literal') return [`\`'${type.literal.value}'\``]
  if (type.type === 'TSTypeReference') return partsOfReference(type, sources)
  return [KEYWORDS[type.type] ?? 'object']
}

const arrayOf = (item: string): string => (/^\w+$/.test(item) && item !== 'any' ? `${item}[]` : 'array')

function partsOfReference(
  { typeName }: Extract<TSType, { readonly type: 'TSTypeReference' }>,
  sources: Sources,
): readonly string[] {
  if (typeName.type === 'Identifier' && typeName.name === 'Field') return ['field']
  const declared = typeName.type === 'Identifier' ? sources.find(typeName.name)?.found[0]?.node : undefined
  return declared?.type === 'TSTypeAliasDeclaration' ? partsOf(declared.typeAnnotation, sources) : ['object']
}

/** What a type leads to that has a name: in an option, in each one of a list, or in each value of an object. */
export interface NamedPart {
  readonly name: string
  /** What stands between the option and the options inside: `.`, `[].` or `.*.`. */
  readonly link: string
}

/** The names that a type mentions; what functions take and give is their own business. */
export function namesIn(type: TSType, link = '.'): readonly NamedPart[] {
  if (type.type === 'TSUnionType') return type.types.flatMap((one) => namesIn(one, link))
  if (type.type === 'TSParenthesizedType' || type.type === 'TSTypeOperator') return namesIn(type.typeAnnotation, link)
  if (type.type === 'TSArrayType') return namesIn(type.elementType, '[].')
  if (type.type !== 'TSTypeReference' || type.typeName.type !== 'Identifier') return []
  const { name } = type.typeName
  const args = type.typeArguments?.params ?? []
  if (name === 'Readonly' && args[0]) return namesIn(args[0], link)
  if (name === 'Record' && args[1]) return namesIn(args[1], '.*.')
  return [{ name, link }]
}
