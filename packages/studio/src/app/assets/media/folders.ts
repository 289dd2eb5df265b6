/** How many files are asked for at once, and how often at most: a level with more folders is shown in part. */
const PAGE = 100
const MAX_STEPS = 25

/** The most names of folders inside each other, and the longest name and path, in characters, as the service takes them. */
const MAX_LEVELS = 8
const MAX_NAME = 200
const MAX_PATH = 256
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/

/** Whether files can lie in a folder of that path, such as `images/2026`. */
export function isFolderPath(path: string): boolean {
  const names = path.split('/')
  const areNames = names.every((name) => name.length <= MAX_NAME && NAME.test(name))
  return areNames && names.length <= MAX_LEVELS && path.length <= MAX_PATH
}

/** The directories of all files, as far as one request tells them. */
export interface FolderTree {
  readonly directories: readonly string[]
  /** Whether there may be more of them. */
  readonly isPartial: boolean
}

/** How many directories one request tells at most. */
const MAX_DIRECTORIES = 1000

/** @param counts how many files are in which directory, as the service counts them */
export const toFolderTree = (counts: readonly { readonly value: unknown }[]): FolderTree => ({
  directories: counts.flatMap(({ value }) => (typeof value === 'string' && value !== '' ? [value] : [])),
  isPartial: counts.length >= MAX_DIRECTORIES,
})

/** How many characters of directories a filter names at most: they stand in an address. */
const MAX_NAMED = 3000

/** The filter of the files in a folder, and of those that lie deeper. A service finds named directories faster than all that begin so. */
export function buildFolderFilter(folder: string, tree: FolderTree | undefined): object {
  const deeper = `${folder}/`
  const inside = tree?.directories.filter((directory) => directory.startsWith(deeper))
  if (!inside || tree?.isPartial || inside.join().length > MAX_NAMED)
    return { or: [{ directory: { eq: folder } }, { directory: { startsWith: deeper } }] }
  return { directory: inside.length === 0 ? { eq: folder } : { in: [folder, ...inside.sort()] } }
}

/** The folders of one level, in the order of their names. */
export interface Folders {
  readonly names: readonly string[]
  /** Whether there may be more of them. */
  readonly isPartial: boolean
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
    if (last === undefined || found.length < PAGE) return { names: [...names].sort(), isPartial: false }
    const child = `${prefix}${childOf(last, prefix)}`
    // '0' is what comes after '/'; between a folder and what it holds are names that are longer, such as `a-b` after `a`.
    after = last === child ? last : `${child}0`
  }
  return { names: [...names].sort(), isPartial: true }
}

/** The folders of one level of a tree that is whole. */
export function getFolders({ directories }: FolderTree, folder: string | undefined): Folders {
  const prefix = folder === undefined ? '' : `${folder}/`
  const inside = directories.filter((directory) => directory.startsWith(prefix))
  return { names: [...new Set(inside.map((directory) => childOf(directory, prefix)))].sort(), isPartial: false }
}

/** The folder inside a folder that a directory goes through. */
const childOf = (directory: string, prefix: string): string => directory.slice(prefix.length).split('/', 1)[0] ?? ''
