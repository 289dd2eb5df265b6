import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import '../auth/quick-passwords.ts'

const PACKAGE = new URL('../../../', import.meta.url)

/** Sources by name. */
type Entries = Readonly<Record<string, string>>

const { exports, bin } = JSON.parse(readFileSync(new URL('package.json', PACKAGE), 'utf8')) as {
  readonly exports: Entries
  readonly bin: Entries
}

/** The built files of the exports and of the command, by source. */
const BUILT = new Map(
  [...Object.values(exports), ...Object.values(bin)].map((source) => [
    new URL(source, PACKAGE).href,
    new URL(source.replace('./src/', './dist/').replace(/\.ts$/, '.js'), PACKAGE).href,
  ]),
)

// A config that imports Daybook's sources gets the built package, too, because classes of two copies differ.
registerHooks({
  resolve(specifier, context, nextResolve) {
    const resolved = nextResolve(specifier, context)
    const url = BUILT.get(resolved.url)
    return url === undefined ? resolved : { ...resolved, url, format: 'module' }
  },
})
