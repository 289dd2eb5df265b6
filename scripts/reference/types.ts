import type { TSType } from 'oxc-parser'
import type { Sources } from './source.ts'

const KEYWORDS: Readonly<Record<string, string>> = {
  TSStringKeyword: 'string',
  TSNumberKeyword: 'number',
  TSBooleanKeyword: 'boolean',
  TSUnknownKeyword: 'any',
  TSFunctionType: 'function',
}

/** Types that the docs call by another name. */
const NAMED_TYPES: Readonly<Record<string, string>> = {
  Field: 'field',
  URL: 'URL',
  FieldValidator: 'function',
  EntryValidator: 'function',
  GlobalValidator: 'function',
}

/** Prints a type for the docs: `string[]`, `'a'` or `'b'`, function, object. */
export function printType(type: TSType, sources: Sources): string {
  const parts = printParts(type, sources)
  const last = parts.length - 1
  return parts.map((part, index) => (index === 0 ? part : index === last ? ` or ${part}` : `, ${part}`)).join('')
}

function printParts(type: TSType, sources: Sources): readonly string[] {
  if (type.type === 'TSUnionType') {
    const members = type.types.filter((member) => member.type !== 'TSUndefinedKeyword')
    return [...new Set(members.flatMap((member) => printParts(member, sources)))]
  }
  if (type.type === 'TSParenthesizedType') return printParts(type.typeAnnotation, sources)
  if (type.type === 'TSTypeOperator') return printParts(type.typeAnnotation, sources)
  if (type.type === 'TSArrayType') return [arrayOf(printType(type.elementType, sources))]
  if (type.type === 'TSLiteralType' && type.literal.type === 'Literal') return [printLiteral(type.literal.value)]
  if (type.type === 'TSTypeReference') return printReference(type, sources)
  return [KEYWORDS[type.type] ?? 'object']
}

const printLiteral = (value: unknown): string => (typeof value === 'string' ? `\`'${value}'\`` : `\`${value}\``)

const arrayOf = (item: string): string => (/^\w+$/.test(item) && item !== 'any' ? `${item}[]` : 'array')

function printReference(
  { typeName }: Extract<TSType, { readonly type: 'TSTypeReference' }>,
  sources: Sources,
): readonly string[] {
  const name = typeName.type === 'Identifier' ? typeName.name : ''
  const named = NAMED_TYPES[name]
  if (named !== undefined) return [named]
  const declared = sources.find(name)?.declarations[0]?.node
  return declared?.type === 'TSTypeAliasDeclaration' ? printParts(declared.typeAnnotation, sources) : ['object']
}

/** A named type that an option refers to, itself or as the value of an object. */
export interface NamedPart {
  readonly name: string
  /** The text between the option and the options inside: `.` or `.*.`. */
  readonly link: string
}

/** Finds the named types in a type, apart from those of functions and lists, which are described elsewhere. */
export function findNames(type: TSType, link = '.'): readonly NamedPart[] {
  if (type.type === 'TSUnionType') return type.types.flatMap((member) => findNames(member, link))
  if (type.type === 'TSParenthesizedType') return findNames(type.typeAnnotation, link)
  if (type.type !== 'TSTypeReference' || type.typeName.type !== 'Identifier') return []
  const { name } = type.typeName
  const args = type.typeArguments?.params ?? []
  if (name === 'Readonly' && args[0]) return findNames(args[0], link)
  if (name === 'Record' && args[1]) return findNames(args[1], '.*.')
  return [{ name, link }]
}
