import type { ReactNode } from 'react'
import styles from './form-error.module.css'

/** Why a form was not carried out, said as soon as it is known. */
export const FormError = ({ children }: { readonly children: ReactNode }): ReactNode => (
  <p role="alert" className={styles.problem}>
    {children}
  </p>
)
