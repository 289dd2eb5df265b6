import { createHash, randomBytes } from 'node:crypto'
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
import {
  checkPreviewAddresses,
  getPreviewOrigins,
  LOGO_TYPES,
  type ResolvedOptions,
  resolveOptions,
  type StudioOptions,
} from './options.ts'
import { buildPagePolicy, LOGO_POLICY, readVisitorPreferences, renderPage } from './page.ts'

/** Names of built files contain a hash of their content. */
const IMMUTABLE = /\.[0-9a-f]{8}\.\w+$/

const PAGE_RESPONSES: PluginRoute['responses'] = {
  200: {
    description: 'The page.',
    mediaType: 'text/html',
    schema: { type: 'string' },
    headers: {
      'Content-Security-Policy': 'Limits what the page may load and run.',
      'Referrer-Policy': 'Keeps the address of the page from other origins.',
    },
  },
}

/**
 * Creates the Studio plugin: an editing interface generated from the model. It uses only the public API, so that access rules decide
 * what each user can do.
 *
 * @throws {ConfigError} if options are invalid
 *
 * @example
 * ```ts
 * defineConfig({ collections, plugins: [studio({ title: 'The museum' })] })
 * ```
 */
export function studio(
  options: StudioOptions = {},
): Plugin<Record<never, never>, Record<never, never>, Record<never, never>> {
  const resolved = resolveOptions(options)
  const { path, title } = resolved
  return definePlugin({
    name: 'studio',
    version: '1.0.0',
    options: { path, title },
    startPage: path,
    collections: resolved.sharedViews ? sharedViews : {},
    async setup({ route, collections }) {
      const faults = checkPreviewAddresses(resolved.preview, collections)
      if (faults.length > 0) throw new ConfigError(faults)
      const files = await openBuiltFiles()
      const editors = await loadEditors(path, resolved.editors)
      const pages = makePageRoutes(resolved, files, getEditorPaths(editors))
      for (const page of [...pages, ...makeEditorRoutes(editors), ...(await makeLogoRoutes(resolved))]) route(page)
      for (const file of staticFiles({ path: `${path}/app`, folder: files.folder, immutable: IMMUTABLE })) {
        route({ ...file, operationId: 'getStudioFile', summary: 'Sends a file of the Studio.' })
      }
    },
  })
}

/** Routes that return the same page for every view: the program reads the view from the URL. */
function makePageRoutes(
  options: ResolvedOptions,
  files: BuiltFiles,
  editors: Readonly<Record<string, string>>,
): readonly PluginRoute[] {
  const common = {
    method: 'GET',
    protection: 'public',
    summary: 'Shows people the Studio, where they write.',
    // The program reads the query of a view.
    anyQuery: true,
    responses: PAGE_RESPONSES,
    run: (request: PluginRequest) => respondWithPage(request, options, files, editors),
  } as const
  return [
    { ...common, path: options.path, operationId: 'getStudio' },
    { ...common, path: `${options.path}/*`, operationId: 'getStudioView' },
    makeSlashRedirect(options.path),
  ]
}

const makeSlashRedirect = (path: string): PluginRoute => ({
  method: 'GET',
  path: `${path}/`,
  operationId: 'getStudioWithSlash',
  summary: 'Sends browsers to the Studio.',
  protection: 'public',
  anyQuery: true,
  responses: { 302: { description: 'A redirect to the Studio.', headers: { Location: 'The address of the Studio.' } } },
  run: () => new Response(null, { status: 302, headers: { Location: path, 'Cache-Control': 'no-cache' } }),
})

function respondWithPage(
  { headers }: PluginRequest,
  { path, title, logo, accent, assetOrigins, pasteOrigins, preview }: ResolvedOptions,
  files: BuiltFiles,
  editors: Readonly<Record<string, string>>,
): Response {
  const nonce = randomBytes(16).toString('base64')
  const visitor = readVisitorPreferences(headers)
  const settings = {
    path,
    title,
    pasteOrigins,
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
      'Content-Security-Policy': buildPagePolicy(nonce, assetOrigins, pasteOrigins, getPreviewOrigins(preview)),
      'Referrer-Policy': 'same-origin',
      'Cache-Control': 'no-cache',
    },
  })
}

async function makeLogoRoutes({ path, logo }: ResolvedOptions): Promise<readonly PluginRoute[]> {
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
          headers: { 'Content-Security-Policy': 'Keeps an image that is opened on its own from running scripts.' },
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

/** The key of the collection, by which the program finds it in the model. */
const SHARED_VIEWS = 'studioViews'

const createdByCaller: AccessRule = ({ identity }) => identity !== null && { createdBy: { eq: identity.subject } }

const views: CollectionConfig = defineCollection({
  description: 'Views of lists in the Studio that people share.',
  fields: {
    name: f.text({ required: true, maxLength: 100, search: false }),
    collection: f.text({ required: true, maxLength: 128, search: false }),
    search: f.json({ required: true }),
  },
  access: { read: isAuthenticated, create: isAuthenticated, update: createdByCaller, delete: createdByCaller },
})

/** The collection that `sharedViews: true` adds to the config. */
const sharedViews: Readonly<Record<string, CollectionConfig>> = { [SHARED_VIEWS]: views }

/** The module of an editor, as it is served. */
interface EditorFile {
  readonly type: string
  readonly path: string
  readonly content: Uint8Array<ArrayBuffer>
}

/** Loads the modules of editors, whose paths contain a hash of the content. */
async function loadEditors(studioPath: string, editors: Readonly<Record<string, URL>>): Promise<readonly EditorFile[]> {
  return Promise.all(
    Object.entries(editors).map(async ([type, file]) => {
      const content = await readFile(file)
      const digest = createHash('sha256').update(content).digest('hex').slice(0, 8)
      return { type, path: `${studioPath}/editors/${type}.${digest}.js`, content }
    }),
  )
}

/** Makes routes that serve the modules of editors from the Studio's origin. */
const makeEditorRoutes = (files: readonly EditorFile[]): readonly PluginRoute[] =>
  files.map(({ type, path, content }) => ({
    method: 'GET',
    path,
    operationId: `getStudioEditorOf${type.charAt(0).toUpperCase()}${type.slice(1)}`,
    summary: `Sends the Studio's editor of ${type} fields.`,
    protection: 'public',
    responses: { 200: { description: 'An ES module.', mediaType: 'text/javascript', schema: { type: 'string' } } },
    run: () =>
      new Response(content, {
        headers: {
          'Content-Type': 'text/javascript; charset=utf-8',
          'Cache-Control': 'public, max-age=31536000, immutable',
        },
      }),
  }))

const getEditorPaths = (files: readonly EditorFile[]): Readonly<Record<string, string>> =>
  Object.fromEntries(files.map(({ type, path }) => [type, path]))
