import { type ReactNode, useMemo, useState } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { Sheet } from '../../ui/overlays/sheet.tsx'
import { useToast } from '../../ui/overlays/toasts.tsx'
import type { ListView } from '../list-view.ts'
import { apiUrl } from './api-url.ts'
import styles from './filter.module.css'
import { filterFields } from './filter-fields.ts'
import { GroupEditor } from './group-editor.tsx'
import { countConditions, type FilterGroup, isComplete, readWhere, writeWhere } from './where-tree.ts'

/** The most conditions that the API takes at once. */
const MAX_CONDITIONS = 50

/** What a {@link FilterBuilder} takes. */
export interface FilterBuilderProps {
  readonly view: ListView
  readonly onClose: () => void
}

/** The form of a filter: conditions of which all must hold, or any, and groups of them. */
export default function FilterBuilder({ view, onClose }: FilterBuilderProps): ReactNode {
  const { t } = useTexts()
  const toast = useToast()
  const { search, change, collections, collection } = view
  const fields = useMemo(() => filterFields(view.fields, collections), [view.fields, collections])
  const [root, setRoot] = useState<FilterGroup>(() => readWhere(search.where))
  const [isChecked, setIsChecked] = useState(false)
  const fault = faultOf(root, t.lists.filter)
  const apply = (): void => {
    setIsChecked(true)
    if (fault !== undefined) return
    change({ where: writeWhere(root) })
    onClose()
  }
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(
      apiUrl(location.origin, collection.key, { ...view.query, where: writeWhere(root) }),
    )
    toast({ text: t.common.copied })
  }
  const failed = (): void => toast({ kind: 'failed', text: t.lists.filter.notCopied })
  return (
    <Sheet
      title={t.lists.filter.title}
      closeLabel={t.common.close}
      onClose={onClose}
      footer={
        <>
          <Button variant="quiet" icon="copy" onPress={() => void copy().catch(failed)}>
            {t.lists.filter.copyUrl}
          </Button>
          <Button variant="primary" onPress={apply}>
            {t.lists.filter.apply}
          </Button>
        </>
      }
    >
      <GroupEditor group={root} fields={fields} view={view} level={1} onChange={setRoot} />
      {isChecked && fault !== undefined && (
        <p role="alert" className={styles.fault}>
          {fault}
        </p>
      )}
    </Sheet>
  )
}

function faultOf(root: FilterGroup, texts: ReturnType<typeof useTexts>['t']['lists']['filter']): string | undefined {
  if (!isComplete(root)) return texts.incomplete
  return countConditions(root) > MAX_CONDITIONS ? texts.tooMany(MAX_CONDITIONS) : undefined
}
