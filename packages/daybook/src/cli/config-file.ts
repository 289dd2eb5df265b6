import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { DaybookConfig } from '../config/config.ts'
import { UsageError } from './usage.ts'

const DEFAULT_FILES = ['daybook.config.ts', 'daybook.config.js', 'daybook.config.mjs']

/**
 * The path of the config: the one named, or the default one of the current folder.
 *
 * @throws {UsageError} when there is none
 */
export function findConfig(named: string | undefined): string {
  const files = (named === undefined ? DEFAULT_FILES : [named]).map((file) => resolve(file))
  const found = files.find((file) => existsSync(file))
  if (found) return found
  const missing = named === undefined ? `${DEFAULT_FILES.join(', ')} in this folder` : named
  throw new UsageError(`There is no config: ${missing}. Name one with --config FILE.`)
}

/**
 * Loads a config file. TypeScript runs as it is (Node strips the types).
 *
 * @throws {UsageError} when there is none, or it has no default export
 */
export async function loadConfig(named: string | undefined): Promise<DaybookConfig> {
  const file = findConfig(named)
  const { default: config } = (await import(pathToFileURL(file).href)) as { readonly default?: DaybookConfig }
  if (config === undefined) throw new UsageError(`${file} exports no config. Write: export default defineConfig({ … })`)
  return config
}
