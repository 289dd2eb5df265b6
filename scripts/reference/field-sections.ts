import type { Function as FunctionNode, ParamPattern, Span, TSType } from 'oxc-parser'
import { type Generation, HEAD, optionRows } from './option-tables.ts'
import { isInterface, type Option, optionsOf } from './options.ts'
import type { Source } from './source.ts'
import { proseOfDoc, table } from './table.ts'
import type { Tsdoc } from './tsdoc.ts'
import { printType } from './types.ts'

/** Options that many types share, each with the section that describes them. */
const SHARED: Readonly<Record<string, string>> = {
  CommonOptions: '[every field](#every-field)',
  ScalarOptions: '[fields with one value](#fields-with-one-value)',
}

/** A builder of `f`, as the code declares it. */
interface Builder {
  readonly name: string
  readonly source: Source
  /** The one that names all parameters. */
  readonly node: FunctionNode
  readonly doc: Tsdoc
  /** Of its options. */
  readonly options: readonly Option[]
}

/** The sections of all field types, in the order of `f`. */
export function fieldSections(generation: Generation): string {
  return buildersOf(generation)
    .map((one) => sectionOf(one, generation))
    .join('\n\n')
}

function buildersOf({ sources }: Generation): readonly Builder[] {
  return optionsOf('FieldBuilders', sources).map(({ name, type }) => {
    const made = type.type === 'TSTypeQuery' && type.exprName.type === 'Identifier' ? type.exprName.name : ''
    const known = sources.find(made)
    const functions = known?.found.map(({ node, doc }) => ({ node: node as FunctionNode, doc })) ?? []
    const [first] = functions
    // Of overloads, the one before the last takes what all of them take.
    const whole = functions.at(functions.length > 1 ? -2 : -1)
    if (!known || !first || !whole) throw new Error(`f.${name} is made by no function that the sources declare.`)
    const names = functions.flatMap(({ node }) => known.source.textOf(node).match(/\b\w+Options\b/g) ?? [])
    const own = names.find((one) => !(one in SHARED) && isDeclared(one, sources))
    return { name, source: known.source, node: whole.node, doc: first.doc, options: own ? optionsOf(own, sources) : [] }
  })
}

const isDeclared = (name: string, sources: Generation['sources']): boolean =>
  isInterface(name, sources) || sources.find(name)?.found[0]?.node.type === 'TSTypeAliasDeclaration'

/** The parameters before the options. */
function argumentsOf(
  { params }: FunctionNode,
  source: Source,
): readonly { readonly name: string; readonly node: ParamPattern }[] {
  return params.map((node) => ({ name: nameOf(node, source), node })).filter(({ name }) => name !== 'options')
}

const nameOf = (node: ParamPattern, source: Source): string => /^\w+/.exec(source.textOf(node))?.[0] ?? ''

function sectionOf({ name, source, node, doc, options }: Builder, generation: Generation): string {
  if (doc.text === '') generation.undocumented(`the field type f.${name}()`)
  const taken = node.params.map((one) => nameOf(one, source) + (/^\w+\?/.test(source.textOf(one)) ? '?' : ''))
  const own = options.filter(({ owner }) => !(owner in SHARED))
  const rows = [
    ...argumentsOf(node, source).map((one) => argumentRow(one, { name, node, doc }, generation)),
    ...optionRows(own, generation),
    ...sharedRow(options),
  ]
  const text = [`### \`f.${name}(${taken.join(', ')})\``, proseOfDoc(doc, generation.target), table(HEAD, rows)]
  return text.join('\n\n')
}

function argumentRow(
  argument: { readonly name: string; readonly node: ParamPattern },
  { name, node, doc }: Pick<Builder, 'name' | 'node' | 'doc'>,
  { sources, undocumented }: Generation,
): readonly string[] {
  const words = doc.params.get(argument.name)
  if (words === undefined) undocumented(`the argument "${argument.name}" of f.${name}()`)
  const type = typeOf(argument.node, node)
  return [
    `\`${argument.name}\``,
    type ? printType(type, sources) : 'object',
    'needed',
    `First argument: ${words ?? ''}.`,
  ]
}

/** The type of a parameter; of one that is generic, what the type has to be. */
function typeOf(parameter: ParamPattern, { typeParameters }: FunctionNode): TSType | undefined {
  const { typeAnnotation: annotation } = parameter as Span & {
    readonly typeAnnotation?: { readonly typeAnnotation: TSType }
  }
  const type = annotation?.typeAnnotation
  if (type?.type !== 'TSTypeReference' || type.typeName.type !== 'Identifier') return type
  const { name } = type.typeName
  return typeParameters?.params.find((one) => one.name.name === name)?.constraint ?? type
}

/** One row for what other sections describe. */
function sharedRow(options: readonly Option[]): readonly (readonly string[])[] {
  const shared = options.filter(({ owner }) => owner in SHARED)
  if (shared.length === 0) return []
  const order = Object.keys(SHARED)
  const sorted = order.flatMap((owner) => shared.filter((one) => one.owner === owner))
  const sections = order.filter((owner) => shared.some((one) => one.owner === owner)).map((owner) => SHARED[owner])
  return [[sorted.map(({ name }) => `\`${name}\``).join(', '), '', '', `See ${sections.join(' and ')}.`]]
}
