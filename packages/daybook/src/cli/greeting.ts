import { relative, sep } from 'node:path'
import type { DaybookConfig } from '../config/config.ts'
import { getDocsPath } from '../config/docs.ts'
import type { JsonSchema } from '../fields/field.ts'
import { makeExample } from '../http/openapi/examples.ts'
import type { CollectionModel, Model } from '../model/model.ts'

/** The facts about a service that has started. */
export interface Greeting {
  /** Where it listens. */
  readonly url: string
  readonly config: DaybookConfig
  readonly model: Model
  /** The data folder. */
  readonly data: string
  readonly hasServiceToken: boolean
  /** The path of the `.env` beside the config. */
  readonly envFile: string
  /** Whether it is there. */
  readonly hasEnvFile: boolean
  /** What the service warned of at its start. */
  readonly warnings: readonly string[]
}

/** The first words of a service in a terminal: where it is, how to write, and what to change before other people use it. */
export function greetingText(greeting: Greeting): string {
  const sections = [placesOf(greeting), firstWrite(greeting), risksOf(greeting)].filter(({ length }) => length > 0)
  return `\n${sections.map((lines) => `${lines.join('\n')}\n`).join('\n')}\n`
}

function placesOf({ url, config, model }: Greeting): readonly string[] {
  const docs = getDocsPath(config)
  const [collection] = model.collections.keys()
  return [
    `  API        ${reachable(url)}/api/${collection}`,
    ...(docs === undefined ? [] : [`  Docs page  ${reachable(url)}${docs}`]),
  ]
}

/** An address that a browser on this machine can open. */
const reachable = (url: string): string => url.replace(/\/\/(?:0\.0\.0\.0|\[::\]):/, '//localhost:')

/** The commands for the first write; none where no collection has an entry that stands alone. */
function firstWrite({ url, model, hasServiceToken, envFile, hasEnvFile }: Greeting): readonly string[] {
  const [write] = [...model.collections.values()].flatMap(writesTo)
  if (!write) return []
  const file = shellPath(envFile)
  const makeToken = `  echo "DAYBOOK_SERVICE_TOKEN=$(openssl rand -hex 32)" >> ${file}`
  return [
    ...(hasServiceToken ? [] : ['Writing takes a token. Make one, and start the service again:', makeToken, '']),
    'Write from a second terminal:',
    ...(hasServiceToken && !hasEnvFile ? [] : [`  . ${file}`]),
    `  curl -X POST ${reachable(url)}/api/${write.collection} \\`,
    '    -H "Authorization: Bearer $DAYBOOK_SERVICE_TOKEN" -H "Content-Type: application/json" \\',
    `    -d ${quoted(write.json)}`,
  ]
}

/** An entry with no more than it must have, as JSON; nothing where that takes another entry, or a value of no known form. */
function writesTo(collection: CollectionModel): readonly { readonly collection: string; readonly json: string }[] {
  const { key, schemas, relations } = collection
  const { properties = {}, required = [] } = schemas.create as CreateSchema
  const related = [...relations.keys()].map((path) => path.split('.')[0])
  const needed = required.length > 0 ? required : namesOf(collection)
  const values = needed.map((name) => [name, makeExample(properties[name] ?? {}, name)] as const)
  const isAlone = values.length > 0 && values.every(([name, value]) => value !== undefined && !related.includes(name))
  return isAlone ? [{ collection: key, json: JSON.stringify(Object.fromEntries(values)) }] : []
}

/** The part of a collection's schema that names what an entry must have. */
interface CreateSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
}

/** The first field that takes a text, which is likely to be what an entry is called. */
function namesOf({ filterableFields: comparables, fields }: CollectionModel): readonly string[] {
  const texts = fields.filter(({ key }) => comparables.get(key)?.isText === true)
  return texts.slice(0, 1).map(({ key }) => key)
}

function risksOf({ url, config, data, warnings }: Greeting): readonly string[] {
  const risks = [
    ...warnings,
    ...(config.database ? [] : [`Content is in the folder ${data} of this machine (SQLite): back it up.`]),
    ...(isLocal(url)
      ? []
      : ['Other machines reach this service, and without TLS: put a proxy with TLS in front of it.']),
  ]
  return risks.length === 0 ? [] : ['Before other people use it:', ...risks.map((risk) => `  - ${risk}`)]
}

const isLocal = (url: string): boolean => /\/\/(?:127\.|\[::1\]:)/.test(url)

/** A path from the current folder: a shell's `.` command takes one that begins with `./`. */
function shellPath(path: string): string {
  const short = `./${relative(process.cwd(), path).replaceAll(sep, '/')}`
  return /^[\w./-]+$/.test(short) ? short : quoted(short)
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
