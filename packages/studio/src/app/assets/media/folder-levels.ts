/** How many files are asked for at once, and how often at most: a level with more folders is shown in part. */
const PAGE = 100
const MAX_STEPS = 25

/** The folders of one level, in the order of their names. */
export interface Folders {
  readonly names: readonly string[]
  /** Whether there may be more of them. */
  readonly isCut: boolean
}

/**
 * Finds the folders of one level by the paths of files: after each folder that is found, it asks for what comes behind all that is in it.
 *
 * @param list gives the paths that a query finds, in their order
 */
export async function readFolders(
  list: (query: object) => Promise<readonly string[]>,
  folder: string | undefined,
): Promise<Folders> {
  const prefix = folder === undefined ? '' : `${folder}/`
  const names: string[] = []
  // At the top, what has no slash is in no folder.
  const inside = folder === undefined ? { contains: '/' } : { startsWith: prefix }
  let after: string | undefined
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const where = { path: { ...inside, ...(after === undefined ? {} : { gt: after }) } }
    const paths = await list({ select: ['path'], sort: 'path', limit: PAGE, where })
    const found = paths.flatMap((path) => childOf(path, prefix) ?? [])
    names.push(...new Set(found.filter((name) => !names.includes(name))))
    const last = paths.at(-1)
    if (last === undefined || paths.length < PAGE) return { names, isCut: false }
    const child = childOf(last, prefix)
    // '0' is what comes after '/'.
    after = child === undefined ? last : `${prefix}${child}0`
  }
  return { names, isCut: true }
}

/** The folder inside a folder that a path goes through. */
function childOf(path: string, prefix: string): string | undefined {
  const rest = path.slice(prefix.length)
  const end = rest.indexOf('/')
  return end < 0 ? undefined : rest.slice(0, end)
}
