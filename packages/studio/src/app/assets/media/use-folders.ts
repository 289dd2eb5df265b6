import { useQuery } from '@tanstack/react-query'
import { ASSETS } from '../../model/studio-model.ts'
import type { StudioClient } from '../../talk/client.ts'
import { useStudio } from '../../talk/studio.ts'
import { type Folders, readFolders } from './folder-levels.ts'

const NONE: Folders = { names: [], isCut: false }

/** The folders inside a folder; `undefined`: at the top. */
export function useFolders(folder: string | undefined): Folders {
  const { client } = useStudio()
  const { data = NONE } = useQuery({
    queryKey: ['folders', ASSETS, folder ?? ''],
    queryFn: ({ signal }) => readFolders((query) => pathsOf(client, query, signal), folder),
  })
  return data
}

async function pathsOf(client: StudioClient, query: object, signal: AbortSignal): Promise<readonly string[]> {
  const { items } = (await client.assets.list(query, { signal })) as unknown as {
    readonly items: readonly { readonly path: string }[]
  }
  return items.map(({ path }) => path)
}
