import { type ReactNode, Suspense, useEffect, useId, useMemo, useState } from 'react'
import { useStudio } from '../../../api/studio.ts'
import { useTexts } from '../../../messages/messages.tsx'
import { useModel } from '../../../model/use-model.ts'
import { Button } from '../../../ui/controls/button.tsx'
import field from '../../../ui/controls/field.module.css'
import { ErrorBoundary } from '../../../ui/error-boundary.tsx'
import { preloadable, runWhenIdle } from '../../../ui/preloadable.tsx'
import type { FieldEditorProps } from '../field-editor.ts'
import { ChosenTargets } from './chosen-targets.tsx'
import styles from './relation.module.css'
import { getReferenceKey, getTargets, type Reference, readReferences, toRelationValue } from './relation-targets.ts'

const loadPicker = () => import('./picker-dialog.tsx')
const { Component: PickerDialog, preload } = preloadable(async () => (await loadPicker()).PickerDialog)

/** The editor of references to other entries: one, or several in order. */
export function RelationEditor(props: FieldEditorProps): ReactNode {
  const { field: own, label, value, onChange, error, isReadOnly } = props
  const { t } = useTexts()
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  const references = useMemo(() => readReferences(own, value), [own, value])
  const targets = getTargets(own)
  const prefetch = usePrefetch(targets, references)
  const put = (next: readonly Reference[]): void => onChange(toRelationValue(own, next))
  const toggle = (one: Reference): void => {
    const others = references.filter((other) => getReferenceKey(other) !== getReferenceKey(one))
    if (!own.many) setOpen(false)
    put(own.many && others.length < references.length ? others : [...(own.many ? references : []), one])
  }
  return (
    <div
      role="group"
      aria-labelledby={`${id}-label`}
      aria-describedby={`${id}-note ${id}-error`}
      className={field.field}
      data-required={own.required || undefined}
    >
      <p id={`${id}-label`} className={field.label}>
        {label}
        {own.many && references.length > 0 && <span className={styles.count}>{t.fields.items(references.length)}</span>}
      </p>
      <p id={`${id}-note`} className={field.description} hidden={own.description === undefined}>
        {own.description}
      </p>
      <ChosenTargets
        references={references}
        isCollectionShown={targets.length > 1}
        isReadOnly={isReadOnly}
        onChange={put}
      />
      {!isReadOnly && targets.length > 0 && (
        <div className={styles.actions}>
          <Button
            icon={own.many ? 'plus' : 'search'}
            onPress={() => setOpen(true)}
            onHoverStart={prefetch}
            onFocus={prefetch}
          >
            {own.many || references.length === 0 ? t.fields.choose : t.fields.chooseAnother}
          </Button>
        </div>
      )}
      {targets.length === 0 && <p className={field.description}>{t.fields.hiddenTarget}</p>}
      <p id={`${id}-error`} className={field.error} hidden={error === undefined}>
        {error}
      </p>
      {isOpen && (
        <ErrorBoundary fallback={() => <p className={field.error}>{t.errors.network}</p>}>
          <Suspense fallback={null}>
            <PickerDialog
              title={label}
              targets={targets}
              chosen={references}
              isMany={own.many}
              onToggle={toggle}
              onClose={() => setOpen(false)}
            />
          </Suspense>
        </ErrorBoundary>
      )}
    </div>
  )
}

/** Loads the picker once the field is there. @returns asks for what it shows first, when somebody is about to open it */
function usePrefetch(targets: readonly string[], chosen: readonly Reference[]): () => void {
  const studio = useStudio()
  const model = useModel()
  useEffect(() => runWhenIdle(() => void preload()), [])
  return () =>
    void loadPicker()
      .then(({ prefetchChoices }) => prefetchChoices(studio, model, targets, chosen))
      .catch(() => {})
}
