import { useRouter } from '@tanstack/react-router'
import { type KeyboardEvent, type ReactNode, type RefObject, useId, useLayoutEffect, useState } from 'react'
import { Dialog } from 'react-aria-components/Dialog'
import { Modal, ModalOverlay } from 'react-aria-components/Modal'
import { useTexts } from '../../messages/messages.tsx'
import { Icon } from '../../ui/icon.tsx'
import { arrangeDestinations, type Destination, GROUPS, matchDestinations } from './destinations.ts'
import styles from './palette.module.css'
import { Press } from './press.tsx'
import { useCreations, useDestinations, useEntrySearch } from './use-destinations.ts'

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
  const [text, setText] = useState('')
  // The field has the focus from now on: take over the text typed until now.
  useLayoutEffect(() => {
    const typedText = typed.current
    typed.current = ''
    setText(typedText)
  }, [typed])
  const [selected, setSelected] = useState(0)
  const { options, isSearching } = useOptions(text)
  const current = Math.min(selected, options.length - 1)
  const go = (destination: Destination | undefined): void => {
    if (!destination) return
    onClose()
    const { target } = destination
    if (typeof target === 'function') target()
    else void router.navigate({ href: `${router.basepath === '/' ? '' : router.basepath}${target}` })
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
        {GROUPS.map((group) => {
          const members = options.filter((destination) => destination.group === group)
          return (
            members.length > 0 && (
              <div key={group} role="group" aria-labelledby={`${id}-${group}`}>
                <p id={`${id}-${group}`} role="presentation" className={styles.heading}>
                  {t.palette.groups[group]}
                </p>
                {members.map((destination) => (
                  <Option
                    key={destination.id}
                    id={`${id}-${options.indexOf(destination)}`}
                    destination={destination}
                    isSelected={destination === options[current]}
                    onChoose={() => go(destination)}
                  />
                ))}
              </div>
            )
          )
        })}
      </div>
      <p role="status" className={styles.state}>
        {isSearching ? t.common.loading : options.length === 0 ? t.palette.none : t.palette.hint}
      </p>
    </>
  )
}

interface OptionProps {
  readonly id: string
  readonly destination: Destination
  readonly isSelected: boolean
  readonly onChoose: () => void
}

function Option({ id, destination: { label, kind, presses = [] }, isSelected, onChoose }: OptionProps): ReactNode {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field keeps the focus and handles the keys
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isSelected}
      ref={(option) => {
        if (isSelected) option?.scrollIntoView({ block: 'nearest' })
      }}
      className={styles.option}
      onClick={onChoose}
    >
      <bdi className={styles.label}>{label}</bdi>
      <span className={styles.kind}>{kind}</span>
      {presses.map((press) => (
        <Press key={press} press={press} />
      ))}
    </div>
  )
}

function useOptions(text: string): { readonly options: readonly Destination[]; readonly isSearching: boolean } {
  const destinations = useDestinations()
  const creations = useCreations(text)
  const { destinations: entries, isSearching } = useEntrySearch(text)
  const isEmpty = text.trim() === ''
  const matches = isEmpty ? destinations : matchDestinations(destinations, text).slice(0, MAX_SHOWN)
  const options = arrangeDestinations([...matches, ...(isEmpty ? [] : entries), ...creations])
  return { options, isSearching: !isEmpty && isSearching }
}
