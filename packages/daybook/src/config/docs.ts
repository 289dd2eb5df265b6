/** The docs page: what the service can do, shown to people. */
export interface DocsConfig {
  /** Where it is. @default '/docs' */
  readonly path?: string
  /** The name at its top and in the browser's tab. @default 'Daybook' */
  readonly title?: string
  /** Its colours: those that the visitor's system asks for, or always the same. @default 'system' */
  readonly theme?: 'system' | 'light' | 'dark'
  /**
   * A file with an SVG, PNG, JPEG or WebP image, shown beside the title and in the browser's tab:
   * `new URL('./logo.svg', import.meta.url)`. @default none
   */
  readonly logo?: URL
}

const DEFAULT_PATH = '/docs'

/** The path of the docs page; `undefined` where it is switched off. */
export function docsPath({ docs = {} }: { readonly docs?: DocsConfig | false }): string | undefined {
  return docs === false ? undefined : (docs.path ?? DEFAULT_PATH)
}

/** Media types of images that can be a logo, by the ending of the file's name. */
export const LOGO_TYPES: Readonly<Record<string, string>> = {
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.webp': 'image/webp',
}
