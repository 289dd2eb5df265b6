import type { EntryPermissions, PublicationPermissions } from '@daybook/client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { DaybookConfig } from 'daybook'
import { useEffect, useRef } from 'react'
import { queryKeys } from '../api/query-keys.ts'
import { useStudio } from '../api/studio.ts'
import type { StudioCollection } from './studio-model.ts'

export interface EntryRights extends Pick<PublicationPermissions, 'draft' | 'publish' | 'unpublish'> {
  /** True until the rights on a stored entry are loaded. */
  readonly isLoading: boolean
  /** True if the user may save changes, to the draft if the entry has one. */
  readonly edit: boolean
  readonly delete: boolean
  /** True if the user may restore versions, discard the draft, and make preview links. */
  readonly restore: boolean
  readonly canSetStatus: (status: string) => boolean
  /** The fields that the user may read but not write, by key; `undefined` if the model decides. */
  readonly readOnlyFields: StoredRights['fields'] | undefined
}

/** The client's permissions; its static types do not know which collections have a status. */
type StoredRights = EntryPermissions<DaybookConfig, string> & Partial<PublicationPermissions>

/**
 * Loads the user's rights on an entry, again when its tag changes or a live event names it. While the service is unreachable, the
 * rights on the collection apply: changes are stored in this browser, and the service decides about them later.
 *
 * @param id `null` if the entry is not stored yet
 * @param tag the entity tag of the entry that the page shows
 */
export function useEntryRights(collection: StudioCollection, id: string | null, tag: string | null): EntryRights {
  const { clientWithoutRenewal } = useStudio()
  const queries = useQueryClient()
  const { key, permissions } = collection
  const shownTag = useRef(tag)
  const { data, isLoading, isFetched } = useQuery({
    queryKey: queryKeys.rights(key, id ?? ''),
    queryFn: async ({ signal }) =>
      (await clientWithoutRenewal.auth.permissionsOn(
        { collection: key, id: id ?? '' },
        { signal, retry: { attempts: 1 } },
      )) as StoredRights,
    enabled: id !== null,
    // Outdated rights could let the user type text that cannot be saved.
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
