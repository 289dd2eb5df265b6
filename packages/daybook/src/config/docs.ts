import { statSync } from 'node:fs'
import { extname } from 'node:path'
import type { FaultReport } from '../fields/field.ts'

/** The docs page, which shows the API to people. */
export interface DocsConfig {
  /** The path of the page. @default '/docs' */
  readonly path?: string
  /** The title of the page. @default 'Daybook' */
  readonly title?: string
  /** The colour scheme: that of the visitor's system, or a fixed one. @default 'system' */
  readonly theme?: 'system' | 'light' | 'dark'
  /**
   * A file with an SVG, PNG, JPEG or WebP image, shown beside the title and in the browser's tab:
   * `new URL('./logo.svg', import.meta.url)`. @default none
   */
  readonly logo?: URL
}

const DEFAULT_PATH = '/docs'

/** Returns the path of the docs page, or `undefined` if it is switched off. */
export function getDocsPath({ docs = {} }: { readonly docs?: DocsConfig | false }): string | undefined {
  return docs === false ? undefined : (docs.path ?? DEFAULT_PATH)
}

/** The media types of logos, by file ending. */
export const LOGO_TYPES: Readonly<Record<string, string>> = {
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.webp': 'image/webp',
}

/** A path of segments that escaping and resolving do not change. */
const PATH = /^(?:\/[A-Za-z0-9_-][\w.-]*)+$/
/** The reserved paths of the service. */
const RESERVED_PATH = /^\/(?:api|uploads|openapi\.json)(?:\/|$)/
const THEMES: readonly unknown[] = ['system', 'light', 'dark']

export function checkDocsPath(value: unknown, path: string, report: FaultReport): void {
  if (typeof value !== 'string' || !PATH.test(value)) {
    report.add(
      path,
      'must be a path of letters, digits, -, _ and . that begins with / and does not end with it, such as "/docs"',
    )
  } else if (RESERVED_PATH.test(value)) {
    report.add(path, `must not be "${value}", which belongs to the service. Choose another path, such as "/docs"`)
  }
}

export function checkTheme(value: unknown, path: string, report: FaultReport): void {
  if (!THEMES.includes(value)) report.add(path, 'must be "system", "light" or "dark"')
}

export function checkLogo(value: unknown, path: string, report: FaultReport): void {
  if (!(value instanceof URL) || value.protocol !== 'file:') {
    report.add(path, "must be the URL of a file beside the config, such as new URL('./logo.svg', import.meta.url)")
  } else if (!Object.hasOwn(LOGO_TYPES, extname(value.pathname))) {
    report.add(path, `must name a file that ends with one of: ${Object.keys(LOGO_TYPES).join(', ')}`)
  } else if (statSync(value, { throwIfNoEntry: false })?.isFile() !== true) {
    report.add(path, 'names a file that does not exist. Correct the name, or leave the logo out')
  }
}
