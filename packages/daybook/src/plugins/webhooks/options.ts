import { randomBytes } from 'node:crypto'
import ipaddr from 'ipaddr.js'
import type { Caller, SubscribedCollection } from '../../index.ts'
import { checkOptions, type OptionFaults } from '../check-options.ts'

/** A receiver of messages about changes. */
export interface WebhookEndpoint {
  /** The URL to which messages are sent with POST: `https:`, without user or password. */
  readonly url: string
  /**
   * `whsec_` and 24 to 64 bytes in Base64. While a secret is replaced, both: each message has a signature with each. Take them from
   * the environment. For `undefined`, such as a variable that is not set, a secret is generated that ends with the process, and only
   * this machine may reach the service.
   */
  readonly secrets: readonly (string | undefined)[]
  /** Collections by key, each with `where` and `select`. @default all collections, unless `globals` is set */
  readonly collections?: Readonly<Record<string, SubscribedCollection>>
  /** Keys of globals. @default all globals, unless `collections` is set */
  readonly globals?: readonly string[]
  /**
   * `create`, `update`, `delete`, `publish`, `unpublish`, `restore`, and for `system` also `scheduleFailed`. @default all that change a
   * document
   */
  readonly actions?: readonly string[]
  /** The rights that decide what a message holds: those of a caller without a session, or those of the service. @default 'public' */
  readonly as?: 'public' | 'system'
  /** Further headers of each message, such as `Authorization`. @default none */
  readonly headers?: Readonly<Record<string, string>>
  /** Allows addresses that are private, loopback or link-local, and `http:`. @default false */
  readonly allowPrivate?: boolean
}

/** The times at which failed messages are sent again. */
export interface WebhookRetries {
  /** The longest pause after the first failure, in milliseconds; it doubles with each further one. @default 5,000 */
  readonly firstMs?: number
  /** The longest pause, in milliseconds. @default four hours */
  readonly maxMs?: number
  /** The time from its first failure until a message is parked, in milliseconds. @default three days */
  readonly forMs?: number
}

/** Options of `webhooks()`. */
export interface WebhooksOptions {
  /** By name: letters, digits and `-`. The position in the journal is stored under it. */
  readonly endpoints: Readonly<Record<string, WebhookEndpoint>>
  /** Decides which sessions may list and replay deliveries. @default service principals */
  readonly access?: (caller: Caller) => boolean
  /** The timeout of a message, in milliseconds. @default 10,000 */
  readonly timeoutMs?: number
  readonly retries?: WebhookRetries
}

const ENDPOINT_NAME = /^[a-z][a-zA-Z0-9-]{0,47}$/
const ENDPOINT_KEYS = ['url', 'secrets', 'collections', 'globals', 'actions', 'as', 'headers', 'allowPrivate']

/** The longest wait of a timer, in milliseconds. */
const MAX_MS = 2 ** 31 - 1

/** @throws {ConfigError} with every fault of the options; none of them shows a secret */
export function checkWebhooksOptions(options: WebhooksOptions): void {
  checkOptions('webhooks', options, ['endpoints', 'access', 'timeoutMs', 'retries'], (faults) => {
    const { endpoints, access, timeoutMs, retries = {} } = options
    faults.require(access === undefined || typeof access === 'function', 'access', 'must be a function of the caller')
    requireMs(timeoutMs, 'timeoutMs', faults)
    if (faults.hasMembers(retries, 'retries', ['firstMs', 'maxMs', 'forMs']))
      for (const [key, value] of Object.entries(retries)) requireMs(value, `retries.${key}`, faults)
    const advice = "must be an object of endpoints by name, such as { site: { url: 'https://…', secrets: […] } }"
    for (const [name, endpoint] of faults.requireEntries(endpoints, 'endpoints', advice)) {
      checkEndpoint(name, endpoint, faults)
    }
  })
}

function requireMs(value: unknown, path: string, faults: OptionFaults): void {
  const isMs = value === undefined || (Number.isInteger(value) && Number(value) > 0 && Number(value) <= MAX_MS)
  faults.require(isMs, path, 'must be a whole number of milliseconds')
}

function checkEndpoint(name: string, endpoint: unknown, faults: OptionFaults): void {
  const path = `endpoints.${name}`
  faults.require(
    ENDPOINT_NAME.test(name),
    path,
    'is not a valid name. Use at most 48 letters, digits and -, such as site',
  )
  if (!faults.hasMembers(endpoint, path, ENDPOINT_KEYS)) return
  const { url, secrets, as = 'public', headers = {}, allowPrivate = false } = endpoint
  faults.require(areSecrets(secrets), `${path}.secrets`, SECRET_ADVICE)
  faults.require(as === 'public' || as === 'system', `${path}.as`, 'must be "public" or "system"')
  faults.require(typeof allowPrivate === 'boolean', `${path}.allowPrivate`, 'must be true or false')
  const urlFault = findUrlFault(url, allowPrivate === true)
  if (urlFault) faults.add(`${path}.url`, urlFault)
  for (const [header, value] of faults.requireEntries(
    headers,
    `${path}.headers`,
    'must be an object of the values of headers by name',
  )) {
    const headerFault = findHeaderFault(header, value)
    if (headerFault) faults.add(`${path}.headers.${header}`, headerFault)
  }
}

const SECRET_PREFIX = 'whsec_'
const SECRET_ADVICE =
  'must be a list of one or two secrets: whsec_ and 24 to 64 random bytes in Base64, as `openssl rand -base64 32` makes them'
const MISSING_SECRET =
  'echo "whsec_$(openssl rand -base64 32)" generates one. For now, messages are signed with a secret that ends with this process'

function areSecrets(secrets: unknown): boolean {
  const isList = Array.isArray(secrets) && secrets.length >= 1 && secrets.length <= 2
  return isList && secrets.every((secret) => secret === undefined || isSecret(secret))
}

function isSecret(secret: unknown): boolean {
  if (typeof secret !== 'string' || !secret.startsWith(SECRET_PREFIX)) return false
  const encoded = secret.slice(SECRET_PREFIX.length)
  const bytes = Buffer.from(encoded, 'base64')
  return bytes.toString('base64') === encoded && bytes.length >= 24 && bytes.length <= 64
}

/** Generates a secret for an endpoint that has none. */
export const randomSecret = (): string => SECRET_PREFIX + randomBytes(32).toString('base64')

/** Returns the secrets that are not set, by the path of the option, each with advice to generate one. */
export function missingSecrets({ endpoints }: WebhooksOptions): Readonly<Record<string, string>> {
  const paths = Object.entries(endpoints).flatMap(([name, { secrets }]) =>
    secrets.flatMap((secret, index) => (secret === undefined ? [`endpoints.${name}.secrets.${index}`] : [])),
  )
  return Object.fromEntries(paths.map((path) => [path, MISSING_SECRET]))
}

/** Names of the machine itself (RFC 6761, section 6.3). */
const LOOPBACK_NAME = /(?:^|\.)localhost\.?$/
const PRIVATE_ADVICE =
  'is a private, loopback or link-local address. Use a public one, or write allowPrivate: true if it is meant'

/** Returns the reason why messages cannot be sent to a URL, as far as the URL itself shows it. */
function findUrlFault(text: unknown, allowPrivate: boolean): string | undefined {
  const url = typeof text === 'string' ? URL.parse(text) : null
  if (!url) return 'must be a URL, such as "https://www.example.org/hook"'
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:'))
    return 'must be an https: URL. To use http:, write allowPrivate: true'
  if (url.username !== '' || url.password !== '')
    return 'must not contain a user or a password. Write headers: { Authorization: … }'
  return !allowPrivate && isPrivateHost(url.hostname) ? PRIVATE_ADVICE : undefined
}

/** True for private IP addresses and names of the machine. The agent checks the addresses of other names at each connection. */
function isPrivateHost(hostname: string): boolean {
  const literal = hostname.replace(/^\[|\]$/g, '')
  if (ipaddr.isValid(literal)) return ipaddr.parse(literal).range() !== 'unicast'
  return LOOPBACK_NAME.test(hostname)
}

/** A token (RFC 9110, section 5.6.2). */
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,128}$/
/** Visible characters, spaces and tabs: no line end, which would begin a header of its own. */
const HEADER_VALUE = /^[\t\x20-\x7e]{0,4096}$/
/** Headers that say how a message is sent, or that Daybook writes. */
const RESERVED_HEADER =
  /^(?:host|content-.*|transfer-encoding|connection|keep-alive|te|trailer|upgrade|expect|cookie|webhook-.*)$/i

function findHeaderFault(name: string, value: unknown): string | undefined {
  if (!HEADER_NAME.test(name)) return 'is not a valid name of a header. Use letters, digits and -'
  if (RESERVED_HEADER.test(name)) return 'is not allowed, because only Daybook decides about this header. Leave it out'
  if (typeof value === 'string' && HEADER_VALUE.test(value)) return undefined
  return 'must have visible ASCII characters on one line'
}
