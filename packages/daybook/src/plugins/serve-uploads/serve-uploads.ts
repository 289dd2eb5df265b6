import { randomBytes } from 'node:crypto'
import { definePlugin, mustBeSaved, type Plugin } from '../../index.ts'
import { checkOptions, isListOf, isRoutePath } from '../check-options.ts'
import { fileRoute } from './file-route.ts'
import { DEFAULT_PATH, isSecret, MIN_SECRET, signedUrlRoute } from './signed-url.ts'

/** Options of `serveUploads()`. */
export interface ServeUploadsOptions {
  /** The path below which files are served. @default '/uploads', to which the `url` of assets leads */
  readonly path?: string
  /**
   * Media types that browsers show in the page besides pictures, sound, films, fonts and plain text, by their full names: no `*`.
   * @default none
   */
  readonly inline?: readonly string[]
  /**
   * Signs the URLs of private files, at least 32 characters. For `undefined`, such as a variable that is not set, a secret is
   * generated that ends with the process, and only this machine may reach the service. @default there are no signed URLs
   */
  readonly secret?: string | undefined
}

const MISSING_SECRET =
  'openssl rand -hex 32 generates one. For now, addresses are signed with a secret that ends with this process'

/**
 * Serves the files of the assets at `/uploads/`, to callers who may read the asset. With a secret, signed URLs show private files
 * for a while.
 *
 * @throws {ConfigError} for invalid options
 *
 * @example
 * ```ts
 * defineConfig({ collections, plugins: [serveUploads({ secret })] })
 * ```
 */
export function serveUploads(
  options: ServeUploadsOptions = {},
): Plugin<Record<never, never>, Record<never, never>, Record<never, never>> {
  checkServeUploadsOptions(options)
  const { path = DEFAULT_PATH, inline = [] } = options
  const isSecretMissing = Object.hasOwn(options, 'secret') && options.secret === undefined
  const secret = isSecretMissing ? randomBytes(32).toString('base64url') : options.secret
  return definePlugin({
    name: 'serve-uploads',
    version: '1.0.0',
    // Other plugins may read the options, so they do not contain the secret.
    options: { path, inline },
    // A signature replaces the rights of the caller.
    system: secret !== undefined,
    ...(isSecretMissing ? { missingSecrets: { secret: MISSING_SECRET } } : {}),
    setup({ cacheTags, content, route }) {
      route(fileRoute({ path, inline, secret, publicFiles: content.files, cacheTags }))
      if (secret !== undefined) route(signedUrlRoute(path, secret))
    },
  })
}

/** The full name of a media type, as assets have it. */
const MEDIA_TYPE = /^[a-z0-9][a-z0-9.+-]*\/[a-z0-9][a-z0-9.+-]*$/
/** Types that browsers or their extensions may execute, or unpack into executable content. */
const ACTIVE = /html|xml|script|flash|wasm|manifest|mime|rfc822|^multipart\/|^message\/|^text\/(?:css|x-component)$/
/** The type of files whose bytes were not recognized; they may be a page. */
const UNKNOWN = 'application/octet-stream'

function checkServeUploadsOptions(options: ServeUploadsOptions): void {
  checkOptions('serve-uploads', options, ['path', 'inline', 'secret'], (faults) => {
    const { path = DEFAULT_PATH, inline = [], secret } = options
    faults.require(isRoutePath(path), 'path', 'must be a path, such as "/uploads"')
    const inlineFault = findInlineFault(inline)
    if (inlineFault) faults.add('inline', inlineFault)
    const advice = `must be at least ${MIN_SECRET} characters that nobody can guess`
    faults.require(secret === undefined || isSecret(secret), 'secret', advice)
  })
}

function findInlineFault(types: unknown): string | undefined {
  const advice = "must be a list of media types without scripts, such as ['application/pdf']"
  if (!isListOf(types, () => true)) return advice
  for (const type of types) {
    const quoted = JSON.stringify(type)
    if (!MEDIA_TYPE.test(type))
      return `${advice}. ${quoted} is not a type of an asset. Write its full name in lower case, without * and ;`
    if (!mustBeSaved(type)) return `${advice}. Leave ${quoted} out, because browsers show it anyway`
    if (type === UNKNOWN || ACTIVE.test(type)) return `${advice}. ${quoted} may contain scripts. Leave it out`
  }
  return undefined
}
