import { type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import type { MountedStudioEditor, StudioEditorModule, StudioEditorProps } from '../../../server/editor-protocol.ts'
import { useStudio } from '../../api/studio.ts'
import { useTexts } from '../../messages/messages.tsx'
import fieldStyles from '../../ui/controls/field.module.css'
import type { FieldEditorProps } from './field-editor.ts'

/** An editor that the config brings for a custom field type. If it throws, only this field shows the error. */
export function CustomEditor(props: FieldEditorProps): ReactNode {
  const { field, label, value, onChange, error, isReadOnly } = props
  const { language } = useTexts()
  const id = useId()
  const container = useRef<HTMLDivElement>(null)
  const editorProps: StudioEditorProps = {
    value: value ?? null,
    onChange,
    label,
    labelId: `${id}-label`,
    descriptionIds: `${id}-note ${id}-error`,
    error: error ?? null,
    isReadOnly,
    field,
    language,
  }
  useEditorModule(container, field.type, editorProps)
  return (
    <div className={fieldStyles.field} data-required={field.required || undefined}>
      <p id={`${id}-label`} className={fieldStyles.label}>
        {label}
      </p>
      <p id={`${id}-note`} className={fieldStyles.description} hidden={field.description === undefined}>
        {field.description}
      </p>
      <div ref={container} />
      <p id={`${id}-error`} className={fieldStyles.error} hidden={error === undefined}>
        {error}
      </p>
    </div>
  )
}

/** Mounts the editor module of a type into an element, and passes changed props to it. */
function useEditorModule(
  container: { readonly current: HTMLElement | null },
  type: string,
  editorProps: StudioEditorProps,
): void {
  const { settings } = useStudio()
  const path = settings.editors?.[type] ?? ''
  const [failure, setFailure] = useState<{ readonly error: unknown }>()
  const mounted = useRef<MountedStudioEditor>(undefined)
  const latestProps = useRef(editorProps)
  useEffect(() => {
    const host = document.createElement('div')
    let isUnmounted = false
    const begin = async (): Promise<void> => {
      const module: StudioEditorModule = await import(/* @vite-ignore */ path)
      if (isUnmounted || !container.current) return
      container.current.append(host)
      mounted.current = module.mount(host, latestProps.current)
    }
    begin().catch((error: unknown) => setFailure({ error }))
    return () => {
      isUnmounted = true
      mounted.current?.unmount()
      mounted.current = undefined
      host.remove()
    }
  }, [path, container])
  const { value, onChange, label, error, isReadOnly, language } = editorProps
  useLayoutEffect(() => {
    latestProps.current = { ...latestProps.current, value, onChange, label, error, isReadOnly, language }
    mounted.current?.update(latestProps.current)
  }, [value, onChange, label, error, isReadOnly, language])
  if (failure) throw failure.error
}
