import { realpathSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, sep } from 'node:path'
import { FileError } from '../file-error.ts'

/** The imported folder. Nothing outside of it is read, whether a path or a symbolic link leads there. */
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
    return this.locate(join(dirname(from), decode(address.replace(/[?#].*$/s, ''))))
  }

  /**
   * The path of a file without symbolic links.
   *
   * @throws {FileError} when there is no such file, or it is hidden or outside of the folder
   */
  locate(path: string): string {
    const real = realFile(path)
    const inside = relative(this.#path, real).split(sep)
    if (inside[0] === '..' || isAbsolute(inside.join(sep))) {
      throw new FileError('leads out of the imported folder: copy the file into the folder')
    }
    if (inside.some((segment) => segment.startsWith('.'))) throw new FileError('is hidden')
    return real
  }
}

function realFile(path: string): string {
  try {
    const real = realpathSync(path)
    if (statSync(real).isFile()) return real
  } catch {
    // A path that cannot be read is reported as a missing one.
  }
  throw new FileError('there is no such file')
}

/** A path as addresses write it; one with a stray `%` is meant as it is. */
function decode(address: string): string {
  try {
    return decodeURIComponent(address)
  } catch {
    return address
  }
}
