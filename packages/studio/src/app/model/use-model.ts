import { useSuspenseQuery } from '@tanstack/react-query'
import { queryKeys } from '../api/query-keys.ts'
import { useStudio } from '../api/studio.ts'
import { type StudioCollection, type StudioGlobal, type StudioModel, toStudioModel } from './studio-model.ts'

/** Returns the model, loaded once for each session; suspends until it is loaded. */
export function useModel(): StudioModel {
  const { client } = useStudio()
  const { data } = useSuspenseQuery({
    queryKey: queryKeys.model,
    queryFn: ({ signal }) => client.model({ signal }),
    select: toStudioModel,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  })
  return data
}

/** Returns a collection; `undefined` if the session cannot read one with this key. */
export const useCollection = (key: string): StudioCollection | undefined => useModel().collections.get(key)

/** Returns a global; `undefined` if the session cannot read one with this key. */
export const useGlobal = (key: string): StudioGlobal | undefined => useModel().globals.get(key)
