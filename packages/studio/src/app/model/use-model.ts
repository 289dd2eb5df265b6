import { useSuspenseQuery } from '@tanstack/react-query'
import type { ModelDescription } from 'daybook'
import { useCallback } from 'react'
import { queryKeys } from '../api/query-keys.ts'
import { useStudio } from '../api/studio.ts'
import { useTexts } from '../messages/messages.tsx'
import { type StudioCollection, type StudioGlobal, type StudioModel, toStudioModel } from './studio-model.ts'

/** The model in the user's locale, so that all components share one. */
const studioModels = new WeakMap<ModelDescription, { readonly locale: string; readonly model: StudioModel }>()

function getStudioModel(description: ModelDescription, locale: string): StudioModel {
  const cached = studioModels.get(description)
  if (cached?.locale === locale) return cached.model
  const model = toStudioModel(description, locale)
  studioModels.set(description, { locale, model })
  return model
}

/** Returns the model, loaded once for each session; suspends until it is loaded. */
export function useModel(): StudioModel {
  const { client } = useStudio()
  const { locale } = useTexts()
  const select = useCallback((description: ModelDescription) => getStudioModel(description, locale), [locale])
  const { data } = useSuspenseQuery({
    queryKey: queryKeys.model,
    queryFn: ({ signal }) => client.model({ signal }),
    select,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  })
  return data
}

/** Returns a collection; `undefined` if the session cannot read one with this key. */
export const useCollection = (key: string): StudioCollection | undefined => useModel().collections.get(key)

/** Returns a global; `undefined` if the session cannot read one with this key. */
export const useGlobal = (key: string): StudioGlobal | undefined => useModel().globals.get(key)
