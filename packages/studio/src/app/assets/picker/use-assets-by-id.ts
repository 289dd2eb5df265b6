import { useQueries } from '@tanstack/react-query'
import { useStudio } from '../../talk/studio.ts'
import { ASSET_COLUMNS, type Asset } from '../media/asset.ts'

/** How many files one request asks for. */
const AT_ONCE = 50

/** Files by their ids: one request for each fifty. A file that is not there, or may not be seen, is `null`; one that is not known yet is absent. */
export function useAssetsById(ids: readonly string[]): ReadonlyMap<string, Asset | null> {
  const { client } = useStudio()
  const chunks = Array.from({ length: Math.ceil(ids.length / AT_ONCE) }, (_, at) =>
    ids.slice(at * AT_ONCE, (at + 1) * AT_ONCE),
  )
  const answers = useQueries({
    queries: chunks.map((chunk) => {
      // Files that change places are no other files.
      const named = [...chunk].sort()
      return {
        queryKey: ['files', named],
        queryFn: async ({ signal }: { readonly signal: AbortSignal }) => {
          const query = { where: { id: { in: named } }, select: ASSET_COLUMNS, limit: AT_ONCE }
          const { items } = await client.assets.list(query as object, { signal })
          const found = new Map((items as unknown as readonly Asset[]).map((one) => [one.id, one]))
          return named.map((id): readonly [string, Asset | null] => [id, found.get(id) ?? null])
        },
        // While one more is looked up, the others stay.
        placeholderData: (before: readonly (readonly [string, Asset | null])[] | undefined) => before,
      }
    }),
  })
  return new Map(answers.flatMap(({ data = [] }) => data))
}
