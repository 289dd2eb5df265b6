import { slugify } from 'daybook/slugs'
import type { ReactNode } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { toLabel } from '../../model/studio-model.ts'
import { Button } from '../../ui/controls/button.tsx'
import { TextField } from '../../ui/controls/text-field.tsx'
import styles from './choices.module.css'
import type { FieldEditorProps } from './field-editor.ts'

/** The editor of a slug, which derives from another field and can be edited. */
export function SlugEditor({ field, label, value, onChange, error, isReadOnly, source }: FieldEditorProps): ReactNode {
  const { t } = useTexts()
  const generatedSlug = typeof source === 'string' ? slugify(source) : ''
  const hint = field.from === undefined ? undefined : t.fields.madeFrom(toLabel(field.from))
  return (
    <div className={styles.slug}>
      <TextField
        label={label}
        description={[field.description, hint].filter(Boolean).join(' ') || undefined}
        value={typeof value === 'string' ? value : ''}
        onChange={(text) => onChange(text === '' ? null : text, { isTyping: true })}
        error={error}
        isReadOnly={isReadOnly}
        isRequired={field.required}
        spellCheck="false"
        autoComplete="off"
        placeholder={generatedSlug}
      />
      {!isReadOnly && generatedSlug !== '' && generatedSlug !== value && (
        <Button onPress={() => onChange(generatedSlug)}>{t.fields.makeAnew}</Button>
      )}
    </div>
  )
}
