import { type EntryPath, isEntryPath, PATH_ADVICE } from '../entry-path.ts'
import { OptionFaults } from '../option-faults.ts'

/** Status codes of redirects. */
export const REDIRECT_STATUSES = ['301', '302', '307', '308'] as const

/** A collection whose entries have pages. */
export interface RedirectedCollection {
  /** The path of an entry's page, such as `/blog/:slug`; by locale, such as `{ en: '/blog/:slug', de: '/de/blog/:slug' }`. */
  readonly path: EntryPath
}

/** Options of `redirects()`. */
export interface RedirectsOptions {
  /** Collections whose pages leave a redirect behind when their path changes, by key. @default none */
  readonly collections?: Readonly<Record<string, RedirectedCollection>>
  /** The status of redirects that pages leave behind. @default '301' */
  readonly status?: (typeof REDIRECT_STATUSES)[number]
}

const isStatus = (value: unknown): boolean => REDIRECT_STATUSES.some((one) => one === value)

/** @throws {ConfigError} with every fault of the options */
export function checkRedirectsOptions(options: RedirectsOptions): void {
  const faults = new OptionFaults('redirects')
  if (faults.hasMembers(options, '', ['collections', 'status'])) {
    const { collections = {}, status = '301' } = options
    faults.require(isStatus(status), 'status', `write one of: ${REDIRECT_STATUSES.map((one) => `'${one}'`).join(', ')}`)
    const isObject = typeof collections === 'object' && collections !== null && !Array.isArray(collections)
    faults.require(isObject, 'collections', "write collections by key: { posts: { path: '/blog/:slug' } }")
    for (const [key, collection] of Object.entries(isObject ? collections : {})) {
      const path = `collections.${key}`
      if (!faults.hasMembers(collection, path, ['path'])) continue
      faults.require(isEntryPath(collection.path), `${path}.path`, PATH_ADVICE)
    }
  }
  faults.throwIfAny()
}
