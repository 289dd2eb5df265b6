import { randomBytes } from 'node:crypto'
import type { Caller, SubscribedCollection } from '../../index.ts'
import { OptionFaults } from '../option-faults.ts'
import { headerFault } from './headers.ts'
import { urlFault } from './target.ts'

/** An address that is told of changes. */
export interface WebhookEndpoint {
  /** Where messages are sent with POST: `https:`, without user or password. */
  readonly url: string
  /**
   * `whsec_` and 24 to 64 bytes in Base64. While a secret is replaced, both: each message carries a signature of each. Take them
   * from the environment. `undefined`, as of a variable that is not set: a secret is made that ends with the process, and only this
   * machine may reach the service.
   */
  readonly secrets: readonly (string | undefined)[]
  /** Collections by key, each with `where` and `select`. @default all collections, unless `globals` is there */
  readonly collections?: Readonly<Record<string, SubscribedCollection>>
  /** Keys of globals. @default all globals, unless `collections` is there */
  readonly globals?: readonly string[]
  /**
   * `create`, `update`, `delete`, `publish`, `unpublish`, `restore`, and for `system` also `scheduleFailed`. @default all that change a
   * document
   */
  readonly actions?: readonly string[]
  /** Whose rights decide what a message holds: a reader's without a session, or the service's own. @default 'public' */
  readonly as?: 'public' | 'system'
  /** Further headers of each message, such as `Authorization`. @default none */
  readonly headers?: Readonly<Record<string, string>>
  /** Whether the address may be private, loopback or link-local, and `http:`. @default false */
  readonly allowPrivate?: boolean
}

/** When failed messages are sent again. */
export interface WebhookRetries {
  /** The longest pause after the first failure, in milliseconds; it doubles with each further one. @default 5,000 */
  readonly firstMs?: number
  /** The longest pause, in milliseconds. @default four hours */
  readonly maxMs?: number
  /** How long after its first failure a message is parked, in milliseconds. @default three days */
  readonly forMs?: number
}

/** Options of `webhooks()`. */
export interface WebhooksOptions {
  /** By name: letters, digits and `-`. The position in the journal is stored under it. */
  readonly endpoints: Readonly<Record<string, WebhookEndpoint>>
  /** Whose session may list and replay deliveries. @default service principals */
  readonly access?: (caller: Caller) => boolean
  /** How long a message may take to be answered, in milliseconds. @default 10,000 */
  readonly timeoutMs?: number
  readonly retries?: WebhookRetries
}

const ENDPOINT_NAME = /^[a-z][a-zA-Z0-9-]{0,47}$/
const ENDPOINT_KEYS = ['url', 'secrets', 'collections', 'globals', 'actions', 'as', 'headers', 'allowPrivate']
const SECRET_ADVICE =
  'write one or two secrets: whsec_ and 24 to 64 random bytes in Base64, as `openssl rand -base64 32` makes them'
const PREFIX = 'whsec_'
const MISSING_SECRET =
  'echo "whsec_$(openssl rand -base64 32)" generates one. For now, messages are signed with a secret that ends with this process'

/** The most milliseconds that a timer can wait. */
const MAX_MS = 2 ** 31 - 1

/** @throws {ConfigError} with every fault of the options; none of them shows a secret */
export function checkWebhooksOptions(options: WebhooksOptions): void {
  const faults = new OptionFaults('webhooks')
  if (faults.hasMembers(options, '', ['endpoints', 'access', 'timeoutMs', 'retries'])) {
    const { endpoints, access, timeoutMs, retries = {} } = options
    faults.require(access === undefined || typeof access === 'function', 'access', 'write a function of the caller')
    requireMs(timeoutMs, 'timeoutMs', faults)
    if (faults.hasMembers(retries, 'retries', ['firstMs', 'maxMs', 'forMs']))
      for (const [key, value] of Object.entries(retries)) requireMs(value, `retries.${key}`, faults)
    const isObject = typeof endpoints === 'object' && endpoints !== null && !Array.isArray(endpoints)
    faults.require(isObject, 'endpoints', "write endpoints by name: { site: { url: 'https://…', secrets: […] } }")
    for (const [name, endpoint] of Object.entries(isObject ? endpoints : {})) checkEndpoint(name, endpoint, faults)
  }
  faults.throwIfAny()
}

function requireMs(value: unknown, path: string, faults: OptionFaults): void {
  const isMs = value === undefined || (Number.isInteger(value) && Number(value) > 0 && Number(value) <= MAX_MS)
  faults.require(isMs, path, 'write a whole number of milliseconds')
}

function checkEndpoint(name: string, endpoint: WebhookEndpoint, faults: OptionFaults): void {
  const path = `endpoints.${name}`
  faults.require(ENDPOINT_NAME.test(name), path, 'choose a name of at most 48 letters, digits and -, such as site')
  if (!faults.hasMembers(endpoint, path, ENDPOINT_KEYS)) return
  const { url, secrets, as = 'public', headers = {}, allowPrivate = false } = endpoint
  const isList = Array.isArray(secrets) && secrets.length >= 1 && secrets.length <= 2
  faults.require(
    isList && secrets.every((secret) => secret === undefined || isSecret(secret)),
    `${path}.secrets`,
    SECRET_ADVICE,
  )
  faults.require(as === 'public' || as === 'system', `${path}.as`, "write 'public' or 'system'")
  faults.require(typeof allowPrivate === 'boolean', `${path}.allowPrivate`, 'write true or false')
  const wrongUrl = urlFault(url, allowPrivate)
  if (wrongUrl) faults.add(`${path}.url`, wrongUrl)
  for (const [header, value] of Object.entries(headers)) {
    const wrongHeader = headerFault(header, value)
    if (wrongHeader) faults.add(`${path}.headers.${header}`, wrongHeader)
  }
}

function isSecret(secret: unknown): boolean {
  if (typeof secret !== 'string' || !secret.startsWith(PREFIX)) return false
  const encoded = secret.slice(PREFIX.length)
  const bytes = Buffer.from(encoded, 'base64')
  return bytes.toString('base64') === encoded && bytes.length >= 24 && bytes.length <= 64
}

/** A secret of an endpoint that has none. */
export const randomSecret = (): string => PREFIX + randomBytes(32).toString('base64')

/** The secrets that are not set, by the path of the option, each with how to make one. */
export function missingSecrets({ endpoints }: WebhooksOptions): Readonly<Record<string, string>> {
  const paths = Object.entries(endpoints).flatMap(([name, { secrets }]) =>
    secrets.flatMap((secret, index) => (secret === undefined ? [`endpoints.${name}.secrets.${index}`] : [])),
  )
  return Object.fromEntries(paths.map((path) => [path, MISSING_SECRET]))
}
