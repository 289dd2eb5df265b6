import { useSuspenseQuery } from '@tanstack/react-query'
import { queryKeys } from '../api/query-keys.ts'
import { useStudio } from '../api/studio.ts'
import { type StudioCollection, type StudioGlobal, type StudioModel, toStudioModel } from './studio-model.ts'

/** The model, loaded once for a session; what draws it waits. */
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

/** A collection of the model; `undefined`: there is none that the session may read. */
export const useCollection = (key: string): StudioCollection | undefined => useModel().collections.get(key)

/** A global of the model; `undefined`: there is none that the session may read. */
export const useGlobal = (key: string): StudioGlobal | undefined => useModel().globals.get(key)
