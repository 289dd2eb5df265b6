import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useCallback, useEffect, useState } from 'react'
import { getErrorText } from '../../api/error-texts.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { useStudio } from '../../api/studio.ts'
import { useTexts } from '../../messages/messages.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { Checkbox } from '../../ui/controls/checkbox.tsx'
import { ChoiceField } from '../../ui/controls/choice-field.tsx'
import { Dialog, DialogButtons } from '../../ui/overlays/dialog.tsx'
import { useToast } from '../../ui/overlays/toasts.tsx'
import { ValueEditor } from '../filters/value-editor.tsx'
import type { FilterValue } from '../filters/where-tree.ts'
import { getFieldLabel } from '../list-fields.ts'
import { type ListView, useSubject } from '../list-view.ts'
import { toRowFilter } from '../rows-query.ts'
import styles from './bulk.module.css'
import { type BulkAction, type BulkKind, getSettableFields, makeArchiveAction } from './bulk-operations.ts'
import { type BulkOutcome, BulkRun, type DryRun, MAX_ENTRIES } from './bulk-run.ts'
import { Refusals } from './refusals.tsx'
import type { Selection } from './selection.ts'

export interface BulkDialogProps {
  readonly view: ListView
  readonly kind: BulkKind
  readonly selection: Selection
  readonly onClose: () => void
  readonly onDone: () => void
}

type Stage =
  | { readonly at: 'choosing' }
  | { readonly at: 'trying' | 'doing'; readonly part: number }
  | { readonly at: 'tried'; readonly action: BulkAction; readonly dryRun: DryRun }
  | { readonly at: 'failed'; readonly error: unknown }

/** Tries an action, shows refusals, executes it on the other entries, and offers to undo it. */
export default function BulkDialog({ view, kind, selection, onClose, onDone }: BulkDialogProps): ReactNode {
  const { t } = useTexts()
  const { bulk } = t.lists
  const { client } = useStudio()
  const subject = useSubject()
  const { collection } = view
  const [controller] = useState(() => new AbortController())
  const [run] = useState(() => new BulkRun(client, collection, subject, controller.signal))
  const [stage, setStage] = useState<Stage>(kind === 'set' ? { at: 'choosing' } : { at: 'trying', part: 0 })
  const showOutcome = useOutcome(view, run)
  const { search } = view
  const attempt = useCallback(
    (action: BulkAction) => {
      const selected = selection.isAll ? toRowFilter(search) : [...selection.ids]
      setStage({ at: 'trying', part: 0 })
      run
        .dryRun(action, selected, (part) => setStage({ at: 'trying', part }))
        .then((dryRun) => setStage({ at: 'tried', action, dryRun }))
        .catch((error: unknown) => setStage({ at: 'failed', error }))
    },
    [run, search, selection],
  )
  useEffect(() => {
    if (kind === 'archive') attempt(makeArchiveAction(collection))
    else if (kind !== 'set') attempt({ kind })
  }, [kind, collection, attempt])
  const execute = async (action: BulkAction, ids: readonly string[]): Promise<void> => {
    setStage({ at: 'doing', part: 0 })
    showOutcome(await run.execute(action, ids, (part) => setStage({ at: 'doing', part })))
    onDone()
  }
  const isBusy = stage.at === 'doing'
  const close = (): void => {
    controller.abort()
    onClose()
  }
  return (
    <Dialog title={bulk.kinds[kind]} isOpen {...(isBusy ? {} : { onClose: close })}>
      {stage.at === 'choosing' && <SetField view={view} onChoose={attempt} onCancel={close} />}
      {(stage.at === 'trying' || isBusy) && (
        <div role="status">
          <p>{isBusy ? bulk.doing : bulk.trying}</p>
          <progress className={styles.progress} aria-label={bulk.doing} value={'part' in stage ? stage.part : 0} />
        </div>
      )}
      {stage.at === 'failed' && <p role="alert">{getErrorText(stage.error, t)}</p>}
      {stage.at === 'tried' && (
        <Tried
          view={view}
          kind={kind}
          {...stage}
          onCancel={close}
          onConfirm={(ids) => void execute(stage.action, ids)}
        />
      )}
      {(stage.at === 'failed' || stage.at === 'trying') && (
        <DialogButtons>
          <Button onPress={close}>{t.common.cancel}</Button>
        </DialogButtons>
      )}
    </Dialog>
  )
}

interface TriedProps {
  readonly view: ListView
  readonly kind: BulkKind
  readonly dryRun: DryRun
  readonly onCancel: () => void
  readonly onConfirm: (ids: readonly string[]) => void
}

function Tried({ view, kind, dryRun, onCancel, onConfirm }: TriedProps): ReactNode {
  const { t } = useTexts()
  const { bulk } = t.lists
  const { ids, refusals, selected, isPartial } = dryRun
  const unchanged = selected - ids.length - refusals.length
  const isTooMany = selected > MAX_ENTRIES
  const canDo = ids.length > 0 && !isPartial && !isTooMany
  return (
    <>
      <p>{isTooMany ? bulk.tooMany(MAX_ENTRIES) : isPartial ? bulk.manyRefuse : bulk.ready(ids.length)}</p>
      {unchanged > 0 && !isPartial && !isTooMany && <p>{bulk.unchanged(unchanged)}</p>}
      {refusals.length > 0 && <Refusals collection={view.collection} refusals={refusals} />}
      <DialogButtons>
        <Button onPress={onCancel} autoFocus>
          {t.common.cancel}
        </Button>
        {canDo && (
          <Button variant={kind === 'delete' ? 'danger' : 'primary'} onPress={() => onConfirm(ids)}>
            {bulk.confirm(bulk.kinds[kind], ids.length)}
          </Button>
        )}
      </DialogButtons>
    </>
  )
}

/** Returns a function that reports an outcome and offers to undo it. */
function useOutcome({ collection, reload }: ListView, run: BulkRun): (outcome: BulkOutcome) => void {
  const { t } = useTexts()
  const { bulk } = t.lists
  const toast = useToast()
  const queries = useQueryClient()
  const refresh = (): void => {
    void queries.invalidateQueries({ queryKey: queryKeys.lists(collection.key) })
    reload()
  }
  const undo = (ranges: BulkOutcome['ranges']): void => {
    run
      .undo(ranges)
      .then((blocked) => toast({ text: blocked === 0 ? bulk.undone : bulk.partlyUndone(blocked) }))
      .catch((error: unknown) => toast({ kind: 'failed', text: getErrorText(error, t) }))
      .finally(refresh)
  }
  return ({ done, ranges, error }) => {
    const action = ranges.length > 0 ? { action: { label: bulk.undo, onPress: () => undo(ranges) } } : {}
    if (error !== undefined) toast({ kind: 'failed', text: bulk.endedEarly(done, getErrorText(error, t)), ...action })
    else toast({ text: bulk.done(done), ...action })
    refresh()
  }
}

interface SetFieldProps {
  readonly view: ListView
  readonly onChoose: (action: BulkAction) => void
  readonly onCancel: () => void
}

function SetField({ view, onChoose, onCancel }: SetFieldProps): ReactNode {
  const { t } = useTexts()
  const { bulk } = t.lists
  const fields = getSettableFields(view.collection.fields)
  const [path, setPath] = useState(fields[0]?.key ?? '')
  const [value, setValue] = useState<FilterValue>()
  const [isEmpty, setIsEmpty] = useState(false)
  const field = view.fields.find((listField) => listField.path === path)
  const isRequired = fields.find(({ key }) => key === path)?.required === true
  const choose = (next: string): void => {
    setPath(next)
    setValue(undefined)
    setIsEmpty(false)
  }
  return (
    <>
      <ChoiceField
        label={t.lists.filter.field}
        value={path}
        options={fields.map(({ key }) => {
          const listField = view.fields.find((option) => option.path === key)
          return { id: key, label: listField ? getFieldLabel(listField, t) : key }
        })}
        onChange={choose}
      />
      {field && !isEmpty && (
        <ValueEditor
          condition={{ kind: 'condition', path, operator: 'eq', value }}
          field={field}
          view={view}
          onChange={setValue}
        />
      )}
      {!isRequired && (
        <Checkbox label={bulk.empty} isSelected={isEmpty} onChange={(isSelected) => setIsEmpty(isSelected)} />
      )}
      <DialogButtons>
        <Button onPress={onCancel}>{t.common.cancel}</Button>
        <Button
          variant="primary"
          isDisabled={!isEmpty && value === undefined}
          onPress={() => onChoose({ kind: 'set', field: path, value: isEmpty ? null : value })}
        >
          {bulk.try}
        </Button>
      </DialogButtons>
    </>
  )
}
