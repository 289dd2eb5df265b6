import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Packed } from './pack-packages.ts'

const LOCK = fileURLToPath(new URL('../../package-lock.json', import.meta.url))

/** An entry of `package-lock.json`. */
interface LockEntry {
  readonly version: string
  readonly integrity?: string
  readonly [key: string]: unknown
}

/** The manifests of a package by version, in the format of a registry. */
type Versions = Readonly<Record<string, object>>

/**
 * A registry on this machine with Daybook's packed packages, and with the manifests of all others in the versions of the checkout's
 * lockfile. npm finds the tarballs of those in its cache by digest, or downloads them from their registry.
 */
export class LocalRegistry implements AsyncDisposable {
  readonly #packages: ReadonlyMap<string, Versions>
  readonly #tarballs: ReadonlyMap<string, string>
  readonly #server: Server

  private constructor(packages: ReadonlyMap<string, Versions>, tarballs: ReadonlyMap<string, string>) {
    this.#packages = packages
    this.#tarballs = tarballs
    this.#server = createServer((request, response) => {
      const body = this.#read(decodeURIComponent(request.url ?? ''))
      body.then(
        (content) => response.writeHead(content === undefined ? 404 : 200).end(content),
        () => response.writeHead(500).end(),
      )
    })
  }

  /** @param origin the address of the registry of the other packages */
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

  /** The address, with a slash at the end. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`
  }

  async #read(path: string): Promise<string | Buffer | undefined> {
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

/** Reads the packages of the lockfile, without those of the workspace. */
async function readLock(origin: string): Promise<Iterable<[string, Versions]>> {
  const { packages } = JSON.parse(await readFile(LOCK, 'utf8')) as { packages: Readonly<Record<string, LockEntry>> }
  const versions = new Map<string, Versions>()
  for (const [path, { version, integrity, ...rest }] of Object.entries(packages)) {
    if (integrity === undefined) continue
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
    const tarball = new URL(join(name, '-', `${basename(name)}-${version}.tgz`), origin).href
    const manifest = { ...rest, name, version, dist: { integrity, tarball } }
    versions.set(name, { ...versions.get(name), [version]: manifest })
  }
  return versions
}
