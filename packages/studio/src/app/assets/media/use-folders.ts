import { useQuery } from '@tanstack/react-query'
import type { StudioClient } from '../../talk/client.ts'
import { keys } from '../../talk/keys.ts'
import { useStudio } from '../../talk/studio.ts'
import { type Folders, isFolder, readFolders } from './folder-levels.ts'

const NONE: Folders = { names: [], isCut: false }

/** The folders inside a folder; `undefined`: at the top. */
export function useFolders(folder: string | undefined): Folders {
  const { client } = useStudio()
  const { data = NONE } = useQuery({
    queryKey: keys.folder(folder),
    queryFn: ({ signal }) => readFolders((query) => directoriesOf(client, query, signal), folder),
    enabled: folder === undefined || isFolder(folder),
  })
  return data
}

async function directoriesOf(client: StudioClient, query: object, signal: AbortSignal): Promise<readonly string[]> {
  const { items } = (await client.assets.list(query, { signal })) as unknown as {
    readonly items: readonly { readonly directory: string }[]
  }
  return items.map(({ directory }) => directory)
}
