import { extname } from 'node:path'
import { ConfigError, type ConfigFault } from 'daybook'

/** The colour of buttons, links and the focus, for each theme, as `#rrggbb`. */
export interface AccentColours {
  readonly light: string
  readonly dark: string
}

/** Options of `studio()`. */
export interface StudioOptions {
  /** The path of the Studio. @default '/studio' */
  readonly path?: string
  /** The name shown in the Studio and in the browser's tab. @default 'Daybook' */
  readonly title?: string
  /** An SVG, PNG, JPEG or WebP file, shown next to the title: `new URL('./logo.svg', import.meta.url)`. @default none */
  readonly logo?: URL
  /** One colour for both themes, as `#rrggbb`, or one for each. @default a blue */
  readonly accent?: string | AccentColours
  /** Other origins that images and files are loaded from, such as `https://files.example.org`. @default none */
  readonly assetOrigins?: readonly string[]
  /**
   * Other origins whose images are uploaded when they are pasted with a text. Images of all others stay where they are, and the text
   * refers to them. @default those of Google Docs
   */
  readonly pasteOrigins?: readonly string[]
  /**
   * Editors of custom field types, by the name of the type: files with ES modules that export `mount`, such as
   * `{ rating: new URL('./rating-editor.js', import.meta.url) }`. @default none
   */
  readonly editors?: Readonly<Record<string, URL>>
  /** Lets users share views of lists, which are stored in the collection `studioViews`. @default false */
  readonly sharedViews?: boolean
  /**
   * The URLs of the site's pages, by collection: `{ posts: 'https://www.example.org/posts/{slug}?preview={token}' }`. A placeholder in
   * braces is the name of a field, `id`, `locale`, or `token`, which shows the draft. @default none
   */
  readonly preview?: Readonly<Record<string, string>>
}

/** Valid options with defaults applied. */
export interface ResolvedOptions {
  readonly path: string
  readonly title: string
  readonly logo: URL | undefined
  readonly accent: AccentColours | undefined
  readonly assetOrigins: readonly string[]
  readonly pasteOrigins: readonly string[]
  readonly editors: Readonly<Record<string, URL>>
  readonly sharedViews: boolean
  readonly preview: Readonly<Record<string, string>>
}

/** The origins of images in Google Docs, which anybody may read who has the address. */
const GOOGLE_ORIGINS: readonly string[] = ['lh3', 'lh4', 'lh5', 'lh6', 'lh7-eu', 'lh7-qw', 'lh7-rt', 'lh7-us'].map(
  (host) => `https://${host}.googleusercontent.com`,
)

/** Media types of logos, by file extension. */
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

/** The check of each option, and the message if it fails. */
const RULES: {
  readonly [Name in keyof StudioOptions]-?: readonly [
    isValid: (value: NonNullable<StudioOptions[Name]>) => boolean,
    message: string,
  ]
} = {
  path: [isPath, 'must be a path below / and not below /api, without a slash at its end, such as "/studio"'],
  title: [(title) => typeof title === 'string' && title.trim() !== '', 'must be a name, such as "The museum"'],
  logo: [isLogo, "must be the URL of an SVG, PNG, JPEG or WebP file, such as new URL('./logo.svg', import.meta.url)"],
  accent: [
    isAccent,
    "must be a colour, such as '#1f5fbf', or one for each theme, such as { light: '#1f5fbf', dark: '#8ab4f8' }",
  ],
  assetOrigins: [
    (origins) => Array.isArray(origins) && origins.every(isOrigin),
    "must be a list of origins without a path, such as ['https://files.example.org']",
  ],
  pasteOrigins: [
    (origins) => Array.isArray(origins) && origins.every(isOrigin),
    "must be a list of origins without a path, such as ['https://images.example.org']",
  ],
  editors: [
    isEditors,
    "must have the URL of a .js or .mjs file for each field type, such as { rating: new URL('./rating-editor.js', import.meta.url) }",
  ],
  sharedViews: [isFlag, 'must be true or false'],
  preview: [
    (addresses) =>
      typeof addresses === 'object' &&
      Object.values(addresses).every((address) => getPreviewOrigin(address) !== undefined),
    "must have addresses whose origin has no placeholder in braces, such as { posts: 'https://www.example.org/posts/{slug}?preview={token}' }",
  ],
}

/**
 * Checks options and applies defaults.
 *
 * @throws {ConfigError} with every fault of the options
 */
export function resolveOptions(options: StudioOptions): ResolvedOptions {
  const faults = Object.entries(options).flatMap(([name, value]) => checkOption(name, value))
  if (faults.length > 0) throw new ConfigError(faults)
  const {
    path = '/studio',
    title = 'Daybook',
    logo,
    accent,
    assetOrigins = [],
    pasteOrigins = GOOGLE_ORIGINS,
    editors = {},
    sharedViews = false,
    preview = {},
  } = options
  const accents = typeof accent === 'string' ? { light: accent, dark: accent } : accent
  return { path, title, logo, accent: accents, assetOrigins, pasteOrigins, editors, sharedViews, preview }
}

function checkOption(name: string, value: unknown): readonly ConfigFault[] {
  const path = `plugins.studio.options.${name}`
  if (!Object.hasOwn(RULES, name)) {
    return [{ path, message: `is not an option. Use one of: ${Object.keys(RULES).join(', ')}` }]
  }
  const [isValid, message] = RULES[name as keyof StudioOptions] as readonly [(value: unknown) => boolean, string]
  return value === undefined || isValid(value) ? [] : [{ path, message }]
}

/** A placeholder in a URL, such as `{slug}`. */
const PLACEHOLDER = /\{(\w+)\}/g

/** Returns the origin of a URL with placeholders; `undefined` if it is no URL, or if its origin depends on the entry. */
export function getPreviewOrigin(address: unknown): string | undefined {
  if (typeof address !== 'string') return undefined
  const filled = address.replace(PLACEHOLDER, 'x')
  if (!/^https?:\/\//.test(filled) || /[{}]/.test(filled) || !URL.canParse(filled)) return undefined
  const { origin } = new URL(filled)
  // The origin must not contain a placeholder: a slug must not choose the host.
  return address === origin || address.startsWith(`${origin}/`) ? origin : undefined
}

/** Placeholders that are not fields. */
const SPECIAL_PLACEHOLDERS: readonly string[] = ['token', 'locale']

/** Checks preview URLs against the collections: each needs an existing collection, and placeholders that its entries can fill. */
export function checkPreviewAddresses(
  addresses: Readonly<Record<string, string>>,
  collections: Readonly<Record<string, readonly string[]>>,
): readonly ConfigFault[] {
  return Object.entries(addresses).flatMap(([key, address]) => {
    const path = `plugins.studio.preview.${key}`
    const fields = Object.hasOwn(collections, key) ? collections[key] : undefined
    if (!fields) {
      const keys = Object.keys(collections).join(', ')
      return [{ path, message: `is not a collection. Use one of: ${keys}` }]
    }
    const placeholders = [...address.matchAll(PLACEHOLDER)].map(([, name = '']) => name)
    const unknown = placeholders.filter((name) => !fields.includes(name) && !SPECIAL_PLACEHOLDERS.includes(name))
    return unknown.map((name) => ({
      path,
      message: `contains {${name}}, but entries of "${key}" have no field "${name}". Use one of: ${[...SPECIAL_PLACEHOLDERS, ...fields].join(', ')}`,
    }))
  })
}

export const getPreviewOrigins = (addresses: Readonly<Record<string, string>>): readonly string[] => [
  ...new Set(Object.values(addresses).flatMap((address) => getPreviewOrigin(address) ?? [])),
]
