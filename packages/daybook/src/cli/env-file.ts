import { statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { StartupError } from '../errors.ts'

/** Where the `.env` of a config is, or would be. */
export function envFilePath(config: string | undefined): string {
  return join(config === undefined ? process.cwd() : dirname(resolve(config)), '.env')
}

/**
 * The `.env` beside the config; undefined when there is none.
 *
 * @param config the config that the command line names; none means one in the current folder
 * @throws {StartupError} when the file system cannot tell whether there is one
 */
export function findEnvFile(config: string | undefined): string | undefined {
  const file = envFilePath(config)
  // A folder of that name is a virtual environment of Python's.
  return withFileError(file, () => statSync(file, { throwIfNoEntry: false })?.isFile()) ? file : undefined
}

/**
 * Reads the `.env` beside the config into the environment, where what is set already stays.
 *
 * @throws {StartupError} when there is one, and it cannot be read
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
