import { ConfigError, type ConfigFault } from '../index.ts'

/**
 * Checks the options of a plugin.
 *
 * @param keys the options that the plugin has
 * @param check adds the faults of options that are an object
 * @throws {ConfigError} with every fault
 */
export function checkOptions(
  plugin: string,
  options: unknown,
  keys: readonly string[],
  check: (faults: OptionFaults) => void,
): void {
  const faults = new OptionFaults(`plugins.${plugin}.options`)
  if (faults.hasMembers(options, '', keys)) check(faults)
  if (faults.all.length > 0) throw new ConfigError(faults.all)
}

/** The faults in the options of a plugin. Each method takes the path of an option, such as `rules.0.userAgent`. */
export class OptionFaults {
  readonly all: ConfigFault[] = []
  readonly #root: string

  constructor(root: string) {
    this.#root = root
  }

  add(path: string, message: string): void {
    this.all.push({ path: joinPath(this.#root, path), message })
  }

  require(isValid: boolean, path: string, advice: string): void {
    if (!isValid) this.add(path, advice)
  }

  /** Adds a fault for each unknown member of an object. Returns `false`, and adds a fault, if the value is no object. */
  hasMembers(value: unknown, path: string, keys: readonly string[]): value is Readonly<Record<string, unknown>> {
    const list = keys.join(', ')
    if (!isObject(value)) {
      this.add(path, `must be an object with: ${list}`)
      return false
    }
    for (const key of Object.keys(value)) {
      if (!keys.includes(key)) this.add(joinPath(path, key), `is not an option. Use one of: ${list}`)
    }
    return true
  }

  /** Returns the members of an object with arbitrary keys. Returns none, and adds a fault, if the value is no object. */
  requireEntries(value: unknown, path: string, advice: string): readonly (readonly [key: string, value: unknown])[] {
    if (isObject(value)) return Object.entries(value)
    this.add(path, advice)
    return []
  }
}

const joinPath = (path: string, key: string): string => [path, key].filter((part) => part !== '').join('.')

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** True for a list of strings that all pass a check. */
export const isListOf = (value: unknown, isValid: (text: string) => boolean): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string' && isValid(item))

/** True for a literal path that a route can have. */
export const isRoutePath = (path: unknown): path is string =>
  typeof path === 'string' && /^(?:\/[A-Za-z0-9][A-Za-z0-9._-]*)+$/.test(path)

/** True for an absolute URL with `http:` or `https:`. */
export const isWebUrl = (text: unknown): text is string =>
  typeof text === 'string' && /^https?:\/\/[^\s/]\S*$/.test(text) && URL.canParse(text)
