import { extname } from 'node:path'
import { ConfigError, type ConfigFault } from 'daybook'

/** The colour of buttons, links and the focus, for each theme, as `#rrggbb`. */
export interface AccentColours {
  readonly light: string
  readonly dark: string
}

/** Options of `studio()`. */
export interface StudioOptions {
  /** Where the Studio is. @default '/studio' */
  readonly path?: string
  /** The name at its top and in the browser's tab. @default 'Daybook' */
  readonly title?: string
  /** A file with an SVG, PNG, JPEG or WebP image, shown beside the title: `new URL('./logo.svg', import.meta.url)`. @default none */
  readonly logo?: URL
  /** One colour for both themes, as `#rrggbb`, or one for each. @default a blue */
  readonly accent?: string | AccentColours
  /** Origins besides the service's own that images and files come from, such as `https://files.example.org`. @default none */
  readonly assetOrigins?: readonly string[]
  /**
   * Editors of field types of your own, by the name of the type: files with ES modules that export `mount`, such as
   * `{ rating: new URL('./rating-editor.js', import.meta.url) }`. @default none
   */
  readonly editors?: Readonly<Record<string, URL>>
  /** Whether people can share views of lists: the collection `studioViews` holds them. @default false */
  readonly sharedViews?: boolean
  /**
   * The addresses of the site's pages, by collection: `{ posts: 'https://www.example.org/posts/{slug}?preview={token}' }`. A place in
   * braces takes the value of that field, `{id}`, or `{token}`, which shows the working copy. @default none
   */
  readonly preview?: Readonly<Record<string, string>>
}

/** Options, checked and complete. */
export interface ResolvedOptions {
  readonly path: string
  readonly title: string
  readonly logo: URL | undefined
  readonly accent: AccentColours | undefined
  readonly assetOrigins: readonly string[]
  readonly editors: Readonly<Record<string, URL>>
  readonly sharedViews: boolean
  readonly preview: Readonly<Record<string, string>>
}

/** Media types of images that can be a logo, by the ending of the file's name. */
export const LOGO_TYPES: Readonly<Record<string, string>> = {
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.webp': 'image/webp',
}

const isPath = (path: unknown): boolean =>
  typeof path === 'string' && /^(?:\/[\w-][\w.-]*)+$/.test(path) && !/^\/api(?:\/|$)/.test(path)

const isColour = (colour: unknown): boolean => typeof colour === 'string' && /^#[0-9a-f]{6}$/i.test(colour)

const isAccent = (accent: string | AccentColours): boolean =>
  isColour(accent) || (typeof accent === 'object' && isColour(accent?.light) && isColour(accent?.dark))

const isLogo = (logo: unknown): boolean =>
  logo instanceof URL && logo.protocol === 'file:' && extname(logo.pathname) in LOGO_TYPES

const isFlag = (value: unknown): boolean => typeof value === 'boolean'

const isOrigin = (origin: unknown): boolean =>
  typeof origin === 'string' && URL.canParse(origin) && /^https?:/.test(origin) && new URL(origin).origin === origin

const isModule = (file: unknown): boolean =>
  file instanceof URL && file.protocol === 'file:' && /\.m?js$/.test(file.pathname)

const isEditors = (editors: unknown): boolean =>
  typeof editors === 'object' &&
  editors !== null &&
  Object.entries(editors).every(([type, file]) => /^[a-zA-Z][\w-]*$/.test(type) && isModule(file))

/** What holds for each option, and what to write instead. */
const RULES: {
  readonly [Name in keyof StudioOptions]-?: readonly [
    holds: (value: NonNullable<StudioOptions[Name]>) => boolean,
    instead: string,
  ]
} = {
  path: [isPath, "write a path below / and not below /api, without a slash at its end, such as '/studio'"],
  title: [(title) => typeof title === 'string' && title.trim() !== '', "write a name, such as 'The museum'"],
  logo: [isLogo, "write the URL of an SVG, PNG, JPEG or WebP file: new URL('./logo.svg', import.meta.url)"],
  accent: [isAccent, "write '#1f5fbf', or a colour for each theme: { light: '#1f5fbf', dark: '#8ab4f8' }"],
  assetOrigins: [
    (origins) => Array.isArray(origins) && origins.every(isOrigin),
    "write origins without a path: ['https://files.example.org']",
  ],
  editors: [
    isEditors,
    "write the URL of a .js or .mjs file for each field type: { rating: new URL('./rating-editor.js', import.meta.url) }",
  ],
  sharedViews: [isFlag, 'write true or false'],
  preview: [
    (addresses) =>
      typeof addresses === 'object' && Object.values(addresses).every((one) => getPreviewOrigin(one) !== undefined),
    "write addresses whose origin has no place in braces: { posts: 'https://www.example.org/posts/{slug}?preview={token}' }",
  ],
}

/** @throws {ConfigError} with every fault of the options */
export function resolveOptions(options: StudioOptions): ResolvedOptions {
  const faults = Object.entries(options).flatMap(([name, value]) => faultOf(name, value))
  if (faults.length > 0) throw new ConfigError(faults)
  const {
    path = '/studio',
    title = 'Daybook',
    logo,
    accent,
    assetOrigins = [],
    editors = {},
    sharedViews = false,
    preview = {},
  } = options
  const accents = typeof accent === 'string' ? { light: accent, dark: accent } : accent
  return { path, title, logo, accent: accents, assetOrigins, editors, sharedViews, preview }
}

function faultOf(name: string, value: unknown): readonly ConfigFault[] {
  const at = `plugins.studio.options.${name}`
  if (!Object.hasOwn(RULES, name)) {
    return [{ path: at, message: `there is no such option; write one of: ${Object.keys(RULES).join(', ')}` }]
  }
  const [holds, message] = RULES[name as keyof StudioOptions] as readonly [(value: unknown) => boolean, string]
  return value === undefined || holds(value) ? [] : [{ path: at, message }]
}

/** A place in an address that a value of the entry takes: `{slug}`. */
const PLACE = /\{(\w+)\}/g

/** The origin of an address with places; `undefined`: it is none, or its origin depends on the entry. */
export function getPreviewOrigin(address: unknown): string | undefined {
  if (typeof address !== 'string') return undefined
  const filled = address.replace(PLACE, 'x')
  if (!/^https?:\/\//.test(filled) || /[{}]/.test(filled) || !URL.canParse(filled)) return undefined
  const { origin } = new URL(filled)
  // What stands before the first slash names no place: a slug must not choose the host.
  return address === origin || address.startsWith(`${origin}/`) ? origin : undefined
}

/** What takes the place of `{token}` and `{locale}` is no field. */
const OWN_PLACES: readonly string[] = ['token', 'locale']

/** What is wrong with addresses in a service: a collection that is not there, or a place that no entry fills. */
export function checkPreviewAddresses(
  addresses: Readonly<Record<string, string>>,
  collections: Readonly<Record<string, readonly string[]>>,
): readonly ConfigFault[] {
  return Object.entries(addresses).flatMap(([key, address]) => {
    const path = `plugins.studio.preview.${key}`
    const fields = Object.hasOwn(collections, key) ? collections[key] : undefined
    if (!fields) {
      const known = Object.keys(collections).join(', ')
      return [{ path, message: `there is no collection "${key}"; write one of these: ${known}` }]
    }
    const places = [...address.matchAll(PLACE)].map(([, place = '']) => place)
    const unknown = places.filter((place) => !fields.includes(place) && !OWN_PLACES.includes(place))
    return unknown.map((place) => ({
      path,
      message: `entries of "${key}" have no "${place}" to fill {${place}} with; write one of these: ${[...OWN_PLACES, ...fields].join(', ')}`,
    }))
  })
}

/** The origins of all addresses, each once. */
export const getPreviewOrigins = (addresses: Readonly<Record<string, string>>): readonly string[] => [
  ...new Set(Object.values(addresses).flatMap((address) => getPreviewOrigin(address) ?? [])),
]
