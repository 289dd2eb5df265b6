import { statSync } from 'node:fs'
import { extname } from 'node:path'
import type { FaultReport } from '../fields/field.ts'

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
export function getDocsPath({ docs = {} }: { readonly docs?: DocsConfig | false }): string | undefined {
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

/** Segments that are the same however they are escaped or resolved. */
const PATH = /^(?:\/[A-Za-z0-9_-][\w.-]*)+$/
/** Paths that the service answers, and reserves. */
const TAKEN = /^\/(?:api|uploads|openapi\.json)(?:\/|$)/
const THEMES: readonly unknown[] = ['system', 'light', 'dark']

/** Names what is wrong with the path of the docs page. */
export function checkDocsPath(value: unknown, path: string, report: FaultReport): void {
  if (typeof value !== 'string' || !PATH.test(value)) {
    report.add(path, "write a path of letters, digits, -, _ and . that begins with / and does not end with it: '/docs'")
  } else if (TAKEN.test(value)) {
    report.add(path, `${value} belongs to the service; choose another path, such as '/docs'`)
  }
}

/** Names what is wrong with the theme of the docs page. */
export function checkTheme(value: unknown, path: string, report: FaultReport): void {
  if (!THEMES.includes(value)) report.add(path, "write 'system', 'light' or 'dark'")
}

/** Names what is wrong with the logo of the docs page. */
export function checkLogo(value: unknown, path: string, report: FaultReport): void {
  if (!(value instanceof URL) || value.protocol !== 'file:') {
    report.add(path, "write the address of a file beside the config: new URL('./logo.svg', import.meta.url)")
  } else if (!Object.hasOwn(LOGO_TYPES, extname(value.pathname))) {
    report.add(path, `name a file that ends with one of: ${Object.keys(LOGO_TYPES).join(', ')}`)
  } else if (statSync(value, { throwIfNoEntry: false })?.isFile() !== true) {
    report.add(path, 'there is no such file; correct the name, or leave the logo out')
  }
}
