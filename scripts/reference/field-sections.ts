import type { Function as FunctionNode, ParamPattern, Span, TSType } from 'oxc-parser'
import { type Generation, HEAD, optionRows } from './option-tables.ts'
import { isInterface, type Option, optionsOf } from './options.ts'
import type { Source } from './source.ts'
import { proseOfDoc, table } from './table.ts'
import type { Tsdoc } from './tsdoc.ts'
import { printType } from './types.ts'

/** The interfaces of options that many types share, with the sections that describe them. */
const SHARED: Readonly<Record<string, string>> = {
  CommonOptions: '[every field](#every-field)',
  ScalarOptions: '[fields with one value](#fields-with-one-value)',
}

/** The declaration of a builder of `f`. */
interface Builder {
  readonly name: string
  readonly source: Source
  /** The overload that names all parameters. */
  readonly node: FunctionNode
  readonly doc: Tsdoc
  readonly options: readonly Option[]
}

/** The sections of all field types, in the order of `f`. */
export function fieldSections(generation: Generation): string {
  return findBuilders(generation)
    .map((builder) => makeSection(builder, generation))
    .join('\n\n')
}

function findBuilders({ sources }: Generation): readonly Builder[] {
  return optionsOf('FieldBuilders', sources).map(({ name, type }) => {
    const functionName = type.type === 'TSTypeQuery' && type.exprName.type === 'Identifier' ? type.exprName.name : ''
    const declared = sources.find(functionName)
    const functions = declared?.declarations.map(({ node, doc }) => ({ node: node as FunctionNode, doc })) ?? []
    const [first] = functions
    // The overload before the last takes the parameters of all of them.
    const complete = functions.at(functions.length > 1 ? -2 : -1)
    if (!declared || !first || !complete) throw new Error(`f.${name} is made by no function that the sources declare.`)
    const names = functions.flatMap(({ node }) => declared.source.textOf(node).match(/\b\w+Options\b/g) ?? [])
    const specific = names.find((option) => !(option in SHARED) && isDeclared(option, sources))
    const options = specific ? optionsOf(specific, sources) : []
    return { name, source: declared.source, node: complete.node, doc: first.doc, options }
  })
}

const isDeclared = (name: string, sources: Generation['sources']): boolean =>
  isInterface(name, sources) || sources.find(name)?.declarations[0]?.node.type === 'TSTypeAliasDeclaration'

/** The parameters before the options. */
function findArguments(
  { params }: FunctionNode,
  source: Source,
): readonly { readonly name: string; readonly node: ParamPattern }[] {
  return params.map((node) => ({ name: getName(node, source), node })).filter(({ name }) => name !== 'options')
}

const getName = (node: ParamPattern, source: Source): string => /^\w+/.exec(source.textOf(node))?.[0] ?? ''

function makeSection({ name, source, node, doc, options }: Builder, generation: Generation): string {
  if (doc.text === '') generation.undocumented(`the field type f.${name}()`)
  const params = node.params.map((param) => getName(param, source) + (/^\w+\?/.test(source.textOf(param)) ? '?' : ''))
  const specific = options.filter(({ owner }) => !(owner in SHARED))
  const rows = [
    ...findArguments(node, source).map((argument) => argumentRow(argument, { name, node, doc }, generation)),
    ...optionRows(specific, generation),
    ...sharedRow(options),
  ]
  const text = [`### \`f.${name}(${params.join(', ')})\``, proseOfDoc(doc, generation.target), table(HEAD, rows)]
  return text.join('\n\n')
}

function argumentRow(
  argument: { readonly name: string; readonly node: ParamPattern },
  { name, node, doc }: Pick<Builder, 'name' | 'node' | 'doc'>,
  { sources, undocumented }: Generation,
): readonly string[] {
  const words = doc.params.get(argument.name)
  if (words === undefined) undocumented(`the argument "${argument.name}" of f.${name}()`)
  const type = findType(argument.node, node)
  return [
    `\`${argument.name}\``,
    type ? printType(type, sources) : 'object',
    'needed',
    `First argument: ${words ?? ''}.`,
  ]
}

/** The type of a parameter; of a generic one, the constraint. */
function findType(parameter: ParamPattern, { typeParameters }: FunctionNode): TSType | undefined {
  const { typeAnnotation: annotation } = parameter as Span & {
    readonly typeAnnotation?: { readonly typeAnnotation: TSType }
  }
  const type = annotation?.typeAnnotation
  if (type?.type !== 'TSTypeReference' || type.typeName.type !== 'Identifier') return type
  const { name } = type.typeName
  return typeParameters?.params.find((param) => param.name.name === name)?.constraint ?? type
}

/** The row that refers to the sections of shared options. */
function sharedRow(options: readonly Option[]): readonly (readonly string[])[] {
  const shared = options.filter(({ owner }) => owner in SHARED)
  if (shared.length === 0) return []
  const order = Object.keys(SHARED)
  const sorted = order.flatMap((owner) => shared.filter((option) => option.owner === owner))
  const sections = order
    .filter((owner) => shared.some((option) => option.owner === owner))
    .map((owner) => SHARED[owner])
  return [[sorted.map(({ name }) => `\`${name}\``).join(', '), '', '', `See ${sections.join(' and ')}.`]]
}
