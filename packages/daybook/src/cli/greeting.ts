import { relative, sep } from 'node:path'
import type { DaybookConfig } from '../config/config.ts'
import { getDocsPath } from '../config/docs.ts'
import type { JsonSchema } from '../fields/field.ts'
import { makeExample } from '../http/openapi/examples.ts'
import type { CollectionModel, Model } from '../model/model.ts'

/** Facts about a started service. */
export interface Greeting {
  readonly url: string
  readonly config: DaybookConfig
  readonly model: Model
  readonly data: string
  readonly hasServiceToken: boolean
  /** The path of the `.env` beside the config. */
  readonly envFile: string
  readonly hasEnvFile: boolean
  readonly warnings: readonly string[]
}

/** Returns the first output of a service in a terminal: its URLs, how to write, and what to change before other people use it. */
export function greetingText(greeting: Greeting): string {
  const sections = [describeUrls(greeting), describeFirstWrite(greeting), describeRisks(greeting)].filter(
    ({ length }) => length > 0,
  )
  return `\n${sections.map((lines) => `${lines.join('\n')}\n`).join('\n')}\n`
}

function describeUrls({ url, config, model }: Greeting): readonly string[] {
  const docs = getDocsPath(config)
  const [collection] = model.collections.keys()
  return [
    `  API        ${toReachableUrl(url)}/api/${collection}`,
    ...(docs === undefined ? [] : [`  Docs page  ${toReachableUrl(url)}${docs}`]),
  ]
}

/** Returns a URL that a browser on this machine can open. */
const toReachableUrl = (url: string): string => url.replace(/\/\/(?:0\.0\.0\.0|\[::\]):/, '//localhost:')

/** Returns the commands for a first write; empty if every collection needs entries of others. */
function describeFirstWrite({ url, model, hasServiceToken, envFile, hasEnvFile }: Greeting): readonly string[] {
  const [write] = [...model.collections.values()].flatMap(makeFirstWrites)
  if (!write) return []
  const file = toShellPath(envFile)
  const makeToken = `  echo "DAYBOOK_SERVICE_TOKEN=$(openssl rand -hex 32)" >> ${file}`
  return [
    ...(hasServiceToken ? [] : ['Writing requires a token. Create one, and start the service again:', makeToken, '']),
    'Write from a second terminal:',
    ...(hasServiceToken && !hasEnvFile ? [] : [`  . ${file}`]),
    `  curl -X POST ${toReachableUrl(url)}/api/${write.collection} \\`,
    '    -H "Authorization: Bearer $DAYBOOK_SERVICE_TOKEN" -H "Content-Type: application/json" \\',
    `    -d ${quoteForShell(write.json)}`,
  ]
}

/** Returns a minimal entry as JSON; empty if it needs another entry, or a value without a known example. */
function makeFirstWrites(
  collection: CollectionModel,
): readonly { readonly collection: string; readonly json: string }[] {
  const { key, schemas, relations } = collection
  const { properties = {}, required = [] } = schemas.create as CreateSchema
  const related = [...relations.keys()].map((path) => path.split('.')[0])
  const keys = required.length > 0 ? required : listTitleFields(collection)
  const values = keys.map((name) => [name, makeExample(properties[name] ?? {}, name)] as const)
  const isSelfContained =
    values.length > 0 && values.every(([name, value]) => value !== undefined && !related.includes(name))
  return isSelfContained ? [{ collection: key, json: JSON.stringify(Object.fromEntries(values)) }] : []
}

/** The part of a collection's schema with the required fields. */
interface CreateSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
}

/** Returns the first text field, which is likely the title. */
function listTitleFields({ filterableFields, fields }: CollectionModel): readonly string[] {
  const texts = fields.filter(({ key }) => filterableFields.get(key)?.isText === true)
  return texts.slice(0, 1).map(({ key }) => key)
}

function describeRisks({ url, config, data, warnings }: Greeting): readonly string[] {
  const risks = [
    ...warnings,
    ...(config.database ? [] : [`Content is in the folder ${data} of this machine (SQLite): back it up.`]),
    ...(isLocal(url)
      ? []
      : ['Other machines can reach this service without TLS: put a proxy with TLS in front of it.']),
  ]
  return risks.length === 0 ? [] : ['Before other people use it:', ...risks.map((risk) => `  - ${risk}`)]
}

const isLocal = (url: string): boolean => /\/\/(?:127\.|\[::1\]:)/.test(url)

/** Returns a path relative to the current folder that begins with `./`, as the `.` command of shells requires. */
function toShellPath(path: string): string {
  const short = `./${relative(process.cwd(), path).replaceAll(sep, '/')}`
  return /^[\w./-]+$/.test(short) ? short : quoteForShell(short)
}

const quoteForShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
