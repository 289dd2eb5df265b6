import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import {
  type AccessRule,
  type CollectionConfig,
  ConfigError,
  defineCollection,
  definePlugin,
  f,
  isAuthenticated,
  type Plugin,
  type PluginRequest,
  type PluginRoute,
  staticFiles,
} from 'daybook'
import { type BuiltFiles, openBuiltFiles } from './built-files.ts'
import { getEditorPaths, loadEditors, makeEditorRoutes } from './custom-editors.ts'
import {
  checkPreviewAddresses,
  getPreviewOrigins,
  LOGO_TYPES,
  type ResolvedOptions,
  resolveOptions,
  type StudioOptions,
} from './options.ts'
import { buildPagePolicy, LOGO_POLICY, readVisitorPreferences, renderPage } from './page.ts'

/** Names of built files change with their content. */
const IMMUTABLE = /\.[0-9a-f]{8}\.\w+$/

const PAGE_ANSWERS: PluginRoute['responses'] = {
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
  const ready = resolveOptions(options)
  const { path, title } = ready
  return definePlugin({
    name: 'studio',
    version: '1.0.0',
    options: { path, title },
    startPage: path,
    collections: ready.sharedViews ? sharedViews : {},
    async setup({ route, collections }) {
      const faults = checkPreviewAddresses(ready.preview, collections)
      if (faults.length > 0) throw new ConfigError(faults)
      const files = await openBuiltFiles()
      const editors = await loadEditors(path, ready.editors)
      const pages = pageRoutes(ready, files, getEditorPaths(editors))
      for (const one of [...pages, ...makeEditorRoutes(editors), ...(await logoRoutes(ready))]) route(one)
      for (const one of staticFiles({ path: `${path}/app`, folder: files.folder, immutable: IMMUTABLE })) {
        route({ ...one, operationId: 'getStudioFile', summary: 'Sends a file of the Studio.' })
      }
    },
  })
}

/** The page, and the same page at every address of a view: the program shows what the address says. */
function pageRoutes(
  options: ResolvedOptions,
  files: BuiltFiles,
  editors: Readonly<Record<string, string>>,
): readonly PluginRoute[] {
  const common = {
    method: 'GET',
    protection: 'public',
    summary: 'Shows people the Studio, where they write.',
    // The address of a view has more to say, which the program reads.
    anyQuery: true,
    responses: PAGE_ANSWERS,
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
  responses: { 302: { description: 'Where the Studio is.', headers: { Location: 'The address of the Studio.' } } },
  run: () => new Response(null, { status: 302, headers: { Location: path, 'Cache-Control': 'no-cache' } }),
})

function answerPage(
  { headers }: PluginRequest,
  { path, title, logo, accent, assetOrigins, preview }: ResolvedOptions,
  files: BuiltFiles,
  editors: Readonly<Record<string, string>>,
): Response {
  const nonce = randomBytes(16).toString('base64')
  const visitor = readVisitorPreferences(headers)
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
    files: files.getPageFiles(visitor.language),
    settings,
  }
  return new Response(renderPage(page), {
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': buildPagePolicy(nonce, assetOrigins, getPreviewOrigins(preview)),
      'Referrer-Policy': 'same-origin',
      'Cache-Control': 'no-cache',
    },
  })
}

async function logoRoutes({ path, logo }: ResolvedOptions): Promise<readonly PluginRoute[]> {
  if (!logo) return []
  const content = await readFile(logo)
  return [
    {
      method: 'GET',
      path: `${path}/logo`,
      operationId: 'getStudioLogo',
      summary: 'Sends the logo of the Studio.',
      protection: 'public',
      responses: {
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

/** The key of the collection; the program in the browser looks for it in the model. */
const SHARED_VIEWS = 'studioViews'

const own: AccessRule = ({ identity }) => identity !== null && { createdBy: { eq: identity.subject } }

const views: CollectionConfig = defineCollection({
  description: 'Views of lists in the Studio that people share.',
  fields: {
    name: f.text({ required: true, maxLength: 100, search: false }),
    collection: f.text({ required: true, maxLength: 128, search: false }),
    search: f.json({ required: true }),
  },
  access: { read: isAuthenticated, create: isAuthenticated, update: own, delete: own },
})

/** What `sharedViews: true` adds to the config. */
const sharedViews: Readonly<Record<string, CollectionConfig>> = { [SHARED_VIEWS]: views }
