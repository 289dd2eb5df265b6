import type { FieldDescription } from 'daybook'
import { type ReactNode, useMemo } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { placeName } from '../../model/place-name.ts'
import { errorText } from '../../talk/error-texts.ts'
import { Waiting } from '../../ui/waiting.tsx'
import { Difference } from '../differences/difference.tsx'
import { changedFields } from './changed-fields.ts'
import styles from './history.module.css'
import type { ComparedVersions } from './use-versions.ts'

/** What {@link VersionChanges} take. */
export interface VersionChangesProps {
  readonly fields: readonly FieldDescription[]
  readonly compared: ComparedVersions
}

/** What a version changed, field by field. */
export function VersionChanges({ fields, compared }: VersionChangesProps): ReactNode {
  const { t } = useTexts()
  const { version, before, error } = compared
  const changes = useMemo(
    () => (version && before !== undefined ? changedFields(fields, before?.data ?? {}, version.data ?? {}) : []),
    [fields, version, before],
  )
  if (error) return <p role="alert">{errorText(error, t)}</p>
  if (!version || before === undefined) return <Waiting label={t.common.loading} />
  if (version.erased) return <p>{t.history.erased}</p>
  if (version.action === 'delete') return <p>{t.history.wasDeleted}</p>
  if (changes.length === 0) return <p className={styles.none}>{t.history.none}</p>
  return (
    <div className={styles.changes}>
      {changes.map(({ path, from, to }) => (
        <section key={path} className={styles.change} aria-label={placeName(path)}>
          <h3>{placeName(path)}</h3>
          <Difference from={from} to={to} />
        </section>
      ))}
    </div>
  )
}
