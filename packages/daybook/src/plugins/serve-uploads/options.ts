import { isListOf, OptionFaults } from '../option-faults.ts'

/** Options of `serveUploads()`. */
export interface ServeUploadsOptions {
  /** Where files are served. @default '/uploads', where the assets' `url` leads */
  readonly path?: string
  /** Media types that browsers show in the page besides pictures, sound, films, fonts and plain text. @default none */
  readonly inline?: readonly string[]
  /** Signs addresses of private files, at least 32 characters. @default there are no signed addresses */
  readonly secret?: string | undefined
}

/** Where the assets' own addresses lead. */
export const UPLOADS = '/uploads'
/** The shortest secret, in characters. */
const MIN_SECRET = 32

const PATH = /^(?:\/[A-Za-z0-9][A-Za-z0-9._-]*)+$/
const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+$/
/** Types that would run as pages of the site. */
const ACTIVE = /html|xml|javascript/

/** Whether a secret is long enough not to be guessed. */
export const isSecret = (secret: unknown): secret is string => typeof secret === 'string' && secret.length >= MIN_SECRET

/** @throws {ConfigError} with every fault of the options */
export function checkServeUploadsOptions(options: ServeUploadsOptions): void {
  const faults = new OptionFaults('serve-uploads')
  if (faults.hasMembers(options, '', ['path', 'inline', 'secret'])) {
    const { path = UPLOADS, inline = [], secret } = options
    faults.require(typeof path === 'string' && PATH.test(path), 'path', "write a path, such as '/uploads'")
    const isInert = isListOf(inline, (type) => MEDIA_TYPE.test(type) && !ACTIVE.test(type))
    faults.require(isInert, 'inline', "write media types that hold no scripts of the page, such as ['application/pdf']")
    const instead = `write at least ${MIN_SECRET} characters that nobody can guess`
    faults.require(secret === undefined || isSecret(secret), 'secret', instead)
  }
  faults.throwIfAny()
}
