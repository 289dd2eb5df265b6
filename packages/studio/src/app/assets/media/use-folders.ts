import { useQuery } from '@tanstack/react-query'
import type { StudioClient } from '../../api/client.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { useStudio } from '../../api/studio.ts'
import { type Folders, type FolderTree, getFolders, isFolderPath, readFolders, toFolderTree } from './folders.ts'

const NONE: Folders = { names: [], isPartial: false }

/** Loads the directories of all files; `tree` stays `undefined` if the request fails. */
export function useFolderTree(): { readonly tree: FolderTree | undefined; readonly isPending: boolean } {
  const { client } = useStudio()
  const { data, isPending } = useQuery({
    queryKey: queryKeys.folderTree,
    queryFn: ({ signal }) => readTree(client, signal),
    // Lists also work without the tree.
    retry: false,
  })
  return { tree: data, isPending }
}

/** Loads the folders inside a folder; `undefined` is the top level. */
export function useFolders(folder: string | undefined): Folders {
  const { client } = useStudio()
  const { tree, isPending } = useFolderTree()
  const isComplete = tree !== undefined && !tree.isPartial
  const { data = NONE } = useQuery({
    queryKey: queryKeys.folder(folder),
    queryFn: ({ signal }) => readFolders((query) => listDirectories(client, query, signal), folder),
    enabled: !isPending && !isComplete && (folder === undefined || isFolderPath(folder)),
  })
  return isComplete ? getFolders(tree, folder) : data
}

async function readTree(client: StudioClient, signal: AbortSignal): Promise<FolderTree> {
  const query = { limit: 0, aggregate: { directory: 'count' } }
  const { aggregates } = (await client.assets.list(query as object, { signal })) as unknown as {
    readonly aggregates: { readonly 'count:directory': readonly { readonly value: unknown }[] }
  }
  return toFolderTree(aggregates['count:directory'])
}

async function listDirectories(client: StudioClient, query: object, signal: AbortSignal): Promise<readonly string[]> {
  const { items } = (await client.assets.list(query, { signal })) as unknown as {
    readonly items: readonly { readonly directory: string }[]
  }
  return items.map(({ directory }) => directory)
}
