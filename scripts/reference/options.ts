import type { TSInterfaceDeclaration, TSInterfaceHeritage, TSPropertySignature, TSType } from 'oxc-parser'
import type { Source, Sources } from './source.ts'
import type { Tsdoc } from './tsdoc.ts'

export interface Option {
  readonly name: string
  readonly doc: Tsdoc
  readonly type: TSType
  readonly isOptional: boolean
  /** The interface that declares it. */
  readonly owner: string
}

/**
 * Reads the options of an interface or of an alias of one: its declared options first, then the inherited ones.
 *
 * @throws {Error} if the name is no interface
 */
export function optionsOf(name: string, sources: Sources): readonly Option[] {
  const { source, node } = findInterface(name, sources)
  const declared = node.body.body.flatMap((member) =>
    member.type === 'TSPropertySignature' ? [toOption(member, source, node)] : [],
  )
  return [...declared, ...node.extends.flatMap((heritage) => readInherited(heritage, source, sources))]
}

export function isInterface(name: string, sources: Sources): boolean {
  return sources.find(name)?.declarations[0]?.node.type === 'TSInterfaceDeclaration'
}

function findInterface(
  name: string,
  sources: Sources,
): { readonly source: Source; readonly node: TSInterfaceDeclaration } {
  const declared = sources.find(name)
  const node = declared?.declarations[0]?.node
  if (declared && node?.type === 'TSInterfaceDeclaration') return { source: declared.source, node }
  const alias = node?.type === 'TSTypeAliasDeclaration' ? node.typeAnnotation : undefined
  if (alias?.type === 'TSTypeReference' && alias.typeName.type === 'Identifier')
    return findInterface(alias.typeName.name, sources)
  throw new Error(`There is no interface ${name}.`)
}

function toOption(node: TSPropertySignature, source: Source, { id }: TSInterfaceDeclaration): Option {
  const name = source.textOf(node.key)
  if (!node.typeAnnotation) throw new Error(`${source.file}: ${id.name}.${name} has no type.`)
  return {
    name,
    doc: source.docBefore(node),
    type: node.typeAnnotation.typeAnnotation,
    isOptional: node.optional,
    owner: id.name,
  }
}

/** Reads the options of `extends Base`, `extends Omit<Base, 'a'>` or `extends Pick<Base, 'a'>`. */
function readInherited(heritage: TSInterfaceHeritage, source: Source, sources: Sources): readonly Option[] {
  const name = source.textOf(heritage.expression)
  if (name !== 'Omit' && name !== 'Pick') return optionsOf(name, sources)
  const [base, keys] = heritage.typeArguments?.params ?? []
  if (!base || !keys) throw new Error(`${source.file}: ${name} takes two types.`)
  const named = findLiterals(keys)
  return optionsOf(getTypeName(base, source), sources).filter(
    (option) => named.includes(option.name) === (name === 'Pick'),
  )
}

/** The name of a type without its arguments: `Base` of `Base<string>`. */
const getTypeName = (type: TSType, source: Source): string =>
  source.textOf(type.type === 'TSTypeReference' ? type.typeName : type)

function findLiterals(type: TSType): readonly string[] {
  if (type.type === 'TSUnionType') return type.types.flatMap(findLiterals)
  return type.type === 'TSLiteralType' && type.literal.type === 'Literal' ? [String(type.literal.value)] : []
}
