import { OptionFaults } from '../option-faults.ts'

/** Options of `resumableUploads()`. */
export interface ResumableUploadsOptions {
  /** Where uploads are made. @default '/api/uploads' */
  readonly path?: string
  /** How long an upload may take until it is complete, in seconds. @default 86,400 */
  readonly expiresIn?: number
}

const DEFAULT_PATH = '/api/uploads'
const DEFAULT_EXPIRY = 24 * 60 * 60
const PATH = /^(?:\/[A-Za-z0-9][A-Za-z0-9._-]*)+$/

/** @throws {ConfigError} with every fault of the options */
export function resolveOptions(options: ResumableUploadsOptions): Required<ResumableUploadsOptions> {
  const faults = new OptionFaults('resumable-uploads')
  const { path = DEFAULT_PATH, expiresIn = DEFAULT_EXPIRY } = options
  if (faults.hasMembers(options, '', ['path', 'expiresIn'])) {
    faults.require(typeof path === 'string' && PATH.test(path), 'path', "write a path, such as '/api/uploads'")
    faults.require(Number.isInteger(expiresIn) && expiresIn > 0, 'expiresIn', 'write a number of seconds')
  }
  faults.throwIfAny()
  return { path, expiresIn }
}
