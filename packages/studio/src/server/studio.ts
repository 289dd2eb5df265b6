import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { ConfigError, definePlugin, type Plugin, type PluginRequest, type PluginRoute, staticFiles } from 'daybook'
import { type BuiltFiles, openBuiltFiles } from './built-files.ts'
import { editorPaths, editorRoutes, openEditors } from './editor-files.ts'
import { LOGO_TYPES, type ReadyOptions, readOptions, type StudioOptions } from './options.ts'
import { pageHtml } from './page.ts'
import { LOGO_POLICY, pagePolicy } from './policy.ts'
import { previewFaults, previewOrigins } from './preview-addresses.ts'
import { sharedViews } from './shared-views.ts'
import { visitorOf } from './visitor.ts'

/** Names of built files change with their content. */
const IMMUTABLE = /\.[0-9a-f]{8}\.\w+$/

const PAGE_ANSWERS: PluginRoute['answers'] = {
  200: {
    description: 'The page.',
    mediaType: 'text/html',
    schema: { type: 'string' },
    headers: {
      'Content-Security-Policy': 'What the page may do.',
      'Referrer-Policy': 'Who learns of its address.',
    },
  },
}

/**
 * The Studio: an editor's interface, made from the model, on the public API alone. What a person can do there is what their session may
 * do.
 *
 * @throws {ConfigError} for options that mean nothing
 *
 * @example
 * ```ts
 * defineConfig({ collections, plugins: [studio({ title: 'The museum' })] })
 * ```
 */
export function studio(
  options: StudioOptions = {},
): Plugin<Record<never, never>, Record<never, never>, Record<never, never>> {
  const ready = readOptions(options)
  const { path, title } = ready
  return definePlugin({
    name: 'studio',
    version: '1.0.0',
    options: { path, title },
    startPage: path,
    collections: ready.sharedViews ? sharedViews : {},
    async setup({ route, collections }) {
      const faults = previewFaults(ready.preview, collections)
      if (faults.length > 0) throw new ConfigError(faults)
      const files = await openBuiltFiles()
      const editors = await openEditors(path, ready.editors)
      const pages = pageRoutes(ready, files, editorPaths(editors))
      for (const one of [...pages, ...editorRoutes(editors), ...(await logoRoutes(ready))]) route(one)
      for (const one of staticFiles({ path: `${path}/app`, folder: files.folder, immutable: IMMUTABLE })) {
        route({ ...one, operationId: 'getStudioFile', summary: 'Sends a file of the Studio.' })
      }
    },
  })
}

/** The page, and the same page at every address of a view: the program shows what the address says. */
function pageRoutes(
  options: ReadyOptions,
  files: BuiltFiles,
  editors: Readonly<Record<string, string>>,
): readonly PluginRoute[] {
  const common = {
    method: 'GET',
    protection: 'public',
    summary: 'Shows people the Studio, where they write.',
    // The address of a view has more to say, which the program reads.
    anyQuery: true,
    answers: PAGE_ANSWERS,
    run: (request: PluginRequest) => answerPage(request, options, files, editors),
  } as const
  return [
    { ...common, path: options.path, operationId: 'getStudio' },
    { ...common, path: `${options.path}/*`, operationId: 'getStudioView' },
    redirectFromSlash(options.path),
  ]
}

/** Who types a slash at the end comes to the Studio all the same. */
const redirectFromSlash = (path: string): PluginRoute => ({
  method: 'GET',
  path: `${path}/`,
  operationId: 'getStudioWithSlash',
  summary: 'Sends browsers to the Studio.',
  protection: 'public',
  anyQuery: true,
  answers: { 302: { description: 'Where the Studio is.', headers: { Location: 'The address of the Studio.' } } },
  run: () => new Response(null, { status: 302, headers: { Location: path, 'Cache-Control': 'no-cache' } }),
})

function answerPage(
  { headers }: PluginRequest,
  { path, title, logo, accent, assetOrigins, preview }: ReadyOptions,
  files: BuiltFiles,
  editors: Readonly<Record<string, string>>,
): Response {
  const nonce = randomBytes(16).toString('base64')
  const visitor = visitorOf(headers)
  const settings = {
    path,
    title,
    ...(logo ? { logo: `${path}/logo` } : {}),
    ...(Object.keys(editors).length > 0 ? { editors } : {}),
    ...(Object.keys(preview).length > 0 ? { preview } : {}),
  }
  const page = {
    ...visitor,
    title,
    nonce,
    accent,
    folder: `${path}/app`,
    files: files.forPage(visitor.language),
    settings,
  }
  return new Response(pageHtml(page), {
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': pagePolicy(nonce, assetOrigins, previewOrigins(preview)),
      'Referrer-Policy': 'same-origin',
      'Cache-Control': 'no-cache',
    },
  })
}

async function logoRoutes({ path, logo }: ReadyOptions): Promise<readonly PluginRoute[]> {
  if (!logo) return []
  const content = await readFile(logo)
  return [
    {
      method: 'GET',
      path: `${path}/logo`,
      operationId: 'getStudioLogo',
      summary: 'Sends the logo of the Studio.',
      protection: 'public',
      answers: {
        200: {
          description: 'The image.',
          mediaType: 'image/*',
          schema: {},
          headers: { 'Content-Security-Policy': 'An image that is opened by itself runs nothing.' },
        },
      },
      run: () =>
        new Response(content, {
          headers: {
            'Content-Type': LOGO_TYPES[extname(logo.pathname)] ?? 'application/octet-stream',
            'Content-Security-Policy': LOGO_POLICY,
            'Cache-Control': 'public, max-age=3600',
          },
        }),
    },
  ]
}
