import { type ReactNode, Suspense, useEffect, useId, useMemo, useState } from 'react'
import { useStudio } from '../../../api/studio.ts'
import { useTexts } from '../../../messages/messages.tsx'
import { useModel } from '../../../model/use-model.ts'
import { Button } from '../../../ui/controls/button.tsx'
import fieldStyles from '../../../ui/controls/field.module.css'
import { ErrorBoundary } from '../../../ui/error-boundary.tsx'
import { preloadable, runWhenIdle } from '../../../ui/preloadable.tsx'
import type { FieldEditorProps } from '../field-editor.ts'
import { ChosenTargets } from './chosen-targets.tsx'
import styles from './relation.module.css'
import { getReferenceKey, getTargets, type Reference, readReferences, toRelationValue } from './relation-targets.ts'

const loadPicker = () => import('./picker-dialog.tsx')
const { Component: PickerDialog, preload } = preloadable(async () => (await loadPicker()).PickerDialog)

export function RelationEditor(props: FieldEditorProps): ReactNode {
  const { field, label, value, onChange, error, isReadOnly } = props
  const { t } = useTexts()
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  const references = useMemo(() => readReferences(field, value), [field, value])
  const targets = getTargets(field)
  const prefetch = usePrefetch(targets, references)
  const setReferences = (next: readonly Reference[]): void => onChange(toRelationValue(field, next))
  const toggle = (reference: Reference): void => {
    if (!field.many) {
      setOpen(false)
      setReferences([reference])
      return
    }
    const remaining = references.filter((candidate) => getReferenceKey(candidate) !== getReferenceKey(reference))
    setReferences(remaining.length < references.length ? remaining : [...references, reference])
  }
  return (
    <div
      role="group"
      aria-labelledby={`${id}-label`}
      aria-describedby={`${id}-note ${id}-error`}
      className={fieldStyles.field}
      data-required={field.required || undefined}
    >
      <p id={`${id}-label`} className={fieldStyles.label}>
        {label}
        {field.many && references.length > 0 && (
          <span className={styles.count}>{t.fields.items(references.length)}</span>
        )}
      </p>
      <p id={`${id}-note`} className={fieldStyles.description} hidden={field.description === undefined}>
        {field.description}
      </p>
      <ChosenTargets
        references={references}
        isCollectionShown={targets.length > 1}
        isReadOnly={isReadOnly}
        onChange={setReferences}
      />
      {!isReadOnly && targets.length > 0 && (
        <div className={styles.actions}>
          <Button
            icon={field.many ? 'plus' : 'search'}
            onPress={() => setOpen(true)}
            onHoverStart={prefetch}
            onFocus={prefetch}
          >
            {field.many || references.length === 0 ? t.fields.choose : t.fields.chooseAnother}
          </Button>
        </div>
      )}
      {targets.length === 0 && <p className={fieldStyles.description}>{t.fields.hiddenTarget}</p>}
      <p id={`${id}-error`} className={fieldStyles.error} hidden={error === undefined}>
        {error}
      </p>
      {isOpen && (
        <ErrorBoundary fallback={() => <p className={fieldStyles.error}>{t.errors.network}</p>}>
          <Suspense fallback={null}>
            <PickerDialog
              title={label}
              targets={targets}
              chosen={references}
              isMany={field.many}
              onToggle={toggle}
              onClose={() => setOpen(false)}
            />
          </Suspense>
        </ErrorBoundary>
      )}
    </div>
  )
}

/** Loads the code of the picker when idle. @returns a function that prefetches its first page */
function usePrefetch(targets: readonly string[], chosen: readonly Reference[]): () => void {
  const studio = useStudio()
  const model = useModel()
  useEffect(() => runWhenIdle(() => void preload()), [])
  return () =>
    void loadPicker()
      .then(({ prefetchChoices }) => prefetchChoices(studio, model, targets, chosen))
      .catch(() => {})
}
