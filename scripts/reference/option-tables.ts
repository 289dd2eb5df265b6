import { isInterface, type Option, optionsOf } from './options.ts'
import type { Sources } from './source.ts'
import { proseOfDoc, type Target, table } from './table.ts'
import { findNames, printType } from './types.ts'

/** The inputs of a table: the code, the page, and a report of missing descriptions. */
export interface Generation {
  readonly sources: Sources
  readonly target: Target
  /** Called for each name without a description. */
  undocumented(what: string): void
}

export const HEAD: readonly string[] = ['option', 'type', 'default', 'meaning']

/** Makes the rows of options. Each option needs a description. */
export function optionRows(
  options: readonly Option[],
  { sources, target, undocumented }: Generation,
): readonly (readonly string[])[] {
  return options.map(({ name, type, isOptional, doc, owner }) => {
    if (doc.text === '') undocumented(`the option ${name} of ${owner}`)
    const isNeeded = !isOptional && doc.default === undefined
    return [
      `\`${name}\``,
      printType(type, sources),
      isNeeded ? 'needed' : printDefault(doc.default),
      proseOfDoc(doc, target),
    ]
  })
}

/** Prints a default as it is written in a config. */
const printDefault = (text = ''): string => (/^'.*'$/.test(text) ? `\`${text}\`` : text)

/** The table of the options that an interface declares itself, without inherited ones. */
export function optionTable(name: string, generation: Generation): string {
  const options = optionsOf(name, generation.sources).filter(({ owner }) => owner === name)
  return table(HEAD, optionRows(options, generation))
}

/** The folder whose interfaces are parts of the config. */
const CONFIG = 'packages/daybook/src/config'

/** Finds the options of a config by path, such as `locales.default`. */
export function findConfigPaths(sources: Sources): readonly Option[] {
  return findOptions('DaybookConfig', '', sources)
}

function findOptions(name: string, before: string, sources: Sources): readonly Option[] {
  const configSources = sources.below(CONFIG)
  return optionsOf(name, sources).flatMap((option) => {
    const path = `${before}${option.name}`
    const inner = findNames(option.type).filter((part) => isInterface(part.name, configSources))
    return [{ ...option, name: path }, ...inner.flatMap((part) => findOptions(part.name, path + part.link, sources))]
  })
}

export function configTable(generation: Generation): string {
  return table(HEAD, optionRows(findConfigPaths(generation.sources), generation))
}
