import { builtinModules } from 'node:module'
import { dirname, join, relative, sep } from 'node:path'
import { parseSync } from 'oxc-parser'
import { type Plugin, rolldown } from 'rolldown'
import { findPackage } from './bundled-package.ts'

/** The calls in sources that name the entry files of threads and child processes. */
const ENTRY_CALL = /\bresolveSiblingModule\(import\.meta\.url, '([^']+)'\)/g

/** A placeholder for the address of a module until its output file is known. */
const ADDRESS = /__addressOf\("([^"]+)"\)/g

export interface Bundling {
  /** The folder of the package's sources. */
  readonly home: string
  /** The folder of the built package. */
  readonly target: string
  /** The sources of `exports` and `bin` in the manifest. */
  readonly entries: readonly string[]
  /** Packages that are installed instead of bundled. */
  readonly external: readonly string[]
}

/**
 * Bundles a package, so that a start reads few files and few packages are installed. Entries share chunks, so that each class exists
 * once, whichever entry is imported.
 *
 * @returns the folders of the bundled packages, below the checkout
 */
export async function bundlePackage({ home, target, entries, external }: Bundling): Promise<readonly string[]> {
  const sources = join(home, 'src')
  const input = Object.fromEntries(
    entries.map((entry) => [entry.replace(/^\.\/src\//, '').replace(/\.ts$/, ''), join(home, entry)]),
  )
  const bundle = await rolldown({
    input,
    platform: 'node',
    external: (id) => id !== 'node:process' && isExternal(id, external),
    plugins: [GLOBAL_PROCESS, keepAddresses(sources), ESCAPES],
    logLevel: 'warn',
  })
  const { output } = await bundle.write({
    dir: target,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    minify: 'dce-only',
    comments: { legal: false, jsdoc: false, annotation: false },
  })
  await bundle.close()
  const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
  return [...new Set(modules.flatMap(findPackage))].sort()
}

function isExternal(id: string, external: readonly string[]): boolean {
  return (
    id.startsWith('node:') ||
    builtinModules.includes(id) ||
    external.some((name) => id === name || id.startsWith(`${name}/`))
  )
}

/** Replaces the import of `node:process` with the global, because Node spends 8 ms of each start on rarely used properties of the import. */
const GLOBAL_PROCESS: Plugin = {
  name: 'global-process',
  resolveId: (id) => (id === 'node:process' ? '\0global-process' : undefined),
  load: (id) => (id === '\0global-process' ? 'export default globalThis.process' : undefined),
}

/** The path of a source in the built package. */
const toBuiltPath = (sources: string, id: string): string =>
  relative(sources, id).split(sep).join('/').replace(/\.ts$/, '.js')

/** Keeps `import.meta.url` valid: a bundled module finds the files beside its source, entry files of threads included. */
function keepAddresses(sources: string): Plugin {
  return {
    name: 'keep-addresses',
    transform: {
      filter: { code: 'import.meta.url' },
      handler(code, id) {
        if (!id.startsWith(sources)) return undefined
        const built = toBuiltPath(sources, id)
        for (const [, name] of code.matchAll(ENTRY_CALL)) {
          const entry = join(dirname(id), `${name}.ts`)
          this.emitFile({ type: 'chunk', id: entry, fileName: toBuiltPath(sources, entry) })
        }
        return { code: replaceAddresses(id, code, `__addressOf(${JSON.stringify(built)})`) }
      },
    },
    renderChunk(code, { fileName }) {
      const up = '../'.repeat(fileName.split('/').length - 1) || './'
      return {
        code: code.replace(ADDRESS, (_, built) => `new URL(${JSON.stringify(up + built)}, import.meta.url).href`),
      }
    },
  }
}

/** Escapes characters beyond Latin-1, because V8 stores a text with a single such character in twice the memory. */
const ESCAPES: Plugin = {
  name: 'escapes',
  generateBundle(_options, bundle) {
    for (const file of Object.values(bundle)) if (file.type === 'chunk') file.code = escapeCharacters(file.code)
  },
}

/** @throws {Error} for a character after a backslash, whose meaning an escape would change */
function escapeCharacters(code: string): string {
  return code.replace(/(\\*)([^\0-\xff])/g, (_, backslashes: string, character: string) => {
    if (backslashes.length % 2 === 1) throw new Error(`The backslash before ${character} has no meaning. Remove it.`)
    return `${backslashes}\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

/** Replaces `import.meta.url` in code, but not in strings. */
function replaceAddresses(id: string, code: string, address: string): string {
  const places = parseSync(id, code).module.importMetas
  return places.reduceRight((text, { start, end }) => {
    const rest = text.slice(end)
    return rest.startsWith('.url') ? `${text.slice(0, start)}${address}${rest.slice('.url'.length)}` : text
  }, code)
}
