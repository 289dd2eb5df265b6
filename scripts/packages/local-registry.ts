import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Packed } from './pack-packages.ts'

const LOCK = fileURLToPath(new URL('../../package-lock.json', import.meta.url))

/** What `package-lock.json` says of one place in `node_modules`. */
interface Locked {
  readonly version: string
  readonly integrity?: string
  readonly [key: string]: unknown
}

/** The manifests of a package by version, as a registry tells them. */
type Versions = Readonly<Record<string, object>>

/**
 * A registry on this machine: it has Daybook's packages as they were packed, and knows all others in the versions of the
 * checkout's lock. It has no tarballs of those: npm finds them in its cache by their digests, or asks the registry they come from.
 */
export class LocalRegistry implements AsyncDisposable {
  readonly #packages: ReadonlyMap<string, Versions>
  readonly #tarballs: ReadonlyMap<string, string>
  readonly #server: Server

  private constructor(packages: ReadonlyMap<string, Versions>, tarballs: ReadonlyMap<string, string>) {
    this.#packages = packages
    this.#tarballs = tarballs
    this.#server = createServer((request, response) => {
      const body = this.#answer(decodeURIComponent(request.url ?? ''))
      body.then(
        (found) => response.writeHead(found === undefined ? 404 : 200).end(found),
        () => response.writeHead(500).end(),
      )
    })
  }

  /** @param origin the address of the registry that the other packages come from */
  static async open(packed: readonly Packed[], origin: string): Promise<LocalRegistry> {
    const tarballs = new Map(packed.map(({ tarball }) => [`/${basename(tarball)}`, tarball]))
    const packages = new Map(await readLock(origin))
    const registry = new LocalRegistry(packages, tarballs)
    registry.#server.listen(0, '127.0.0.1')
    await once(registry.#server, 'listening')
    for (const { manifest, tarball } of packed) {
      const integrity = `sha512-${createHash('sha512')
        .update(await readFile(tarball))
        .digest('base64')}`
      const dist = { integrity, tarball: `${registry.url}${basename(tarball)}` }
      packages.set(manifest.name, { [manifest.version]: { ...manifest, dist } })
    }
    return registry
  }

  /** Ends with a slash. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`
  }

  async #answer(path: string): Promise<string | Buffer | undefined> {
    const tarball = this.#tarballs.get(path)
    if (tarball !== undefined) return readFile(tarball)
    const name = path.slice(1)
    const versions = this.#packages.get(name)
    if (versions === undefined) return undefined
    return JSON.stringify({ name, 'dist-tags': { latest: Object.keys(versions).at(-1) }, versions })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#server.listening) return
    this.#server.close()
    this.#server.closeAllConnections()
    await once(this.#server, 'close')
  }
}

/** Every package of the lock, but for those of the workspace. */
async function readLock(origin: string): Promise<Iterable<[string, Versions]>> {
  const { packages } = JSON.parse(await readFile(LOCK, 'utf8')) as { packages: Readonly<Record<string, Locked>> }
  const found = new Map<string, Versions>()
  for (const [path, { version, integrity, ...rest }] of Object.entries(packages)) {
    if (integrity === undefined) continue
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
    const tarball = new URL(join(name, '-', `${basename(name)}-${version}.tgz`), origin).href
    const manifest = { ...rest, name, version, dist: { integrity, tarball } }
    found.set(name, { ...found.get(name), [version]: manifest })
  }
  return found
}
