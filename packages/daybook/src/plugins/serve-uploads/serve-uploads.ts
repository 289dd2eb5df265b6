import { definePlugin, type Plugin } from '../../index.ts'
import { addressRoute } from './address-route.ts'
import { fileRoute } from './file-route.ts'
import { checkServeUploadsOptions, type ServeUploadsOptions, UPLOADS } from './options.ts'

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
  const { path = UPLOADS, inline = [], secret } = options
  return definePlugin({
    name: 'serve-uploads',
    version: '1.0.0',
    // Other plugins may read the options: the secret is not among them.
    options: { path, inline },
    // A signature stands in for the rights of the one who asks.
    system: secret !== undefined,
    setup({ cacheTags, content, route }) {
      route(fileRoute({ path, inline, secret, publicFiles: content.files, cacheTags }))
      if (secret !== undefined) route(addressRoute(path, secret))
    },
  })
}
