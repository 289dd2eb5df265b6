import type { ReactNode } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { formatPath } from '../../model/studio-model.ts'
import type { FieldIssues } from '../fields/field-editor.ts'
import { focusField } from '../focus-field.ts'
import styles from './actions.module.css'

/** The most faults that are named one by one. */
const MOST = 12

/** Names the fields that need attention; each name leads to its field. */
export function IssueSummary({ issues }: { readonly issues: FieldIssues }): ReactNode {
  const { t } = useTexts()
  const places = [...issues.keys()].filter((place) => place !== '')
  if (places.length === 0) return null
  return (
    <div className={styles.summary} role="alert">
      <p>{t.publishing.issues}</p>
      <ul>
        {places.slice(0, MOST).map((place) => (
          <li key={place}>
            <button type="button" className={styles.jump} onClick={() => focusField(place)}>
              {formatPath(place)}
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}
