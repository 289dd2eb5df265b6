import { statSync } from 'node:fs'
import { extname } from 'node:path'
import type { FaultReport } from '../fields/field.ts'
import { LOGO_TYPES } from './docs.ts'

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
