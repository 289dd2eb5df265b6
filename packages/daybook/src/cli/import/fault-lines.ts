import { FileError, faultsOf, faultText } from './file-error.ts'
import type { ImportPlan } from './plan.ts'
import { readText } from './source/files.ts'
import { readSource, type SourceFile } from './source/front-matter.ts'
import type { ImportRoot } from './source/import-root.ts'

/** One line for each fault of a file, `posts/a.md:3: /stars: must be integer`; without a number where no line shows the fault. */
export function faultLines(
  { plan, root }: { readonly plan: ImportPlan; readonly root: ImportRoot },
  path: string,
  error: unknown,
): readonly string[] {
  // Read again: a file that comes in does not pay for the numbers of its lines.
  const source = readAgain(root, path)
  return faultsOf(error).map((fault) => {
    const line = fault.line ?? (fault.path === undefined ? undefined : lineOf(plan, source, fault.path))
    return `${path}${line === undefined ? '' : `:${line}`}: ${faultText(fault)}`
  })
}

function readAgain(root: ImportRoot, path: string): SourceFile | undefined {
  try {
    return readSource(readText(root.locate(path)))
  } catch (error) {
    if (error instanceof FileError || (error instanceof Error && 'code' in error)) return undefined
    throw error
  }
}

/** The line of the front-matter key that fills a field. */
function lineOf({ settings, targetsOf }: ImportPlan, source: SourceFile | undefined, path: string): number | undefined {
  const [field = '', ...inside] = path.slice(1).split('/').map(unescapePointer)
  if (source === undefined || Object.hasOwn(settings, field)) return undefined
  const fills = (key: string): boolean => key === field || targetsOf(key).some((target) => target.key === field)
  const key = Object.keys(source.texts).findLast(fills)
  return key === undefined ? undefined : source.lineOf(key, inside)
}

const unescapePointer = (segment: string): string => segment.replaceAll('~1', '/').replaceAll('~0', '~')
