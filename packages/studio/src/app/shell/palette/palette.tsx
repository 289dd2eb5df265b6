import { useRouter } from '@tanstack/react-router'
import { type KeyboardEvent, type ReactNode, type RefObject, useId, useLayoutEffect, useMemo, useState } from 'react'
import { Dialog } from 'react-aria-components/Dialog'
import { Modal, ModalOverlay } from 'react-aria-components/Modal'
import { useTexts } from '../../messages/messages.tsx'
import { useSession } from '../../session/use-session.ts'
import { Icon } from '../../ui/icon.tsx'
import type { Destination } from './destinations.ts'
import { matchDestinations, RecentDestinations } from './destinations.ts'
import styles from './palette.module.css'
import { useDestinations, useEntrySearch } from './use-destinations.ts'

/** How many pages and actions are offered at once. */
const MAX_SHOWN = 30

/** What a {@link Palette} takes. */
export interface PaletteProps {
  /** What was typed before it was there. */
  readonly typed: RefObject<string>
  readonly onClose: () => void
}

/** Finds pages, actions and entries by what is typed, and goes there. Open while it is drawn. */
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
  // Only now has the field the focus: keys that came while it was being drawn count, too.
  useLayoutEffect(() => {
    const ahead = typed.current
    typed.current = ''
    setText(ahead)
  }, [typed])
  const [at, setAt] = useState(0)
  const { offered, isSearching } = useOffered(text, recent)
  const present = Math.min(at, offered.length - 1)
  const go = (place: Destination | undefined): void => {
    if (!place) return
    recent.add(place)
    onClose()
    void router.navigate({ href: `${router.basepath === '/' ? '' : router.basepath}${place.to}` })
  }
  const press = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && offered.length > 0) {
      setAt((present + step + offered.length) % offered.length)
      event.preventDefault()
    }
    if (event.key === 'Enter') go(offered[present])
  }
  return (
    <>
      <div className={styles.field}>
        <Icon name="search" />
        <input
          className={styles.input}
          role="combobox"
          aria-label={t.palette.placeholder}
          aria-expanded={offered.length > 0}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          {...(offered.length > 0 ? { 'aria-activedescendant': `${id}-${present}` } : {})}
          placeholder={t.palette.placeholder}
          autoComplete="off"
          spellCheck={false}
          // biome-ignore lint/a11y/noAutofocus: who opens the palette wants to type
          autoFocus
          value={text}
          onChange={({ target }) => {
            setText(target.value)
            setAt(0)
          }}
          onKeyDown={press}
        />
      </div>
      <div id={`${id}-list`} role="listbox" aria-label={t.palette.title} className={styles.list}>
        {offered.map((place, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field, which keeps the focus
          <div
            key={`${place.to} ${place.kind}`}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === present}
            ref={(option) => {
              if (index === present) option?.scrollIntoView({ block: 'nearest' })
            }}
            className={styles.option}
            onClick={() => go(place)}
          >
            <bdi className={styles.label}>{place.label}</bdi>
            <span className={styles.kind}>{place.kind}</span>
          </div>
        ))}
      </div>
      <p role="status" className={styles.state}>
        {isSearching ? t.common.loading : offered.length === 0 ? t.palette.none : t.palette.hint}
      </p>
    </>
  )
}

function useRecent(): RecentDestinations {
  const { identity } = useSession()
  const person = identity?.subject ?? ''
  return useMemo(() => new RecentDestinations(person), [person])
}

function useOffered(
  text: string,
  recent: RecentDestinations,
): { readonly offered: readonly Destination[]; readonly isSearching: boolean } {
  const places = useDestinations()
  const { destinations: found, isSearching } = useEntrySearch(text)
  const before = useMemo(() => recent.list(), [recent])
  const isEmpty = text.trim() === ''
  const known = isEmpty
    ? [...before, ...places]
    : [...matchDestinations(before, text), ...matchDestinations(places, text)]
  const all = new Map([...known.slice(0, MAX_SHOWN), ...(isEmpty ? [] : found)].map((place) => [place.to, place]))
  return { offered: [...all.values()], isSearching: !isEmpty && isSearching }
}
