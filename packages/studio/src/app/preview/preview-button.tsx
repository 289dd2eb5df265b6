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

/** What a {@link PreviewButton} takes. */
export interface PreviewButtonProps {
  /** The key of the collection. */
  readonly collection: string
  /** What the form shows, with the entry's id. */
  readonly entry: PreviewValues & { readonly id: string }
  /** Differs after each save. */
  readonly revision: string
  /** The address of the site's pages, with places. */
  readonly address: string
}

/** Shows the page of an entry on the site, in a tab or beside the form; the page learns of each save. */
export function PreviewButton({ collection, entry, revision, address }: PreviewButtonProps): ReactNode {
  const { t } = useTexts()
  const toast = useToast()
  const isBeside = useSearch({ strict: false }).preview === 'beside'
  const navigate = useNavigate({ from: '/c/$collection/$id' })
  const isNeeded = needsToken(address)
  const { data: token, error } = usePreviewToken(collection, entry.id, isNeeded)
  const isKnown = token !== undefined || !isNeeded
  const state = { id: entry.id, revision, token }
  const openTab = usePreviewTab(new URL(address.replace(/\{\w+\}/g, 'x')).origin, state)
  const fill = (): string => fillAddress(address, { ...entry, token })
  const open = (): void => {
    if (error) toast({ kind: 'failed', text: getErrorText(error, t) })
    else if (isKnown) openTab(fill())
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
            getAddress={isKnown ? fill : undefined}
            error={error}
            onOpen={open}
            onClose={() => show(undefined)}
          />,
          document.body,
        )}
    </>
  )
}

/** Opens a tab, and tells it of saves for as long as it is there. */
function usePreviewTab(origin: string, state: PreviewState): (address: string) => void {
  const tab = useRef<Window | null>(null)
  const first = useRef(state)
  const link = useMemo(
    () => new PreviewLink(origin, () => (tab.current?.closed ? null : tab.current), first.current),
    [origin],
  )
  useEffect(() => {
    const hear = (event: MessageEvent): void => link.handleMessage(event)
    window.addEventListener('message', hear)
    return () => window.removeEventListener('message', hear)
  }, [link])
  useEffect(() => link.update(state))
  return (address) => {
    tab.current = window.open(address, '_blank')
  }
}

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
