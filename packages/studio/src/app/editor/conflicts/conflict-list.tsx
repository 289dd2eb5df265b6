import type { FieldDescription } from 'daybook'
import type { ReactNode } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { placeName } from '../../model/place-name.ts'
import { usePersonName } from '../../session/use-person-name.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Difference, PlainText } from '../differences/difference.tsx'
import { fieldAt, valueText } from '../differences/value-text.ts'
import type { DocumentEditor } from '../saving/document-editor.ts'
import type { Conflict } from '../saving/edit-state.ts'
import type { EditorState } from '../saving/editor-state.ts'
import styles from './conflicts.module.css'

/** What conflicts and notes are shown of. */
export interface MeanwhileProps {
  readonly fields: readonly FieldDescription[]
  readonly editor: DocumentEditor
  readonly state: EditorState
}

/** Fields that this person and another one have both changed: somebody has to decide, field by field. */
export function ConflictList({ fields, editor, state }: MeanwhileProps): ReactNode {
  const { t } = useTexts()
  const conflicts = [...state.conflicts.values()]
  if (conflicts.length === 0) return null
  return (
    <section className={styles.conflicts} aria-label={t.saving.conflicts.title}>
      <h2>{t.saving.conflicts.title}</h2>
      <p>{t.saving.conflicts.text}</p>
      {conflicts.map((conflict) => (
        <OneConflict key={conflict.path} conflict={conflict} fields={fields} editor={editor} />
      ))}
    </section>
  )
}

interface OneConflictProps extends Pick<MeanwhileProps, 'fields' | 'editor'> {
  readonly conflict: Conflict
}

function OneConflict({ conflict, fields, editor }: OneConflictProps): ReactNode {
  const { t, formats } = useTexts()
  const { path, by, at, merged } = conflict
  const personName = usePersonName([by], { isElsewhere: true })
  const field = fieldAt(fields, path)
  const [base, mine, theirs] = [conflict.base, conflict.mine, conflict.theirs].map((value) => valueText(value, field))
  const texts = t.saving.conflicts
  const name = placeName(path)
  const who = [personName(by), at === undefined ? '' : formats.ago(at)].filter(Boolean).join(', ')
  return (
    <article className={styles.conflict} aria-label={name}>
      <h3>{name}</h3>
      <div className={styles.sides}>
        <Side title={texts.mine}>
          <Difference from={base ?? ''} to={mine ?? ''} />
        </Side>
        <Side title={texts.theirs(who)}>
          <Difference from={base ?? ''} to={theirs ?? ''} />
        </Side>
        <Side title={texts.base}>
          <PlainText text={base ?? ''} />
        </Side>
      </div>
      {merged !== undefined && (
        <Side title={texts.merged}>
          <Difference from={theirs ?? ''} to={merged} />
        </Side>
      )}
      <div className={styles.buttons}>
        {merged !== undefined && (
          <Button variant="primary" onPress={() => editor.resolve(path, { value: merged })}>
            {texts.takeMerged}
          </Button>
        )}
        <Button onPress={() => editor.resolve(path, 'mine')}>{texts.keepMine}</Button>
        <Button onPress={() => editor.resolve(path, 'theirs')}>{texts.takeTheirs}</Button>
      </div>
    </article>
  )
}

const Side = ({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactNode => (
  <div className={styles.side}>
    <p className={styles.sideTitle}>{title}</p>
    {children}
  </div>
)
