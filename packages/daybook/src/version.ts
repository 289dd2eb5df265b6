import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'

/** The version of this package. */
export function getDaybookVersion(): string {
  // By a relative specifier, Node would also look in the current folder, which `daybook dev` then watches.
  const manifest = JSON.parse(readFileSync(findPackageJSON('daybook', import.meta.url) ?? '', 'utf8')) as {
    version: string
  }
  return manifest.version
}
