import { useQuery } from '@tanstack/react-query'
import { useStudio } from '../api/studio.ts'
import { makeAccountsApi, parseRoles } from './accounts-api.ts'

/** The number of accounts that are read to find their roles. */
const MAX_ACCOUNTS = 500

/** Loads the newest accounts, at most 500. */
export function useAllAccounts() {
  const { client } = useStudio()
  return useQuery({
    queryKey: ['accounts', 'all'],
    queryFn: ({ signal }) => makeAccountsApi(client).list('', 0, signal, MAX_ACCOUNTS),
  })
}

/** The roles that every service may have: of administrators, and of new accounts. */
const USUAL_ROLES = ['admin', 'user']

/** Returns the roles that accounts have, and the usual ones, in alphabetical order. */
export function useKnownRoles(): readonly string[] {
  const { data } = useAllAccounts()
  const used = (data?.users ?? []).flatMap(({ role }) => parseRoles(role))
  return [...new Set([...USUAL_ROLES, ...used])].sort()
}
