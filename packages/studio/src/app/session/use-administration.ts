import { useQuery } from '@tanstack/react-query'
import { useStudio } from '../api/studio.ts'
import { useTexts } from '../messages/messages.tsx'
import { useModel } from '../model/use-model.ts'
import type { IconName } from '../ui/icon.tsx'
import { useSession } from './use-session.ts'

/** The settings of the service, which its operators may see. */
export interface ServiceSettings {
  readonly version: string
  readonly database: 'sqlite' | 'other'
  readonly storage: 'folder' | 'other'
  readonly locales: readonly string[]
  readonly plugins: readonly string[]
  readonly provider: string
  readonly actions: readonly string[]
  /** `null`: no limit. */
  readonly retention: { readonly versions: number | null; readonly days: number | null }
}

/** The pages of administration that the user may open. */
export interface AdministrationRights {
  /** Accounts, roles and access tokens. */
  readonly accounts: boolean
  readonly audit: boolean
  readonly webhooks: boolean
  readonly settings: ServiceSettings | undefined
}

interface AdministrationResponse {
  readonly accounts: boolean
  readonly audit: boolean
  readonly settings?: ServiceSettings
}

/** Asks the service what the user may administer; nothing until it responds. */
export function useAdministration(): AdministrationRights {
  const { clientWithoutRenewal } = useStudio()
  const { authenticated, identity } = useSession()
  const { plugins } = useModel()
  const subject = identity?.subject
  const { data } = useQuery({
    queryKey: ['administration', subject],
    queryFn: ({ signal }) =>
      clientWithoutRenewal.request<AdministrationResponse>({ path: ['api', 'cms', 'administration'], signal }),
    enabled: authenticated,
    staleTime: Number.POSITIVE_INFINITY,
  })
  // The plugin has its own rule, which only its response reveals.
  const webhooks = useQuery({
    queryKey: ['administration', subject, 'webhooks'],
    queryFn: ({ signal }) =>
      clientWithoutRenewal.request({ path: ['api', 'cms', 'webhooks'], signal }).then(
        () => true,
        () => false,
      ),
    enabled: authenticated && plugins.some(({ name }) => name === 'webhooks'),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return {
    accounts: data?.accounts ?? false,
    audit: data?.audit ?? false,
    webhooks: webhooks.data ?? false,
    settings: data?.settings,
  }
}

/** Returns the pages of administration that the user may open, for the navigation and for Find. */
export function useAdministrationPages() {
  const { accounts, audit, webhooks, settings } = useAdministration()
  const { overview, administration } = useTexts().t
  const pages = [
    { to: '/accounts', label: overview.accounts, icon: 'account', isShown: accounts },
    { to: '/roles', label: administration.roles, icon: 'star', isShown: accounts },
    { to: '/tokens', label: overview.tokens, icon: 'code', isShown: accounts },
    { to: '/webhooks', label: overview.webhooks, icon: 'external', isShown: webhooks },
    { to: '/audit', label: administration.audit, icon: 'list', isShown: audit },
    { to: '/settings', label: administration.settings, icon: 'columns', isShown: settings !== undefined },
  ] as const satisfies readonly { readonly icon: IconName; readonly [name: string]: unknown }[]
  return pages.filter(({ isShown }) => isShown)
}
