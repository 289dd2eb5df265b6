import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'

/** The version of this package. */
export function daybookVersion(): string {
  const manifest = JSON.parse(readFileSync(findPackageJSON('.', import.meta.url) ?? '', 'utf8')) as { version: string }
  return manifest.version
}
