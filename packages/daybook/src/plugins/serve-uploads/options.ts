import { mustBeSaved } from '../../index.ts'
import { isListOf, OptionFaults } from '../option-faults.ts'

/** Options of `serveUploads()`. */
export interface ServeUploadsOptions {
  /** Where files are served. @default '/uploads', where the assets' `url` leads */
  readonly path?: string
  /**
   * Media types that browsers show in the page besides pictures, sound, films, fonts and plain text, by their full names: no `*`.
   * @default none
   */
  readonly inline?: readonly string[]
  /**
   * Signs addresses of private files, at least 32 characters. `undefined`, as of a variable that is not set: a secret is made that ends
   * with the process, and only this machine may reach the service. @default there are no signed addresses
   */
  readonly secret?: string | undefined
}

/** Where the assets' own addresses lead. */
export const UPLOADS = '/uploads'
/** The shortest secret, in characters. */
const MIN_SECRET = 32

const PATH = /^(?:\/[A-Za-z0-9][A-Za-z0-9._-]*)+$/
/** The full name of a media type, as assets have it. */
const MEDIA_TYPE = /^[a-z0-9][a-z0-9.+-]*\/[a-z0-9][a-z0-9.+-]*$/
/** Types that browsers or their extensions may run, or take apart into such. */
const ACTIVE = /html|xml|script|flash|wasm|manifest|mime|rfc822|^multipart\/|^message\/|^text\/(?:css|x-component)$/
/** A type of bytes of which nothing is known, such as those of a page without its signature. */
const UNKNOWN = 'application/octet-stream'

/** Whether a secret is long enough not to be guessed. */
export const isSecret = (secret: unknown): secret is string => typeof secret === 'string' && secret.length >= MIN_SECRET

/** @throws {ConfigError} with every fault of the options */
export function checkServeUploadsOptions(options: ServeUploadsOptions): void {
  const faults = new OptionFaults('serve-uploads')
  if (faults.hasMembers(options, '', ['path', 'inline', 'secret'])) {
    const { path = UPLOADS, inline = [], secret } = options
    faults.require(typeof path === 'string' && PATH.test(path), 'path', "write a path, such as '/uploads'")
    const wrongType = inlineFault(inline)
    if (wrongType) faults.add('inline', wrongType)
    const instead = `write at least ${MIN_SECRET} characters that nobody can guess`
    faults.require(secret === undefined || isSecret(secret), 'secret', instead)
  }
  faults.throwIfAny()
}

/** Says what is wrong with the list of types that browsers show; `undefined`: nothing. */
function inlineFault(types: unknown): string | undefined {
  const advice = "write media types that hold no scripts, such as ['application/pdf']"
  if (!isListOf(types, () => true)) return advice
  for (const type of types) {
    const shown = JSON.stringify(type)
    if (!MEDIA_TYPE.test(type))
      return `${advice}: ${shown} is no type of an asset; write its full name in small letters, without * and ;`
    if (!mustBeSaved(type)) return `${advice}: leave ${shown} out, browsers show it anyway`
    if (type === UNKNOWN || ACTIVE.test(type)) return `${advice}: ${shown} may hold scripts; leave it out`
  }
  return undefined
}
