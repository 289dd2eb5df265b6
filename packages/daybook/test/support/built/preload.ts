import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import '../auth/quick-passwords.ts'

const PACKAGE = new URL('../../../', import.meta.url)

/** Sources by what they are called. */
type Entries = Readonly<Record<string, string>>

const { exports, bin } = JSON.parse(readFileSync(new URL('package.json', PACKAGE), 'utf8')) as {
  readonly exports: Entries
  readonly bin: Entries
}

/** The built files of what the package exports and of its command, by their sources. */
const BUILT = new Map(
  [...Object.values(exports), ...Object.values(bin)].map((source) => [
    new URL(source, PACKAGE).href,
    new URL(source.replace('./src/', './dist/').replace(/\.ts$/, '.js'), PACKAGE).href,
  ]),
)

// A config that imports Daybook's sources gets the built package, too: classes of two copies would not know each other.
registerHooks({
  resolve(specifier, context, nextResolve) {
    const found = nextResolve(specifier, context)
    const url = BUILT.get(found.url)
    return url === undefined ? found : { ...found, url, format: 'module' }
  },
})
