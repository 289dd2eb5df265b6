import { relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The folder of the package that a module belongs to; none for Daybook's own. */
export function packageOf(module: string): readonly string[] {
  const found = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(module.split(sep).join('/'))?.[1]
  return found === undefined ? [] : [relative(ROOT, found)]
}
