import type { DaybookConfig } from '../config/config.ts'
import { getDocsPath } from '../config/docs.ts'

/** Facts about a started service. */
export interface Greeting {
  readonly url: string
  readonly config: DaybookConfig
  readonly data: string
  /** The first collection that anyone may read. */
  readonly collection: string | undefined
  /** A new account. */
  readonly account: { readonly email: string; readonly password: string } | undefined
  readonly warnings: readonly string[]
}

/** Returns the first output of a service in a terminal: its URLs, an account, a first request, and what to change before other people use it. */
export function greetingText(greeting: Greeting): string {
  const sections = [
    describeUrls(greeting),
    describeAccount(greeting),
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
  const studio = config.plugins?.find(({ name }) => name === 'studio')?.startPage
  return [
    ...(studio === undefined ? [] : [`  Studio     ${origin}${studio}`]),
    ...(listed === undefined ? [] : [`  API        ${origin}/api/${listed}`]),
    ...(docs === undefined ? [] : [`  Docs page  ${origin}${docs}`]),
  ]
}

/** Returns a URL that a browser on this machine can open. */
const toReachableUrl = (url: string): string => url.replace(/\/\/(?:0\.0\.0\.0|\[::\]):/, '//localhost:')

function describeAccount({ account }: Greeting): readonly string[] {
  if (!account) return []
  return [
    'Sign in with this account. Its password is shown only once:',
    `  E-mail     ${account.email}`,
    `  Password   ${account.password}`,
  ]
}

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
