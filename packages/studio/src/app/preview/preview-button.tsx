import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useEffect, useMemo, useRef } from 'react'
import { createPortal } from 'react-dom'
import type { StudioClient } from '../api/client.ts'
import { getErrorText } from '../api/error-texts.ts'
import { useStudio } from '../api/studio.ts'
import { useTexts } from '../messages/messages.tsx'
import { MenuButton, MenuItem } from '../ui/overlays/menu.tsx'
import { useToast } from '../ui/overlays/toasts.tsx'
import { fillAddress, needsToken, PreviewLink, type PreviewState, type PreviewValues } from './preview-link.ts'
import { PreviewPanel } from './preview-panel.tsx'

export interface PreviewButtonProps {
  readonly collection: string
  /** The values in the form, with the entry's id. */
  readonly entry: PreviewValues & { readonly id: string }
  /** A value that changes with each save. */
  readonly revision: string
  /** The address of the site's pages, with placeholders. */
  readonly address: string
}

/** A menu that shows the entry's page on the site, in a tab or beside the form. The page receives each save. */
export function PreviewButton({ collection, entry, revision, address }: PreviewButtonProps): ReactNode {
  const { t } = useTexts()
  const toast = useToast()
  const isBeside = useSearch({ strict: false }).preview === 'beside'
  const navigate = useNavigate({ from: '/c/$collection/$id' })
  const isNeeded = needsToken(address)
  const { data: token, error } = usePreviewToken(collection, entry.id, isNeeded)
  const isReady = token !== undefined || !isNeeded
  const state = { id: entry.id, revision, token }
  const openTab = usePreviewTab(new URL(address.replace(/\{\w+\}/g, 'x')).origin, state)
  const getAddress = (): string => fillAddress(address, { ...entry, token })
  const open = (): void => {
    if (error) toast({ kind: 'failed', text: getErrorText(error, t) })
    else if (isReady) openTab(getAddress())
  }
  const show = (preview: 'beside' | undefined): void =>
    void navigate({
      search: (before) => ({ ...before, preview }),
      replace: true,
      resetScroll: false,
      ignoreBlocker: true,
    })
  return (
    <>
      <MenuButton label={t.preview.title} icon="eye">
        <MenuItem onAction={() => show(isBeside ? undefined : 'beside')}>
          {isBeside ? t.preview.hide : t.preview.beside}
        </MenuItem>
        <MenuItem onAction={open}>{t.preview.inTab}</MenuItem>
      </MenuButton>
      {isBeside &&
        createPortal(
          <PreviewPanel
            state={state}
            getAddress={isReady ? getAddress : undefined}
            error={error}
            onOpen={open}
            onClose={() => show(undefined)}
          />,
          document.body,
        )}
    </>
  )
}

/** Returns a function that opens a tab, which receives saves until it is closed. */
function usePreviewTab(origin: string, state: PreviewState): (address: string) => void {
  const tab = useRef<Window | null>(null)
  const initialState = useRef(state)
  const link = useMemo(
    () => new PreviewLink(origin, () => (tab.current?.closed ? null : tab.current), initialState.current),
    [origin],
  )
  useEffect(() => {
    const listen = (event: MessageEvent): void => link.handleMessage(event)
    window.addEventListener('message', listen)
    return () => window.removeEventListener('message', listen)
  }, [link])
  useEffect(() => link.update(state))
  return (address) => {
    tab.current = window.open(address, '_blank')
  }
}

/** The lifetime of a token, in seconds, and the interval of its renewal, in milliseconds. */
const LIFETIME_S = 3600
const RENEW_MS = 45 * 60_000

/** The client's method of a collection with drafts. The types know no model, since the Studio loads it at run time. */
interface PreviewCalls {
  preview(
    id: string,
    options: { readonly expiresIn: number; readonly signal: AbortSignal },
  ): Promise<{ readonly token: string }>
}

const getPreviewCalls = (client: StudioClient, collection: string): PreviewCalls =>
  client.collections[collection] as unknown as PreviewCalls

/** Loads a token that shows the draft of an entry, and renews it before it expires. */
function usePreviewToken(collection: string, id: string, isNeeded: boolean) {
  const { client } = useStudio()
  return useQuery({
    queryKey: ['preview', collection, id],
    queryFn: async ({ signal }) => {
      const { token } = await getPreviewCalls(client, collection).preview(id, { expiresIn: LIFETIME_S, signal })
      return token
    },
    enabled: isNeeded,
    staleTime: RENEW_MS,
    refetchInterval: RENEW_MS,
    refetchIntervalInBackground: true,
    gcTime: 0,
  })
}
