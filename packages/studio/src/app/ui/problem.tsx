import type { ReactNode } from 'react'
import styles from './problem.module.css'

/** Why a form was not carried out, said as soon as it is known. */
export const Problem = ({ children }: { readonly children: ReactNode }): ReactNode => (
  <p role="alert" className={styles.problem}>
    {children}
  </p>
)
