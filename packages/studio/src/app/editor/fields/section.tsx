import { type ReactNode, type SyntheticEvent, useCallback, useRef, useState } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { Icon } from '../../ui/icon.tsx'
import { onReveal } from '../../ui/reveal.ts'
import styles from './section.module.css'

export interface SectionProps {
  readonly label: string
  readonly description?: string | undefined
  /** The name under which this browser remembers if the section is open. */
  readonly name: string
  readonly isClosedAtFirst: boolean
  /** True if a field inside has an issue. */
  readonly isFaulty: boolean
  readonly children: ReactNode
}

const getStorageKey = (name: string): string => `daybook-studio-section:${name}`

function readIsOpen(name: string): boolean | undefined {
  const stored = localStorage.getItem(getStorageKey(name))
  return stored === null ? undefined : stored === 'open'
}

/** Fields under a heading that opens and closes them. It opens when one of its fields is to get the focus. */
export function Section({ label, description, name, isClosedAtFirst, isFaulty, children }: SectionProps): ReactNode {
  const { t } = useTexts()
  const [isOpenAtFirst] = useState(() => readIsOpen(name) ?? !isClosedAtFirst)
  const isKnown = useRef(isOpenAtFirst)
  const watch = useCallback((section: HTMLDetailsElement | null) => {
    if (!section) return undefined
    return onReveal(section, () => {
      section.open = true
    })
  }, [])
  const remember = ({ currentTarget }: SyntheticEvent<HTMLDetailsElement>): void => {
    if (currentTarget.open === isKnown.current) return
    isKnown.current = currentTarget.open
    localStorage.setItem(getStorageKey(name), currentTarget.open ? 'open' : 'closed')
  }
  return (
    <details ref={watch} className={styles.section} open={isOpenAtFirst} onToggle={remember}>
      <summary className={styles.summary}>
        <Icon name="chevron" />
        <span>{label}</span>
        {isFaulty && (
          <span role="img" aria-label={t.editor.faultyPart} className={styles.mark}>
            <Icon name="warning" />
          </span>
        )}
      </summary>
      <div className={styles.content}>
        {description !== undefined && <p className={styles.description}>{description}</p>}
        {children}
      </div>
    </details>
  )
}
