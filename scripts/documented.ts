import { glob, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { CliCommand } from '../packages/daybook/src/cli/command.ts'
import { checkConfig } from '../packages/daybook/src/config/check-config.ts'
import { PLUGIN_PARTS } from '../packages/daybook/src/config/check-plugins.ts'
import type { Field } from '../packages/daybook/src/fields/field.ts'
import { f } from '../packages/daybook/src/fields/index.ts'
import { ROUTE_PARTS } from '../packages/daybook/src/plugin-host/route-checks.ts'
import { listLeaves } from './reference/cli-tables.ts'

const SOURCES = fileURLToPath(new URL('../packages/daybook/src', import.meta.url))

/** Makes a field; none looks at what it is given before the config is checked. */
export type FieldBuilder = (argument: never) => Field

export const FIELD_BUILDERS: Readonly<Record<string, FieldBuilder>> = f as unknown as Record<string, FieldBuilder>

/** The options of field types, by the names of their builders. */
export function fieldOptions(builders: Readonly<Record<string, FieldBuilder>>): ReadonlyMap<string, readonly string[]> {
  return new Map(Object.entries(builders).map(([name, build]) => [name, Object.keys(build({} as never).type.rules)]))
}

const NONE = 'daybookHasNoSuchOption'
const nothing = { [NONE]: 1 }
const document = { ...nothing, fields: { a: f.text() }, access: nothing, people: nothing }

/** A config with an unknown option in each of its objects: the faults name the known ones. */
const PROBE = {
  ...nothing,
  collections: { a: document },
  globals: { a: document },
  locales: { ...nothing, default: 'en', available: ['en'] },
  auth: nothing,
  cors: { ...nothing, origins: [] },
  cdn: nothing,
  docs: nothing,
  assets: { ...nothing, images: nothing, quota: nothing, access: nothing },
  limits: nothing,
  history: nothing,
  markdown: { ...nothing, allowHtml: nothing },
}

/** The options of a config by where they stand, as `locales.default`; `*` is a collection's or a global's key. */
export function configOptions(): readonly string[] {
  return checkConfig(PROBE).flatMap(({ path, message }) => {
    if (!path.endsWith(NONE)) return []
    const place = path.slice(0, -NONE.length).replace(/^(collections|globals)\.a\./, '$1.*.')
    const [, options = ''] = /one of: (.*)$/.exec(message) ?? []
    return options.split(', ').map((option) => `${place}${option}`)
  })
}

/** The parts of a plugin, and those of its routes. */
export const PLUGIN_OPTIONS: readonly string[] = PLUGIN_PARTS
export const ROUTE_OPTIONS: readonly string[] = ROUTE_PARTS

async function readSources(folder: string): Promise<string> {
  const texts: string[] = []
  for await (const path of glob('**/*.ts', { cwd: folder })) texts.push(await readFile(`${folder}/${path}`, 'utf8'))
  return texts.join('\n')
}

const all = (text: string, pattern: RegExp): readonly string[] => [
  ...new Set([...text.matchAll(pattern)].map(([whole, part]) => part ?? whole)),
]

export function cliFlags(program: CliCommand): readonly string[] {
  const flags = [program, ...listLeaves(program)].flatMap(({ options }) => options.flatMap(({ long }) => long ?? []))
  return [...new Set(['--help', ...flags])]
}

export const cliCommands = ({ commands }: CliCommand): readonly string[] => commands.map((command) => command.name())

/** Every environment variable that the code reads. */
export async function variables(): Promise<readonly string[]> {
  return all(await readSources(SOURCES), /process\.env\.([A-Z][A-Z0-9_]*)/g)
}
