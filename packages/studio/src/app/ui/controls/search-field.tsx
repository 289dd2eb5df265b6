import type { ReactNode } from 'react'
import { Input } from 'react-aria-components/Input'
import { SearchField as AriaSearchField } from 'react-aria-components/SearchField'
import { Icon } from '../icon.tsx'
import field from './field.module.css'
import styles from './search-field.module.css'

export interface SearchFieldProps {
  /** The accessible name, also the placeholder. */
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}

/** A search field; Escape clears it. */
export const SearchField = ({ label, value, onChange }: SearchFieldProps): ReactNode => (
  <AriaSearchField aria-label={label} value={value} onChange={onChange} className={styles.search ?? ''}>
    <Icon name="search" />
    <Input className={`${field.input} ${styles.input}`} placeholder={label} />
  </AriaSearchField>
)
