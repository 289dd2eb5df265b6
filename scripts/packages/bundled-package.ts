import { relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Finds the folder of the installed package that a module belongs to; empty for Daybook's own modules. */
export function findPackage(module: string): readonly string[] {
  const folder = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(module.split(sep).join('/'))?.[1]
  return folder === undefined ? [] : [relative(ROOT, folder)]
}
