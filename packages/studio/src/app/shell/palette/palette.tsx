import { useRouter } from '@tanstack/react-router'
import { type KeyboardEvent, type ReactNode, type RefObject, useId, useLayoutEffect, useMemo, useState } from 'react'
import { Dialog } from 'react-aria-components/Dialog'
import { Modal, ModalOverlay } from 'react-aria-components/Modal'
import { useTexts } from '../../messages/messages.tsx'
import { useSession } from '../../session/use-session.ts'
import { Icon } from '../../ui/icon.tsx'
import { type Destination, matchDestinations, RecentDestinations } from './destinations.ts'
import styles from './palette.module.css'
import { useDestinations, useEntrySearch } from './use-destinations.ts'

/** The maximum number of pages and actions that are shown. */
const MAX_SHOWN = 30

export interface PaletteProps {
  /** The text typed while the palette was loading. */
  readonly typed: RefObject<string>
  readonly onClose: () => void
}

/** A search for pages, actions and entries. Open while it is mounted. */
export default function Palette({ typed, onClose }: PaletteProps): ReactNode {
  const { t } = useTexts()
  return (
    <ModalOverlay isOpen isDismissable onOpenChange={(open) => !open && onClose()} className={styles.veil ?? ''}>
      <Modal className={styles.window ?? ''}>
        <Dialog aria-label={t.palette.title} className={styles.palette ?? ''}>
          <Finder typed={typed} onClose={onClose} />
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}

function Finder({ typed, onClose }: PaletteProps): ReactNode {
  const { t } = useTexts()
  const router = useRouter()
  const id = useId()
  const recent = useRecent()
  const [text, setText] = useState('')
  // The field has the focus from now on: take over the text typed until now.
  useLayoutEffect(() => {
    const typedText = typed.current
    typed.current = ''
    setText(typedText)
  }, [typed])
  const [selected, setSelected] = useState(0)
  const { options, isSearching } = useOptions(text, recent)
  const current = Math.min(selected, options.length - 1)
  const go = (destination: Destination | undefined): void => {
    if (!destination) return
    recent.add(destination)
    onClose()
    void router.navigate({ href: `${router.basepath === '/' ? '' : router.basepath}${destination.to}` })
  }
  const press = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && options.length > 0) {
      setSelected((current + step + options.length) % options.length)
      event.preventDefault()
    }
    if (event.key === 'Enter') go(options[current])
  }
  return (
    <>
      <div className={styles.field}>
        <Icon name="search" />
        <input
          className={styles.input}
          role="combobox"
          aria-label={t.palette.placeholder}
          aria-expanded={options.length > 0}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          {...(options.length > 0 ? { 'aria-activedescendant': `${id}-${current}` } : {})}
          placeholder={t.palette.placeholder}
          autoComplete="off"
          spellCheck={false}
          // biome-ignore lint/a11y/noAutofocus: the palette is opened to type in it
          autoFocus
          value={text}
          onChange={({ target }) => {
            setText(target.value)
            setSelected(0)
          }}
          onKeyDown={press}
        />
      </div>
      <div id={`${id}-list`} role="listbox" aria-label={t.palette.title} className={styles.list}>
        {options.map((destination, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field keeps the focus and handles the keys
          <div
            key={`${destination.to} ${destination.kind}`}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === current}
            ref={(option) => {
              if (index === current) option?.scrollIntoView({ block: 'nearest' })
            }}
            className={styles.option}
            onClick={() => go(destination)}
          >
            <bdi className={styles.label}>{destination.label}</bdi>
            <span className={styles.kind}>{destination.kind}</span>
          </div>
        ))}
      </div>
      <p role="status" className={styles.state}>
        {isSearching ? t.common.loading : options.length === 0 ? t.palette.none : t.palette.hint}
      </p>
    </>
  )
}

function useRecent(): RecentDestinations {
  const { identity } = useSession()
  const subject = identity?.subject ?? ''
  return useMemo(() => new RecentDestinations(subject), [subject])
}

function useOptions(
  text: string,
  recent: RecentDestinations,
): { readonly options: readonly Destination[]; readonly isSearching: boolean } {
  const destinations = useDestinations()
  const { destinations: entries, isSearching } = useEntrySearch(text)
  const recentDestinations = useMemo(() => recent.list(), [recent])
  const isEmpty = text.trim() === ''
  const matches = isEmpty
    ? [...recentDestinations, ...destinations]
    : [...matchDestinations(recentDestinations, text), ...matchDestinations(destinations, text)]
  const options = [...matches.slice(0, MAX_SHOWN), ...(isEmpty ? [] : entries)]
  const byPath = new Map(options.map((destination) => [destination.to, destination]))
  return { options: [...byPath.values()], isSearching: !isEmpty && isSearching }
}
