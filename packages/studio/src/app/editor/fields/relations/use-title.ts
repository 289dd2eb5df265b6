import { useQuery } from '@tanstack/react-query'
import { useTexts } from '../../../messages/messages.tsx'
import { useModel } from '../../../model/use-model.ts'
import { keys } from '../../../talk/keys.ts'
import { useStudio } from '../../../talk/studio.ts'
import { titlesOf } from './client-titles.ts'
import type { Reference } from './reference.ts'

/** What a reference is shown as. */
export interface ShownTitle {
  /** Its title; while it is looked up, or where there is none, what says so. */
  readonly text: string
  readonly status: string | undefined
  /** Whether it can be opened. */
  readonly isThere: boolean
}

/** The title of an entry that is referred to. */
export function useTitle({ collection: key, id }: Reference): ShownTitle {
  const { t } = useTexts()
  const { client } = useStudio()
  const collection = useModel().collections.get(key)
  const { data, isPending, isError } = useQuery({
    queryKey: keys.title(key, id),
    queryFn: () => (collection ? titlesOf(client).load(collection, id) : null),
  })
  if (isError) return { text: id, status: undefined, isThere: true }
  if (isPending) return { text: '…', status: undefined, isThere: false }
  if (data === null) return { text: t.fields.missingTarget, status: undefined, isThere: false }
  return { text: data.title ?? t.lists.untitled, status: data.status, isThere: true }
}
