import { findCookiePrefixFault } from '../auth/cookie-prefix.ts'
import { compilePath, isEntryPath, PATH_ADVICE } from '../entry-path.ts'
import { ASSETS, mediaRangesRule } from '../fields/asset.ts'
import { type FaultReport, type Fields, isRecord } from '../fields/field.ts'
import { interfaceTextRule } from '../fields/interface-text.ts'
import { countRule, flagRule, isKey, objectRule, textRule } from '../fields/option-rules.ts'
import { RANK } from '../fields/rank.ts'
import { formatIssueMessage } from '../issues.ts'
import { unknownKey } from '../nearest.ts'
import { findOriginsFault } from '../origins.ts'
import { blobStoreRule, imageSecretRule, imageSizesRule, MAX_IMAGE_SIDE, wholeNumbersRule } from './assets.ts'
import { checkCase, checkFields, KEY_ADVICE, refuseRoles } from './check-fields.ts'
import { checkAllowedAttributes, checkAllowedElements, findMediaHostsFault } from './check-html.ts'
import { checkIndexes } from './check-indexes.ts'
import { checkHooks } from './check-plugins.ts'
import { CACHE_TAG_HEADERS } from './config.ts'
import { checkDocsPath, checkLogo, checkTheme } from './docs.ts'
import { checkForm } from './form.ts'

/** A fault of a config. */
export interface ConfigFault {
  /** The place in the config, such as `collections.posts.maxLimit`. */
  readonly path: string
  /**
   * Whole sentences that say what is wrong, where, and what to do: `collections.posts.maxLimit must be a whole number, 0 or more.` A
   * {@link ConfigError} takes predicates, too: a message that begins with a lower-case letter, such as `must be a function`, gets the path as
   * its subject.
   */
  readonly message: string
}

/** An invalid config, with all its faults. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly faults: readonly ConfigFault[]

  constructor(faults: readonly ConfigFault[]) {
    const sentences = faults.map(({ path, message }) => ({ path, message: formatIssueMessage(path, message) }))
    // A sentence with another subject may not name the place.
    const lines = sentences.map(({ path, message }) => `  ${message.startsWith(path) ? '' : `${path}: `}${message}`)
    super(`The config has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}:\n${lines.join('\n')}`)
    this.faults = sentences
  }
}

/** The first path segments below `/api` that are reserved. */
export const RESERVED_SEGMENTS: readonly string[] = ['globals', ASSETS, 'health', 'ready', 'export', 'cms', 'auth']

/** Names that databases or Daybook's views use. */
const RESERVED_NAME = /_view$|^(?:sqlite|pg)_/i

type Check = (value: unknown, path: string, report: FaultReport, config: Readonly<Record<string, unknown>>) => void

const isFunction: Check = (value, path, report) => {
  if (typeof value !== 'function') report.add(path, 'must be a function')
}

const checkRule =
  (rule: (value: unknown) => string | undefined): Check =>
  (value, path, report) => {
    const advice = rule(value)
    if (advice) report.add(path, advice)
  }

const isConfigText = checkRule(textRule)
const isInterfaceText = checkRule(interfaceTextRule)
const isCount = checkRule(countRule)
const isFlag = checkRule(flagRule)

/** Creates a check of an object by its keys. It also reports unknown and missing keys. */
function checkKeys(checks: Readonly<Record<string, Check>>, required: readonly string[] = []): Check {
  return (value, path, report, config) => {
    if (!isRecord(value)) {
      report.add(path, 'must be an object')
      return
    }
    for (const key of required.filter((name) => value[name] === undefined)) {
      checks[key]?.(undefined, join(path, key), report, config)
    }
    for (const [key, part] of Object.entries(value)) {
      if (!Object.hasOwn(checks, key)) report.add(join(path, key), unknownKey('an option', key, Object.keys(checks)))
      else if (part !== undefined) checks[key]?.(part, join(path, key), report, config)
    }
  }
}

const join = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`)

const checkAccess = (actions: readonly string[]): Check =>
  checkKeys(Object.fromEntries(actions.map((action) => [action, isFunction])))

/** A valid header value (RFC 9110, section 5.5), without line ends. */
const HEADER_VALUE = /^[!-~](?:[ -~]*[!-~])?$/

const checkCacheControl: Check = (value, path, report) => {
  if (typeof value !== 'string' || !HEADER_VALUE.test(value))
    report.add(path, 'must be a string of ASCII characters on one line')
}

const ADAPTER_PARTS = ['getCapabilities', 'getPrincipal', 'getIdentity']
const OPTIONAL_ADAPTER_PARTS = ['invoke', 'handleRequest', 'close']

const checkAccounts = checkKeys({
  registration: (value, path, report) => {
    if (value !== 'open' && value !== 'closed') report.add(path, 'must be "open" or "closed"')
  },
  anyoneMayWrite: isFlag,
  cookiePrefix: (value, path, report) => {
    const fault = findCookiePrefixFault(value)
    if (fault) report.add(path, fault)
  },
})

/** Recognizes an adapter by any function, because it may be of a class and have further members. */
const checkAuth: Check = (value, path, report, config) => {
  const parts = isRecord(value) ? value : {}
  if (typeof parts.open === 'function') return
  const isAdapter = [...ADAPTER_PARTS, ...Object.keys(parts)].some((name) => typeof parts[name] === 'function')
  if (!isAdapter) return checkAccounts(value, path, report, config)
  for (const name of ADAPTER_PARTS) isFunction(parts[name], `${path}.${name}`, report, config)
  for (const name of OPTIONAL_ADAPTER_PARTS) {
    if (parts[name] !== undefined) isFunction(parts[name], `${path}.${name}`, report, config)
  }
}

const checkDocsOptions = checkKeys({ path: checkDocsPath, title: isConfigText, theme: checkTheme, logo: checkLogo })

const checkDocs: Check = (value, path, report, config) => {
  if (value === true)
    report.add(path, 'must be an object, or false to switch the docs page off. Leave it out to keep the page on')
  else if (value !== false) checkDocsOptions(value, path, report, config)
}

const LOCALE = /^[a-z]{2,3}(?:-[a-z0-9]{2,8})*$/i

const checkLocales: Check = (value, path, report, config) => {
  checkKeys({ default: isConfigText, available: () => undefined, fallback: checkRule(objectRule) })(
    value,
    path,
    report,
    config,
  )
  if (!isRecord(value)) return
  const available: readonly unknown[] = Array.isArray(value.available) ? value.available : []
  const areTags = available.every((locale) => typeof locale === 'string' && LOCALE.test(locale))
  const folded = new Set(available.map((locale) => String(locale).toLowerCase()))
  if (folded.has('all'))
    report.add(`${path}.available`, 'must not contain "all", which stands for every locale. Leave it out')
  if (available.length === 0 || !areTags || folded.size !== available.length) {
    report.add(`${path}.available`, 'must be a list of different BCP 47 tags, such as ["en", "pt-br"]')
  }
  const list = available.join(', ')
  if (!available.includes(value.default)) report.add(`${path}.default`, `must be one of: ${list}`)
  for (const [locale, chain] of Object.entries(isRecord(value.fallback) ? value.fallback : {})) {
    if (!available.includes(locale))
      report.add(`${path}.fallback.${locale}`, `is not an available locale. Use one of: ${list}`)
    const isValid = Array.isArray(chain) && chain.every((next) => next !== locale && available.includes(next))
    if (!isValid)
      report.add(`${path}.fallback.${locale}`, `must be a list of other available locales. Use some of: ${list}`)
  }
}

/** Checks parts of a collection or global that involve several options. */
type CheckParts = (
  document: Readonly<Record<string, unknown>>,
  path: string,
  report: FaultReport,
  config: Readonly<Record<string, unknown>>,
) => void

const checkCollectionParts: CheckParts = (
  { fields, indexes, access, orderable, form, path: pagePath },
  path,
  report,
  config,
) => {
  if (orderable === true && isRecord(fields) && Object.hasOwn(fields, RANK))
    report.add(
      `${path}.fields.${RANK}`,
      'is not allowed, because entries of an orderable collection have a rank. Choose another key, or leave orderable out',
    )
  checkIndexes(indexes, fields, `${path}.indexes`, report)
  checkForm(form, fields, `${path}.form`, report)
  if (pagePath !== undefined) checkPagePath(pagePath, fields, `${path}.path`, report, config)
  const hasStatus = isRecord(fields) && Object.values(fields as Fields).some((field) => field?.type?.role === 'status')
  if (isRecord(access) && access.draft !== undefined && !hasStatus)
    report.add(
      `${path}.access.draft`,
      'needs a field f.status() in the collection, because without one it has no drafts. Add one, or leave the rule out',
    )
}

/** Checks the path of the pages of entries: its form, its locales, and the fields in it. */
function checkPagePath(
  pagePath: unknown,
  fields: unknown,
  path: string,
  report: FaultReport,
  { locales }: Readonly<Record<string, unknown>>,
): void {
  if (!isEntryPath(pagePath)) {
    report.add(path, PATH_ADVICE)
    return
  }
  const localeTags = isRecord(locales) && Array.isArray(locales.available) ? locales.available : []
  const keys = isRecord(fields) ? Object.keys(fields) : []
  for (const template of compilePath(pagePath)) {
    const place = template.locale === undefined ? path : `${path}.${template.locale}`
    if (template.locale !== undefined && !localeTags.includes(template.locale))
      report.add(place, 'is not a locale of the config. Add it to locales.available, or leave it out')
    const unknown = template.fields.find((field) => field !== 'id' && !keys.includes(field))
    if (unknown !== undefined)
      report.add(
        place,
        `names the field "${unknown}", which does not exist. Use a field of the collection, such as ":slug"`,
      )
  }
}

const checkGlobalParts: CheckParts = ({ fields, form }, path, report) => {
  refuseRoles(fields, `${path}.fields`, report)
  checkForm(form, fields, `${path}.form`, report)
}

function checkDocuments(
  kind: 'collections' | 'globals',
  options: Readonly<Record<string, Check>>,
  checkParts: CheckParts,
): Check {
  return (value, path, report, config) => {
    if (!isRecord(value)) {
      report.add(path, `must be an object of ${kind}`)
      return
    }
    checkCase(Object.keys(value), path, report)
    const collections = isRecord(config.collections) ? config.collections : {}
    const around = {
      collections: Object.keys(collections),
      fieldsOf: (key: string) => fieldsIn(collections, key),
      hasLocales: config.locales !== undefined,
      nested: false,
      guarded: false,
    }
    for (const [key, document] of Object.entries(value)) {
      const place = `${path}.${key}`
      checkDocumentKey(kind, key, place, report)
      checkKeys({ ...options, fields: () => undefined })(document, place, report, config)
      const parts: Readonly<Record<string, unknown>> = isRecord(document) ? document : {}
      const collection = kind === 'collections' ? key : undefined
      checkFields(parts.fields, `${place}.fields`, { ...around, collection }, report)
      checkParts(parts, place, report, config)
    }
  }
}

function fieldsIn(collections: Readonly<Record<string, unknown>>, key: string): Fields | undefined {
  const collection = Object.hasOwn(collections, key) ? collections[key] : undefined
  return isRecord(collection) && isRecord(collection.fields) ? (collection.fields as Fields) : undefined
}

function checkDocumentKey(kind: 'collections' | 'globals', key: string, path: string, report: FaultReport): void {
  if (!isKey(key)) report.add(path, KEY_ADVICE)
  if (RESERVED_NAME.test(key))
    report.add(path, 'is not allowed as a key. Choose one that neither ends in _view nor starts with sqlite_ or pg_')
  if (kind === 'collections' && RESERVED_SEGMENTS.includes(key)) {
    report.add(
      path,
      `is not allowed, because /api/${key} belongs to the service. Choose another key, such as ${key}Items`,
    )
  }
}

const DOCUMENT_OPTIONS = {
  label: isInterfaceText,
  description: isInterfaceText,
  // Checked with the fields.
  form: () => undefined,
  requireIfMatch: isFlag,
  validate: isFunction,
  hooks: checkHooks,
  people: checkKeys({
    read: (value, path, report) => {
      if (value !== true && typeof value !== 'function') report.add(path, 'must be true or a function of the caller')
    },
  }),
}
const COLLECTION_OPTIONS = {
  ...DOCUMENT_OPTIONS,
  access: checkAccess(['read', 'draft', 'create', 'update', 'delete']),
  // Checked with the fields.
  indexes: () => undefined,
  singularLabel: isInterfaceText,
  orderable: isFlag,
  // Checked with the fields.
  path: () => undefined,
  maxLimit: isCount,
}
const GLOBAL_OPTIONS = { ...DOCUMENT_OPTIONS, access: checkAccess(['read', 'update']) }

const cacheTagHeaders = (value: unknown): string | undefined =>
  Array.isArray(value) && value.every((header) => CACHE_TAG_HEADERS.includes(header))
    ? undefined
    : `must be a list of these headers: ${CACHE_TAG_HEADERS.map((header) => `"${header}"`).join(', ')}`

const checkTop = checkKeys({
  collections: checkDocuments('collections', COLLECTION_OPTIONS, checkCollectionParts),
  globals: checkDocuments('globals', GLOBAL_OPTIONS, checkGlobalParts),
  locales: checkLocales,
  database: checkKeys({ open: isFunction, snapshot: isFunction }, ['open', 'snapshot']),
  auth: checkAuth,
  trustProxy: isCount,
  cors: checkKeys({ origins: checkRule(findOriginsFault), credentials: isFlag }, ['origins']),
  docs: checkDocs,
  assets: checkKeys({
    store: checkRule(blobStoreRule),
    maxBytes: isCount,
    accept: checkRule(mediaRangesRule),
    stripLocation: isFlag,
    keepDeletedDays: isCount,
    quota: checkKeys({ files: isCount, bytes: isCount }),
    images: checkKeys({
      widths: checkRule(wholeNumbersRule(MAX_IMAGE_SIDE)),
      sizes: checkRule(imageSizesRule),
      qualities: checkRule(wholeNumbersRule(100)),
      secret: checkRule(imageSecretRule),
      maxPixels: isCount,
      atOnce: isCount,
      timeMs: isCount,
    }),
    access: checkAccess(['read', 'create', 'update', 'delete']),
  }),
  limits: checkKeys({
    bodyBytes: isCount,
    renderMs: isCount,
    signInsPerMinute: isCount,
    accountSignInsPerMinute: isCount,
    accountMessagesPerHour: isCount,
    pendingRequests: isCount,
    queueMs: isCount,
    responseCacheBytes: isCount,
    listeners: isCount,
    heartbeatMs: isCount,
    authMs: isCount,
    pluginMs: isCount,
    pluginStartMs: isCount,
  }),
  history: checkKeys({ versions: isCount, days: isCount }),
  markdown: checkKeys({
    allowHtml: checkKeys({ elements: checkAllowedElements, attributes: checkAllowedAttributes }),
    mediaHosts: checkRule(findMediaHostsFault),
  }),
  publicCacheControl: checkCacheControl,
  cdn: checkKeys({ tags: checkRule(cacheTagHeaders) }),
  routes: checkRule((value) => (Array.isArray(value) ? undefined : 'must be a list of routes')),
  // Checked before they are added to the config.
  plugins: () => undefined,
  seed: isFunction,
})

/** Returns the faults of a config. */
export function checkConfig(config: unknown): readonly ConfigFault[] {
  const faults: ConfigFault[] = []
  const report: FaultReport = { add: (path, message) => void faults.push({ path, message }) }
  if (!isRecord(config)) {
    report.add('config', 'must be an object. Export it as the default: export default defineConfig({ … })')
    return faults
  }
  checkTop(config, '', report, config)
  if (!isRecord(config.collections)) report.add('collections', 'must have at least one collection')
  return faults
}
