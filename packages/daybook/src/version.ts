import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'

export function getDaybookVersion(): string {
  // With a relative specifier, Node would also look in the current folder, and `daybook dev` would watch it.
  const manifest = JSON.parse(readFileSync(findPackageJSON('daybook', import.meta.url) ?? '', 'utf8')) as {
    version: string
  }
  return manifest.version
}
