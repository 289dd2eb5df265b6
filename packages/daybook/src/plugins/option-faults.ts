import { ConfigError, type ConfigFault } from '../index.ts'

/** What is wrong with the options of a plugin. */
export class OptionFaults {
  readonly #plugin: string
  readonly #faults: ConfigFault[] = []

  constructor(plugin: string) {
    this.#plugin = plugin
  }

  /** @param path the option, such as `rules.0.userAgent` */
  add(path: string, message: string): void {
    this.#faults.push({ path: `plugins.${this.#plugin}.options${path === '' ? '' : `.${path}`}`, message })
  }

  /** Adds a fault unless an option is there and holds what it must. */
  require(holds: boolean, path: string, instead: string): void {
    if (!holds) this.add(path, instead)
  }

  /** Reports members that mean nothing; `false`: it is no object at all. */
  hasMembers(value: unknown, path: string, known: readonly string[]): value is Readonly<Record<string, unknown>> {
    const instead = `write an object with: ${known.join(', ')}`
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      this.add(path, instead)
      return false
    }
    for (const key of Object.keys(value)) {
      if (!known.includes(key)) {
        this.add(path === '' ? key : `${path}.${key}`, `there is no such option; write one of: ${known.join(', ')}`)
      }
    }
    return true
  }

  /** @throws {ConfigError} with everything that was added */
  throwIfAny(): void {
    if (this.#faults.length > 0) throw new ConfigError(this.#faults)
  }
}

/** Whether a value is a list of texts that all hold. */
export const isListOf = (value: unknown, holds: (text: string) => boolean): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string' && holds(one))

/** Whether a text is an absolute address of the web. */
export function isWebAddress(text: unknown): text is string {
  return typeof text === 'string' && /^https?:\/\/[^\s/]\S*$/.test(text) && URL.canParse(text)
}
