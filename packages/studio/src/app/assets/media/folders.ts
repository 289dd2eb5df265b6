const PAGE = 100
/** The maximum number of requests for a level; one with more folders is shown partially. */
const MAX_REQUESTS = 25

/** Limits of the service: nested folders, and the lengths of a name and a path in characters. */
const MAX_LEVELS = 8
const MAX_NAME_LENGTH = 200
const MAX_PATH_LENGTH = 256
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/

export function isFolderPath(path: string): boolean {
  const names = path.split('/')
  const areValid = names.every((name) => name.length <= MAX_NAME_LENGTH && NAME.test(name))
  return areValid && names.length <= MAX_LEVELS && path.length <= MAX_PATH_LENGTH
}

/** The directories of all files, as far as one response has them. */
export interface FolderTree {
  readonly directories: readonly string[]
  /** True if there may be more. */
  readonly isPartial: boolean
}

/** The maximum number of directories in a response. */
const MAX_DIRECTORIES = 1000

/** Converts the service's counts of files by directory. */
export const toFolderTree = (counts: readonly { readonly value: unknown }[]): FolderTree => ({
  directories: counts.flatMap(({ value }) => (typeof value === 'string' && value !== '' ? [value] : [])),
  isPartial: counts.length >= MAX_DIRECTORIES,
})

/** The maximum length of directories in a filter, since it is part of a URL. */
const MAX_FILTER_LENGTH = 3000

/** Builds the `where` of the files in a folder and its subfolders. Exact directories are faster than a prefix. */
export function buildFolderFilter(folder: string, tree: FolderTree | undefined): object {
  const prefix = `${folder}/`
  const inside = tree?.directories.filter((directory) => directory.startsWith(prefix))
  if (!inside || tree?.isPartial || inside.join().length > MAX_FILTER_LENGTH)
    return { or: [{ directory: { eq: folder } }, { directory: { startsWith: prefix } }] }
  return { directory: inside.length === 0 ? { eq: folder } : { in: [folder, ...inside.sort()] } }
}

/** The folders of one level, sorted by name. */
export interface Folders {
  readonly names: readonly string[]
  /** True if there may be more. */
  readonly isPartial: boolean
}

/**
 * Finds the folders of one level by the directories of files. Each request skips the content of the last folder of the one before.
 *
 * @param list returns the directories of the matching files, sorted
 */
export async function readFolders(
  list: (query: object) => Promise<readonly string[]>,
  folder: string | undefined,
): Promise<Folders> {
  const prefix = folder === undefined ? '' : `${folder}/`
  const names = new Set<string>()
  let after = prefix
  for (let step = 0; step < MAX_REQUESTS; step += 1) {
    const where = { directory: { gt: after, ...(prefix === '' ? {} : { startsWith: prefix }) } }
    const directories = await list({ select: ['directory'], sort: 'directory', limit: PAGE, where })
    for (const directory of directories) names.add(getChild(directory, prefix))
    const last = directories.at(-1)
    if (last === undefined || directories.length < PAGE) return { names: [...names].sort(), isPartial: false }
    const child = `${prefix}${getChild(last, prefix)}`
    // '0' follows '/'. Longer names, such as `a-b` after `a`, sort between a folder and its content.
    after = last === child ? last : `${child}0`
  }
  return { names: [...names].sort(), isPartial: true }
}

/** Returns the folders of one level of a complete tree. */
export function getFolders({ directories }: FolderTree, folder: string | undefined): Folders {
  const prefix = folder === undefined ? '' : `${folder}/`
  const inside = directories.filter((directory) => directory.startsWith(prefix))
  return { names: [...new Set(inside.map((directory) => getChild(directory, prefix)))].sort(), isPartial: false }
}

const getChild = (directory: string, prefix: string): string => directory.slice(prefix.length).split('/', 1)[0] ?? ''
