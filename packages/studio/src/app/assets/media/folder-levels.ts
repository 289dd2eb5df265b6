/** How many files are asked for at once, and how often at most: a level with more folders is shown in part. */
const PAGE = 100
const MAX_STEPS = 25

/** The most names of folders inside each other, and the longest name and path, in characters, as the service takes them. */
const MAX_LEVELS = 8
const MAX_NAME = 200
const MAX_PATH = 256
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/

/** Whether files can lie in a folder of that path, such as `images/2026`. */
export function isFolder(path: string): boolean {
  const names = path.split('/')
  const areNames = names.every((name) => name.length <= MAX_NAME && NAME.test(name))
  return areNames && names.length <= MAX_LEVELS && path.length <= MAX_PATH
}

/** The folders of one level, in the order of their names. */
export interface Folders {
  readonly names: readonly string[]
  /** Whether there may be more of them. */
  readonly isCut: boolean
}

/**
 * Finds the folders of one level by the directories of files: after each folder that is found, it asks for what comes behind all that
 * is in it.
 *
 * @param list gives the directories of the files that a query finds, in their order
 */
export async function readFolders(
  list: (query: object) => Promise<readonly string[]>,
  folder: string | undefined,
): Promise<Folders> {
  const prefix = folder === undefined ? '' : `${folder}/`
  const names = new Set<string>()
  let after = prefix
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const where = { directory: { gt: after, ...(prefix === '' ? {} : { startsWith: prefix }) } }
    const found = await list({ select: ['directory'], sort: 'directory', limit: PAGE, where })
    for (const directory of found) names.add(childOf(directory, prefix))
    const last = found.at(-1)
    if (last === undefined || found.length < PAGE) return { names: [...names].sort(), isCut: false }
    const child = `${prefix}${childOf(last, prefix)}`
    // '0' is what comes after '/'; between a folder and what it holds are names that are longer, such as `a-b` after `a`.
    after = last === child ? last : `${child}0`
  }
  return { names: [...names].sort(), isCut: true }
}

/** The folder inside a folder that a directory goes through. */
const childOf = (directory: string, prefix: string): string => directory.slice(prefix.length).split('/', 1)[0] ?? ''
