import type { ReactNode } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { formatPath } from '../../model/studio-model.ts'
import styles from '../editor.module.css'
import type { FieldIssues } from '../fields/field-editor.ts'
import { focusField } from '../focus-field.ts'

/** The maximum number of fields that the summary lists. */
const MAX_PLACES = 12

/** Lists the fields with issues; each name focuses its field. */
export function IssueSummary({ issues }: { readonly issues: FieldIssues }): ReactNode {
  const { t } = useTexts()
  const places = [...issues.keys()].filter((place) => place !== '')
  if (places.length === 0) return null
  return (
    <div className={styles.summary} role="alert">
      <p>{t.publishing.issues}</p>
      <ul>
        {places.slice(0, MAX_PLACES).map((place) => (
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
