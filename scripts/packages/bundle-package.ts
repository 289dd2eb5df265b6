import { builtinModules } from 'node:module'
import { dirname, join, relative, sep } from 'node:path'
import { parseSync } from 'oxc-parser'
import { type Plugin, rolldown } from 'rolldown'
import { packageOf } from './bundled-package.ts'

/** How sources name files that threads and child processes begin with. */
const STARTED = /\bresolveSiblingModule\(import\.meta\.url, '([^']+)'\)/g

/** Stands for the address of a module, until it is known which file it comes into. */
const ADDRESS = /__addressOf\("([^"]+)"\)/g

/** What is bundled, and where to. */
export interface Bundling {
  /** The folder of the package's sources. */
  readonly home: string
  /** The folder of the built package. */
  readonly target: string
  /** The sources of `exports` and `bin`, as the manifest names them. */
  readonly entries: readonly string[]
  /** Packages that are installed beside it instead. */
  readonly external: readonly string[]
}

/**
 * Bundles a package: a start reads few files then, and few packages are to be installed. Entries share chunks, so that each class
 * exists once, whichever of them is imported.
 *
 * @returns the folders of the packages whose code the bundle holds, below the checkout
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
  return [...new Set(modules.flatMap(packageOf))].sort()
}

function isExternal(id: string, external: readonly string[]): boolean {
  return (
    id.startsWith('node:') ||
    builtinModules.includes(id) ||
    external.some((name) => id === name || id.startsWith(`${name}/`))
  )
}

/** Replaces the import of `node:process` with the global: Node builds rarely used properties for the import, which takes 8 ms of each start. */
const GLOBAL_PROCESS: Plugin = {
  name: 'global-process',
  resolveId: (id) => (id === 'node:process' ? '\0global-process' : undefined),
  load: (id) => (id === '\0global-process' ? 'export default globalThis.process' : undefined),
}

/** Where the built package has what is made of a source. */
const builtFrom = (sources: string, id: string): string =>
  relative(sources, id).split(sep).join('/').replace(/\.ts$/, '.js')

/** A module of the bundle finds what lies beside its source where the built package has that: also what it starts. */
function keepAddresses(sources: string): Plugin {
  return {
    name: 'keep-addresses',
    transform: {
      filter: { code: 'import.meta.url' },
      handler(code, id) {
        if (!id.startsWith(sources)) return undefined
        const built = builtFrom(sources, id)
        for (const [, name] of code.matchAll(STARTED)) {
          const started = join(dirname(id), `${name}.ts`)
          this.emitFile({ type: 'chunk', id: started, fileName: builtFrom(sources, started) })
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

/** V8 keeps a text with a character beyond Latin-1 in twice the memory: in the megabyte of a chunk, a single dash would cost another one. */
const ESCAPES: Plugin = {
  name: 'escapes',
  generateBundle(_options, bundle) {
    for (const file of Object.values(bundle)) if (file.type === 'chunk') file.code = escapeCharacters(file.code)
  },
}

/** @throws {Error} for a character after a backslash, which an escape would change the meaning of */
function escapeCharacters(code: string): string {
  return code.replace(/(\\*)([^\0-\xff])/g, (_, backslashes: string, character: string) => {
    if (backslashes.length % 2 === 1) throw new Error(`A backslash before ${character} means nothing. Leave it out.`)
    return `${backslashes}\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

/** Replaces `import.meta.url` where it is code, and not a part of a message. */
function replaceAddresses(id: string, code: string, address: string): string {
  const places = parseSync(id, code).module.importMetas
  return places.reduceRight((text, { start, end }) => {
    const rest = text.slice(end)
    return rest.startsWith('.url') ? `${text.slice(0, start)}${address}${rest.slice('.url'.length)}` : text
  }, code)
}
