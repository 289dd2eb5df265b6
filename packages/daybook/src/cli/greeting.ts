import type { DaybookConfig } from '../config/config.ts'
import { getDocsPath } from '../config/docs.ts'

/** Facts about a started service. */
export interface Greeting {
  readonly url: string
  readonly config: DaybookConfig
  readonly data: string
  /** The first collection that anyone may read. */
  readonly collection: string | undefined
  /** The secret with which the first administrator is created. */
  readonly setup: string | undefined
  readonly warnings: readonly string[]
}

/** Returns the first output of a service in a terminal: its URLs, the link that creates the first administrator, a first request, and what to change before other people use it. */
export function greetingText(greeting: Greeting): string {
  const sections = [
    describeUrls(greeting),
    describeSetup(greeting),
    describeFirstRead(greeting),
    describeRisks(greeting),
  ].filter(({ length }) => length > 0)
  return `\n${sections.map((lines) => `${lines.join('\n')}\n`).join('\n')}\n`
}

function describeUrls({ url, config, collection }: Greeting): readonly string[] {
  const origin = toReachableUrl(url)
  const docs = getDocsPath(config)
  const [firstCollection] = Object.keys(config.collections)
  const listed = collection ?? firstCollection
  const studio = getStudioPath(config)
  return [
    ...(studio === undefined ? [] : [`  Studio     ${origin}${studio}`]),
    ...(listed === undefined ? [] : [`  API        ${origin}/api/${listed}`]),
    ...(docs === undefined ? [] : [`  Docs page  ${origin}${docs}`]),
  ]
}

/** Returns a URL that a browser on this machine can open. */
const toReachableUrl = (url: string): string => url.replace(/\/\/(?:0\.0\.0\.0|\[::\]):/, '//localhost:')

/** The secret follows `#`, which browsers send to no server. */
function describeSetup({ url, config, setup }: Greeting): readonly string[] {
  if (setup === undefined) return []
  const studio = getStudioPath(config)
  if (studio === undefined) {
    // The command line reaches accounts in the database only.
    const isStored = config.auth !== undefined && 'open' in config.auth
    return isStored ? ['Create the first account:', '  npx daybook user create you@example.com --role admin'] : []
  }
  return [
    'Create the first account, an administrator. The link works once:',
    `  ${toReachableUrl(url)}${studio}#setup=${setup}`,
  ]
}

const getStudioPath = (config: DaybookConfig): string | undefined =>
  config.plugins?.find(({ name }) => name === 'studio')?.startPage

function describeFirstRead({ url, collection }: Greeting): readonly string[] {
  if (collection === undefined) return []
  return ['Read from a second terminal:', `  curl "${toReachableUrl(url)}/api/${collection}?limit=1"`]
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

/** True if only this machine can reach a URL. */
export const isLocal = (url: string): boolean => /\/\/(?:127\.|\[::1\]:)/.test(url)
