import { existsSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { DaybookConfig } from '../config/config.ts'
import { StartupError } from '../errors.ts'
import { type CommonOptions, UsageError } from './command.ts'

const DEFAULT_FILES = ['daybook.config.ts', 'daybook.config.js', 'daybook.config.mjs']

/**
 * Returns the path of the config: that of the option, or the default file of the current folder.
 *
 * @throws {UsageError} if there is no such file
 */
export function findConfig(option: string | undefined): string {
  const files = (option === undefined ? DEFAULT_FILES : [option]).map((file) => resolve(file))
  const existingFile = files.find((file) => existsSync(file))
  if (existingFile) return existingFile
  const missing = option === undefined ? `${DEFAULT_FILES.join(', ')} in this folder` : option
  throw new UsageError(`The config does not exist: ${missing}. Name one with --config FILE.`)
}

/**
 * Loads a config file. TypeScript runs as it is (Node strips the types).
 *
 * @throws {UsageError} if there is none, or it has no default export
 */
export async function loadConfig(option: string | undefined): Promise<DaybookConfig> {
  const file = findConfig(option)
  const { default: config } = (await import(pathToFileURL(file).href)) as { readonly default?: DaybookConfig }
  if (config === undefined)
    throw new UsageError(`${file} has no default export. Write: export default defineConfig({ … })`)
  return config
}

/** Returns the folder of the database: that of the option, of the environment, or `.daybook`. */
export function dataFolder({ data }: CommonOptions): string {
  return data ?? process.env.DAYBOOK_DATA ?? '.daybook'
}

/** Returns the path of the `.env` beside a config. The file may not exist. */
export function envFilePath(config: string | undefined): string {
  return join(config === undefined ? process.cwd() : dirname(resolve(config)), '.env')
}

/**
 * Returns the path of the `.env` beside a config; undefined if there is none.
 *
 * @param config the option; without it, the config is in the current folder
 * @throws {StartupError} if the file system cannot tell
 */
export function findEnvFile(config: string | undefined): string | undefined {
  const file = envFilePath(config)
  // A folder of that name is a virtual environment of Python.
  return withFileError(file, () => statSync(file, { throwIfNoEntry: false })?.isFile()) ? file : undefined
}

/**
 * Reads the `.env` beside a config into the environment. Variables that are set already stay.
 *
 * @throws {StartupError} if the file cannot be read
 */
export function loadEnvFile(config: string | undefined): void {
  const file = findEnvFile(config)
  if (file !== undefined) withFileError(file, () => process.loadEnvFile(file))
}

function withFileError<T>(file: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw new StartupError(`${file} cannot be read: ${error instanceof Error ? error.message : error}`)
  }
}
