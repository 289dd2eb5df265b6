import { type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import type { MountedStudioEditor, StudioEditorModule, StudioEditorProps } from '../../../server/editor-protocol.ts'
import { useStudio } from '../../api/studio.ts'
import { useTexts } from '../../messages/messages.tsx'
import field from '../../ui/controls/field.module.css'
import type { FieldEditorProps } from './field-editor.ts'

/** The editor that the config brings for a field type of its own. What it throws is shown in the place of this field alone. */
export function CustomEditor(props: FieldEditorProps): ReactNode {
  const { field: own, label, value, onChange, error, isReadOnly } = props
  const { language } = useTexts()
  const id = useId()
  const place = useRef<HTMLDivElement>(null)
  const told: StudioEditorProps = {
    value: value ?? null,
    onChange,
    label,
    labelId: `${id}-label`,
    descriptionIds: `${id}-note ${id}-error`,
    error: error ?? null,
    isReadOnly,
    field: own,
    language,
  }
  useMounted(place, own.type, told)
  return (
    <div className={field.field} data-required={own.required || undefined}>
      <p id={`${id}-label`} className={field.label}>
        {label}
      </p>
      <p id={`${id}-note`} className={field.description} hidden={own.description === undefined}>
        {own.description}
      </p>
      <div ref={place} />
      <p id={`${id}-error`} className={field.error} hidden={error === undefined}>
        {error}
      </p>
    </div>
  )
}

/** Mounts the module of a type into an element, and tells it what changes. */
function useMounted(place: { readonly current: HTMLElement | null }, type: string, told: StudioEditorProps): void {
  const { settings } = useStudio()
  const path = settings.editors?.[type] ?? ''
  const [failure, setFailure] = useState<{ readonly error: unknown }>()
  const mounted = useRef<MountedStudioEditor>(undefined)
  const now = useRef(told)
  useEffect(() => {
    const host = document.createElement('div')
    let isOver = false
    const begin = async (): Promise<void> => {
      const module: StudioEditorModule = await import(/* @vite-ignore */ path)
      if (isOver || !place.current) return
      place.current.append(host)
      mounted.current = module.mount(host, now.current)
    }
    begin().catch((error: unknown) => setFailure({ error }))
    return () => {
      isOver = true
      mounted.current?.unmount()
      mounted.current = undefined
      host.remove()
    }
  }, [path, place])
  const { value, onChange, label, error, isReadOnly, language } = told
  useLayoutEffect(() => {
    now.current = { ...now.current, value, onChange, label, error, isReadOnly, language }
    mounted.current?.update(now.current)
  }, [value, onChange, label, error, isReadOnly, language])
  if (failure) throw failure.error
}
