import type { EntryPermissions, PublicationPermissions } from '@daybook/client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { DaybookConfig } from 'daybook'
import { useEffect, useRef } from 'react'
import { queryKeys } from '../api/query-keys.ts'
import { useStudio } from '../api/studio.ts'
import type { StudioCollection } from './studio-model.ts'

/** The rights of the person on one entry. */
export interface EntryRights extends Pick<PublicationPermissions, 'draft' | 'publish' | 'unpublish'> {
  /** True until the service first tells the rights on a stored entry. */
  readonly isLoading: boolean
  /** True if the person may save what is typed: in the draft, where the entry has one. */
  readonly edit: boolean
  readonly delete: boolean
  /** True if the person may restore versions, discard the draft, and make preview links. */
  readonly restore: boolean
  /** True if the person may give the entry this status. */
  readonly canSetStatus: (status: string) => boolean
  /** The fields that the person may read and not write, by key; `undefined`: the model says which those are. */
  readonly readOnlyFields: StoredRights['fields'] | undefined
}

/** The permissions as the client returns them: the types do not know which collections have a status. */
type StoredRights = EntryPermissions<DaybookConfig, string> & Partial<PublicationPermissions>

/**
 * The rights of the person on one entry. They are asked for again when the entry has another tag, and when a live event names it.
 * While the service cannot be asked, the rights are those on the collection: what is typed then is stored in this browser, and the
 * service decides about it later.
 *
 * @param id `null`: the entry is not stored yet
 * @param tag of the stored entry as the page shows it
 */
export function useEntryRights(collection: StudioCollection, id: string | null, tag: string | null): EntryRights {
  const { clientWithoutRenewal: ownClient } = useStudio()
  const queries = useQueryClient()
  const { key, permissions } = collection
  const shownTag = useRef(tag)
  const { data, isLoading, isFetched } = useQuery({
    queryKey: queryKeys.rights(key, id ?? ''),
    queryFn: async ({ signal }) =>
      (await ownClient.auth.permissionsOn(
        { collection: key, id: id ?? '' },
        { signal, retry: { attempts: 1 } },
      )) as StoredRights,
    enabled: id !== null,
    // What was true of an earlier visit may let the person type in vain.
    gcTime: 0,
  })
  useEffect(() => {
    if (id !== null && shownTag.current !== null && shownTag.current !== tag)
      void queries.invalidateQueries({ queryKey: queryKeys.rights(key, id) })
    shownTag.current = tag
  }, [queries, key, id, tag])
  if (data) return toEntryRights(data)
  const update = permissions.update !== false
  return {
    isLoading: isLoading && !isFetched,
    edit: id === null ? permissions.create !== false : update,
    delete: permissions.delete !== false,
    restore: update,
    draft: update,
    publish: update,
    unpublish: update,
    canSetStatus: () => update,
    readOnlyFields: undefined,
  }
}

function toEntryRights(rights: StoredRights): EntryRights {
  const { update, restore, draft = true, saveDraft = update, publish = false, unpublish = false, statuses } = rights
  return {
    isLoading: false,
    edit: saveDraft,
    delete: rights.delete,
    restore,
    draft,
    publish,
    unpublish,
    canSetStatus: (status) => statuses?.[status] ?? false,
    readOnlyFields: rights.fields,
  }
}
