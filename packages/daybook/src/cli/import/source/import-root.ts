import { realpathSync, statSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { FileError } from '../file-error.ts'

/** The folder that is brought in, outside of which nothing is read. */
export class ImportRoot {
  readonly #path: string

  constructor(folder: string) {
    this.#path = realpathSync(folder)
  }

  /**
   * The file that another one names by a path relative to itself, such as `./img/cat.png`.
   *
   * @returns `undefined` for addresses of other kinds: `https://…`, `//…`, `/…`, `data:…`, `#…`
   * @throws {FileError} when there is no such file, or it is hidden or outside of the folder
   */
  find(from: string, address: string): string | undefined {
    const isOther = /^(?:[a-z][a-z0-9+.-]*:|[/\\#?]|$)/i.test(address)
    if (isOther) return undefined
    const path = this.#real(join(dirname(from), decode(address.replace(/[?#].*$/s, ''))))
    const inside = path.slice(this.#path.length + 1)
    if (!path.startsWith(this.#path + sep)) throw new FileError('leads out of the folder that is brought in')
    if (inside.split(sep).some((segment) => segment.startsWith('.'))) throw new FileError('is hidden')
    return path
  }

  /** Where links lead to. */
  #real(path: string): string {
    try {
      const real = realpathSync(path)
      if (statSync(real).isFile()) return real
    } catch {
      // Said below.
    }
    throw new FileError('there is no such file')
  }
}

/** A path as addresses write it; one with a stray `%` is meant as it is. */
function decode(address: string): string {
  try {
    return decodeURIComponent(address)
  } catch {
    return address
  }
}
