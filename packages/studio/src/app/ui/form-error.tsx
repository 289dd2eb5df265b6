import type { ReactNode } from 'react'
import styles from './form-error.module.css'

/** The error of a form, announced to screen readers. */
export const FormError = ({ children }: { readonly children: ReactNode }): ReactNode => (
  <p role="alert" className={styles.problem}>
    {children}
  </p>
)
