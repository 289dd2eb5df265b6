import { type FormEvent, type ReactNode, useState } from 'react'
import { getErrorText } from '../../api/error-texts.ts'
import { useTexts } from '../../messages/messages.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { Switch } from '../../ui/controls/switch.tsx'
import { TextField } from '../../ui/controls/text-field.tsx'
import { FormError } from '../../ui/form-error.tsx'
import { Dialog, DialogButtons } from '../../ui/overlays/dialog.tsx'
import { formatColumns, type ListView, useSubject } from '../list-view.ts'
import styles from './save-view.module.css'
import type { Views } from './saved-views.ts'

export interface SaveViewDialogProps {
  readonly view: ListView
  readonly views: Views
  readonly onClose: () => void
}

export default function SaveViewDialog({ view, views, onClose }: SaveViewDialogProps): ReactNode {
  const { t } = useTexts()
  const texts = t.lists.views
  const [name, setName] = useState('')
  const [isShared, setIsShared] = useState(false)
  const [error, setError] = useState<unknown>()
  const subject = useSubject()
  const { search, columns, change } = view
  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    if (name.trim() === '') return
    // A view includes its columns, so that they do not depend on the user's choice.
    const { view: _, ...viewSearch } = { ...search, columns: formatColumns(columns.map(({ path }) => path)) }
    try {
      const saved = await views.save({ name: name.trim(), isShared }, viewSearch)
      change({ ...viewSearch, view: saved.id })
      onClose()
    } catch (failure) {
      setError(failure)
    }
  }
  return (
    <Dialog title={texts.save} isOpen onClose={onClose}>
      <form className={styles.form} onSubmit={(event) => void save(event)}>
        <TextField label={texts.name} value={name} onChange={setName} maxLength={100} autoFocus isRequired />
        {views.canShare && subject !== '' && (
          <Switch label={texts.share} description={texts.shareText} value={isShared} onChange={setIsShared} />
        )}
        {error !== undefined && <FormError>{getErrorText(error, t)}</FormError>}
        <DialogButtons>
          <Button onPress={onClose}>{t.common.cancel}</Button>
          <Button variant="primary" type="submit">
            {t.common.save}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  )
}
