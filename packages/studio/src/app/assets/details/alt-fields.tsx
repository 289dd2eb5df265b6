import type { ReactNode } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { TextField } from '../../ui/controls/text-field.tsx'
import type { AssetForm } from './use-asset-form.ts'

/** The texts in place of a file, one for each language. */
export function AltFields({ form, isReadOnly }: { readonly form: AssetForm; readonly isReadOnly: boolean }): ReactNode {
  const { t, language } = useTexts()
  const nameOf = (locale: string): string => new Intl.DisplayNames(language, { type: 'language' }).of(locale) ?? locale
  return form.locales.map((locale, index) => (
    <TextField
      key={locale ?? ''}
      label={locale === undefined ? t.assets.alt : t.assets.altIn(nameOf(locale))}
      description={index === 0 ? t.assets.altText : undefined}
      value={form.alt(locale)}
      onChange={(text) => form.setAlt(locale, text)}
      isReadOnly={isReadOnly}
      isLong
    />
  ))
}
