import type { ObjectExpression, ObjectProperty } from 'oxc-parser'
import { HELP } from '../../packages/daybook/src/cli/usage.ts'
import type { Generation } from './option-tables.ts'
import type { Source } from './source.ts'
import { proseOfDoc, table } from './table.ts'

/** The commands, as `daybook --help` lists them. */
export function commandTable(): string {
  const lines = (HELP.split('\n\n')[1] ?? '').split('\n')
  // Where the longest command ends, its purpose follows at once: all purposes start in one column.
  const column = /^ *\S+(?: \S+)* {2,}(?=\S)/.exec(lines[0] ?? '')?.[0].length ?? 0
  const rows = lines.map((line) => [`\`${line.slice(0, column).trim()}\``, line.slice(column)])
  return table(['command', 'purpose'], rows)
}

/**
 * The options that a command declares.
 *
 * @param words the file, and the name of the constant in it; more of them come after
 */
export function flagTable(words: readonly string[], generation: Generation): string {
  const pairs = Array.from({ length: words.length / 2 }, (_, index) => words.slice(2 * index, 2 * index + 2))
  const rows = pairs.flatMap(([file = '', name = '']) => {
    const source = sourceAt(file, generation)
    return flagRows(source, source.object(name), generation)
  })
  return table(['option', 'default', 'meaning'], rows)
}

/**
 * The actions of a command that has several.
 *
 * @param words the command, the file, and the name of the constant in it
 */
export function actionTable([command = '', file = '', name = '']: readonly string[], generation: Generation): string {
  const { target, undocumented } = generation
  const source = sourceAt(file, generation)
  const rows = propertiesOf(source.object(name)).map((property) => {
    const action = source.textOf(property.key)
    const doc = source.docBefore(property)
    if (doc.text === '') undocumented(`the action ${action} of daybook ${command}`)
    return [`\`${['daybook', command, action, ...doc.params.keys()].join(' ')}\``, proseOfDoc(doc, target)]
  })
  return table(['command', 'purpose'], rows)
}

function sourceAt(file: string, { sources }: Generation): Source {
  const source = sources.all.find((one) => one.file.endsWith(`/${file}`))
  if (!source) throw new Error(`There is no file ${file}.`)
  return source
}

const propertiesOf = ({ properties }: ObjectExpression): readonly ObjectProperty[] =>
  properties.filter((one): one is ObjectProperty => one.type === 'Property')

function flagRows(
  source: Source,
  declared: ObjectExpression,
  { target, undocumented }: Generation,
): readonly (readonly string[])[] {
  return propertiesOf(declared).map((property) => {
    const name = source.textOf(property.key).replaceAll("'", '')
    const doc = source.docBefore(property)
    if (doc.text === '') undocumented(`the flag --${name} of ${source.file}`)
    const value = /type: 'string'/.test(source.textOf(property.value)) ? ` ${valueName(name)}` : ''
    const isRepeated = /multiple: true/.test(source.textOf(property.value))
    const meaning = proseOfDoc(
      { ...doc, text: isRepeated ? `${doc.text} May stand more than once.` : doc.text },
      target,
    )
    return [`\`--${name}${value}\``, doc.default ?? '', meaning]
  })
}

/** What `daybook --help` calls the value of a flag. */
function valueName(name: string): string {
  const value = new RegExp(`^ {2}--${name} ([A-Z=]+)`, 'm').exec(HELP)?.[1]
  if (value === undefined) throw new Error(`daybook --help does not say what --${name} takes.`)
  return value
}
