import type { TSInterfaceDeclaration, TSInterfaceHeritage, TSPropertySignature, TSType } from 'oxc-parser'
import type { Source, Sources } from './source.ts'
import type { Tsdoc } from './tsdoc.ts'

/** One option of an interface of options. */
export interface Option {
  readonly name: string
  readonly doc: Tsdoc
  readonly type: TSType
  readonly isOptional: boolean
  /** The interface that declares it. */
  readonly owner: string
}

/**
 * The options of an interface, or of the one that an alias stands for: its own first, then those that it extends.
 *
 * @throws {Error} when there is none of this name
 */
export function optionsOf(name: string, sources: Sources): readonly Option[] {
  const { source, node } = findInterface(name, sources)
  const own = node.body.body.flatMap((one) => (one.type === 'TSPropertySignature' ? [toOption(one, source, node)] : []))
  return [...own, ...node.extends.flatMap((one) => inherited(one, source, sources))]
}

/** Whether options can be read of a name. */
export function isInterface(name: string, sources: Sources): boolean {
  return sources.find(name)?.found[0]?.node.type === 'TSInterfaceDeclaration'
}

function findInterface(
  name: string,
  sources: Sources,
): { readonly source: Source; readonly node: TSInterfaceDeclaration } {
  const known = sources.find(name)
  const node = known?.found[0]?.node
  if (known && node?.type === 'TSInterfaceDeclaration') return { source: known.source, node }
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

/** `extends Base`, `extends Omit<Base, 'a'>` and `extends Pick<Base, 'a'>`. */
function inherited(heritage: TSInterfaceHeritage, source: Source, sources: Sources): readonly Option[] {
  const name = source.textOf(heritage.expression)
  if (name !== 'Omit' && name !== 'Pick') return optionsOf(name, sources)
  const [base, keys] = heritage.typeArguments?.params ?? []
  if (!base || !keys) throw new Error(`${source.file}: ${name} takes two types.`)
  const named = literalsIn(keys)
  return optionsOf(nameOf(base, source), sources).filter((one) => named.includes(one.name) === (name === 'Pick'))
}

/** The name of a type, without what it takes: `Base` of `Base<string>`. */
const nameOf = (type: TSType, source: Source): string =>
  source.textOf(type.type === 'TSTypeReference' ? type.typeName : type)

function literalsIn(type: TSType): readonly string[] {
  if (type.type === 'TSUnionType') return type.types.flatMap(literalsIn)
  return type.type === 'TSLiteralType' && type.literal.type === 'Literal' ? [String(type.literal.value)] : []
}
