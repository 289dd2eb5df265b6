import { isInterface, type Option, optionsOf } from './options.ts'
import type { Sources } from './source.ts'
import { proseOfDoc, type Target, table } from './table.ts'
import { namesIn, printType } from './types.ts'

/** What a table is made with: the code, the page, and a place for what the code does not say. */
export interface Generation {
  readonly sources: Sources
  readonly target: Target
  /** Called for each thing without words of its own. */
  undocumented(what: string): void
}

/** The head of every table of options. */
export const HEAD: readonly string[] = ['option', 'type', 'default', 'meaning']

/** The rows of options; each needs words of its own. */
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

/** A default as it is written in a config. */
const printDefault = (text = ''): string => (/^'.*'$/.test(text) ? `\`${text}\`` : text)

/** The table of the options that one interface declares itself. */
export function optionTable(name: string, generation: Generation): string {
  const own = optionsOf(name, generation.sources).filter(({ owner }) => owner === name)
  return table(HEAD, optionRows(own, generation))
}

/** The folder whose interfaces are parts of the config. */
const CONFIG = 'packages/daybook/src/config'

/** The options of a config by where they stand, as `locales.default`. */
export function configPaths(sources: Sources): readonly Option[] {
  return optionsAt('DaybookConfig', '', sources)
}

function optionsAt(name: string, before: string, sources: Sources): readonly Option[] {
  const own = sources.below(CONFIG)
  return optionsOf(name, sources).flatMap((option) => {
    const path = `${before}${option.name}`
    const inner = namesIn(option.type).filter((part) => isInterface(part.name, own))
    return [{ ...option, name: path }, ...inner.flatMap((part) => optionsAt(part.name, path + part.link, sources))]
  })
}

/** The table of all options of a config. */
export function configTable(generation: Generation): string {
  return table(HEAD, optionRows(configPaths(generation.sources), generation))
}
