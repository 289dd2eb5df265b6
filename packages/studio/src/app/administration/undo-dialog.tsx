import type { JournalRecord } from '@daybook/client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { getErrorText } from '../api/error-texts.ts'
import { useStudio } from '../api/studio.ts'
import { useAdministrationTexts } from '../messages/messages.tsx'
import { Button } from '../ui/controls/button.tsx'
import { ChoiceField } from '../ui/controls/choice-field.tsx'
import { FormError } from '../ui/form-error.tsx'
import { LoadingPlaceholder } from '../ui/loading-placeholder.tsx'
import { Dialog, DialogButtons } from '../ui/overlays/dialog.tsx'
import { useToast } from '../ui/overlays/toasts.tsx'

interface UndoDialogProps {
  readonly record: JournalRecord
  readonly getName: (subject: string | undefined) => string
  readonly onClose: () => void
}

type Scope = 'one' | 'actor' | 'all'

/** Shows what an undo would change, by a dry run, and carries it out. */
export function UndoDialog({ record, getName, onClose }: UndoDialogProps): ReactNode {
  const { t } = useAdministrationTexts()
  const { client } = useStudio()
  const queries = useQueryClient()
  const toast = useToast()
  const [scope, setScope] = useState<Scope>('one')
  const { seq, actor } = record
  const range = {
    from: seq,
    ...(scope === 'one' ? { to: seq } : {}),
    ...(scope === 'actor' && actor !== undefined ? { actor } : {}),
  }
  const preview = useQuery({
    queryKey: ['undo', range],
    queryFn: ({ signal }) => client.undo(range, { dryRun: true, signal }),
    staleTime: 0,
    gcTime: 0,
  })
  const undo = useMutation({
    mutationFn: () => client.undo(range),
    onSuccess: ({ undone }) => {
      toast({ text: t.audit.undone(undone.length) })
      onClose()
    },
    onSettled: () => void queries.invalidateQueries(),
  })
  const count = preview.data?.undone.length ?? 0
  const blocked = preview.data?.blocked.length ?? 0
  const options: readonly { readonly id: Scope; readonly label: string }[] = [
    { id: 'one', label: t.audit.scopes.one },
    ...(actor === undefined ? [] : [{ id: 'actor' as const, label: t.audit.scopes.actor(getName(actor)) }]),
    { id: 'all', label: t.audit.scopes.all },
  ]
  const error = undo.error ?? preview.error
  return (
    <Dialog title={t.audit.undoTitle(seq)} isOpen onClose={onClose}>
      <ChoiceField label={t.audit.scope} value={scope} options={options} onChange={(id) => setScope(id as Scope)} />
      {preview.isPending && <LoadingPlaceholder label={t.common.loading} lines={1} />}
      {preview.data && <p role="status">{t.audit.preview(count, blocked)}</p>}
      {error && <FormError>{getErrorText(error, t)}</FormError>}
      <DialogButtons>
        <Button onPress={onClose}>{t.common.cancel}</Button>
        <Button variant="primary" onPress={() => undo.mutate()} isDisabled={count === 0} isPending={undo.isPending}>
          {t.audit.undo}
        </Button>
      </DialogButtons>
    </Dialog>
  )
}
