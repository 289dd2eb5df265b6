import { useQuery } from '@tanstack/react-query'
import type { StudioClient } from '../talk/client.ts'
import { useStudio } from '../talk/studio.ts'

/** How long a token holds, in seconds, and when another one takes its place, in milliseconds. */
const HOLDS_S = 3600
const RENEW_MS = 45 * 60_000

/** Collections have working copies or not; types know nothing of the model. */
interface Previewing {
  preview(
    id: string,
    options: { readonly expiresIn: number; readonly signal: AbortSignal },
  ): Promise<{ readonly token: string }>
}

const previewing = (client: StudioClient, collection: string): Previewing =>
  client.collections[collection] as unknown as Previewing

/** A token that shows the working copy of an entry, renewed before it ends; `undefined`: it is not there yet. */
export function usePreviewToken(collection: string, id: string, isNeeded: boolean) {
  const { client } = useStudio()
  return useQuery({
    queryKey: ['preview', collection, id],
    queryFn: async ({ signal }) => {
      const { token } = await previewing(client, collection).preview(id, { expiresIn: HOLDS_S, signal })
      return token
    },
    enabled: isNeeded,
    staleTime: RENEW_MS,
    refetchInterval: RENEW_MS,
    refetchIntervalInBackground: true,
    gcTime: 0,
  })
}
