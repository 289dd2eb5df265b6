import { lazy, type ReactNode, Suspense, useState } from 'react'
import { getErrorText } from '../../api/error-texts.ts'
import { useTexts } from '../../messages/messages.tsx'
import { MenuButton, MenuChoice, MenuItem } from '../../ui/overlays/menu.tsx'
import { useToast } from '../../ui/overlays/toasts.tsx'
import type { ListSearch } from '../list-search.ts'
import type { ListView } from '../list-view.ts'
import { type SavedView, useViews } from './saved-views.ts'

const SaveViewDialog = lazy(() => import('./save-view-dialog.tsx'))

/** Clears all parameters except the view. */
const CLEARED: ListSearch = { q: undefined, columns: undefined, sort: undefined, status: undefined, where: undefined }

export function ViewsMenu({ view }: { readonly view: ListView }): ReactNode {
  const { t } = useTexts()
  const texts = t.lists.views
  const toast = useToast()
  const views = useViews(view.collection.key)
  const [isSaving, setIsSaving] = useState(false)
  const { search, change } = view
  const current = views.all.find(({ id }) => id === search.view)
  const choose = (id: string): void => {
    const chosen = views.all.find((item) => item.id === id)
    change({ ...CLEARED, ...chosen?.search, view: chosen?.id })
  }
  const remove = (savedView: SavedView): void => {
    views
      .remove(savedView)
      .then(() => change({ view: undefined }))
      .catch((error: unknown) => toast({ kind: 'failed', text: getErrorText(error, t) }))
  }
  const options = views.all.map(({ id, name, isShared }) => ({ id, label: isShared ? texts.sharedName(name) : name }))
  return (
    <>
      <MenuButton label={current?.name ?? texts.title} icon="star">
        {options.length > 0 && (
          <MenuChoice
            title={texts.title}
            value={current?.id ?? ''}
            options={[{ id: '', label: texts.none }, ...options]}
            onChange={choose}
          />
        )}
        <MenuItem onAction={() => setIsSaving(true)}>{texts.save}</MenuItem>
        {current && <MenuItem onAction={() => remove(current)}>{texts.remove(current.name)}</MenuItem>}
      </MenuButton>
      {isSaving && (
        <Suspense>
          <SaveViewDialog view={view} views={views} onClose={() => setIsSaving(false)} />
        </Suspense>
      )}
    </>
  )
}
