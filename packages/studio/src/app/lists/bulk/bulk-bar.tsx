import { lazy, type ReactNode, Suspense, useState } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { Button, IconButton } from '../../ui/controls/button.tsx'
import { PageActions } from '../../ui/page-actions.tsx'
import type { ListView } from '../list-view.ts'
import styles from './bulk.module.css'
import { type BulkKind, getBulkKinds } from './bulk-operations.ts'
import type { Selection } from './selection.ts'

const BulkDialog = lazy(() => import('./bulk-dialog.tsx'))

export interface BulkBarProps {
  readonly view: ListView
  readonly selection: Selection
  readonly total: number
  readonly onSelectAll: () => void
  readonly onClear: () => void
}

export function BulkBar({ view, selection, total, onSelectAll, onClear }: BulkBarProps): ReactNode {
  const { t } = useTexts()
  const [kind, setKind] = useState<BulkKind>()
  const { bulk } = t.lists
  const count = selection.isAll ? total : selection.ids.size
  if (count === 0) return null
  return (
    <PageActions>
      <section className={styles.bar} aria-label={bulk.actions}>
        <p role="status">{bulk.selected(count)}</p>
        {!selection.isAll && total > count && (
          <Button variant="quiet" onPress={onSelectAll}>
            {bulk.selectAll(total)}
          </Button>
        )}
        <div className={styles.actions}>
          {getBulkKinds(view.collection).map((action) => (
            <Button key={action} variant={action === 'delete' ? 'danger' : 'secondary'} onPress={() => setKind(action)}>
              {bulk.kinds[action]}
            </Button>
          ))}
        </div>
        <IconButton icon="close" label={bulk.clear} onPress={onClear} />
        {kind !== undefined && (
          <Suspense>
            <BulkDialog
              view={view}
              kind={kind}
              selection={selection}
              onClose={() => setKind(undefined)}
              onDone={() => {
                setKind(undefined)
                onClear()
              }}
            />
          </Suspense>
        )}
      </section>
    </PageActions>
  )
}
