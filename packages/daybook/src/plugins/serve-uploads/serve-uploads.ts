import { randomBytes } from 'node:crypto'
import { definePlugin, type Plugin } from '../../index.ts'
import { addressRoute } from './address-route.ts'
import { fileRoute } from './file-route.ts'
import { checkServeUploadsOptions, type ServeUploadsOptions, UPLOADS } from './options.ts'

const MISSING_SECRET =
  'openssl rand -hex 32 generates one. For now, addresses are signed with a secret that ends with this process'

/**
 * Serves the files of the assets at `/uploads/`, to those who may read the asset. With a secret, signed addresses show private files
 * for a while.
 *
 * @throws {ConfigError} for options that mean nothing
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
  const { path = UPLOADS, inline = [] } = options
  const isSecretMissing = Object.hasOwn(options, 'secret') && options.secret === undefined
  const secret = isSecretMissing ? randomBytes(32).toString('base64url') : options.secret
  return definePlugin({
    name: 'serve-uploads',
    version: '1.0.0',
    // Other plugins may read the options: the secret is not among them.
    options: { path, inline },
    // A signature stands in for the rights of the one who asks.
    system: secret !== undefined,
    ...(isSecretMissing ? { missingSecrets: { secret: MISSING_SECRET } } : {}),
    setup({ cacheTags, content, route }) {
      route(fileRoute({ path, inline, secret, publicFiles: content.files, cacheTags }))
      if (secret !== undefined) route(addressRoute(path, secret))
    },
  })
}
