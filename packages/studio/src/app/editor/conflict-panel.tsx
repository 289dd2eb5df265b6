import { type ReactNode, useState } from 'react'
import { useTexts } from '../messages/messages.tsx'
import { formatPath, type StudioField } from '../model/studio-model.ts'
import { useActorName } from '../session/use-actor-name.ts'
import { Button } from '../ui/controls/button.tsx'
import styles from './conflict-panel.module.css'
import { Difference, PlainText } from './differences/difference.tsx'
import { findField, toComparableText } from './differences/text-difference.ts'
import { focusField } from './focus-field.ts'
import type { DocumentEditor } from './saving/document-editor.ts'
import type { Conflict, MergeNote, SetAsideValue } from './saving/edit-state.ts'
import type { EditorState } from './saving/editor-state.ts'
import { Banner } from './saving-status.tsx'

/** Everything that others have changed in a document since it was loaded: conflicts, merged changes, and values set aside. */
export const ConflictPanel = (props: ConflictPanelProps): ReactNode => (
  <>
    <ConflictList {...props} />
    <MergeNotes {...props} />
    <SetAsideList {...props} />
  </>
)

/** The changes by others that were merged without a decision. */
function MergeNotes({ fields, editor, state }: ConflictPanelProps): ReactNode {
  const { t } = useTexts()
  const { notes } = state
  const actors = [...new Set(notes.map(({ by }) => by))]
  const getActorName = useActorName(actors, { isOtherTab: true })
  const [isOpen, setIsOpen] = useState(false)
  if (notes.length === 0) return null
  const authors = [...new Set(actors.map(getActorName))].join(', ')
  return (
    <div role="status">
      <Banner
        tone="info"
        text={t.saving.notes.title(authors, notes.map(({ path }) => formatPath(path, fields)).join(', '))}
      >
        <Button variant="quiet" onPress={() => setIsOpen(!isOpen)}>
          {isOpen ? t.saving.notes.hide : t.saving.notes.show}
        </Button>
        <Button variant="quiet" onPress={() => editor.dismiss('notes')}>
          {t.saving.notes.dismiss}
        </Button>
      </Banner>
      {isOpen && (
        <ul className={styles.list}>
          {notes.map((note) => (
            <Note key={note.path} note={note} fields={fields} />
          ))}
        </ul>
      )}
    </div>
  )
}

function Note({ note, fields }: { readonly note: MergeNote } & Pick<ConflictPanelProps, 'fields'>): ReactNode {
  const { t } = useTexts()
  const field = findField(fields, note.path)
  return (
    <li className={styles.conflict}>
      <button type="button" className={styles.jump} onClick={() => focusField(note.path)}>
        {formatPath(note.path, fields)}
      </button>
      {note.isJoint && <p className={styles.sideTitle}>{t.saving.notes.joint}</p>}
      <Difference from={toComparableText(note.from, field)} to={toComparableText(note.to, field)} />
    </li>
  )
}

/** Edits that no longer have a field in the document, for copying. */
function SetAsideList({ fields, editor, state: { aside } }: ConflictPanelProps): ReactNode {
  const { t } = useTexts()
  if (aside.length === 0) return null
  return (
    <section className={styles.conflicts} aria-label={t.saving.aside.title}>
      <h2>{t.saving.aside.title}</h2>
      <p>{t.saving.aside.text}</p>
      {aside.map((value, index) => (
        <SetAsideCard key={`${value.path}-${index.toString()}`} aside={value} fields={fields} />
      ))}
      <div className={styles.buttons}>
        <Button onPress={() => editor.dismiss('aside')}>{t.saving.aside.dismiss}</Button>
      </div>
    </section>
  )
}

function SetAsideCard({
  aside: { path, value },
  fields,
}: { readonly aside: SetAsideValue } & Pick<ConflictPanelProps, 'fields'>): ReactNode {
  const { t } = useTexts()
  const text = toComparableText(value)
  return (
    <article className={styles.conflict}>
      <h3>{formatPath(path, fields)}</h3>
      <PlainText text={text} />
      <div className={styles.buttons}>
        <Button icon="copy" onPress={() => void navigator.clipboard.writeText(text)}>
          {t.common.copyText}
        </Button>
      </div>
    </article>
  )
}

export interface ConflictPanelProps {
  readonly fields: readonly StudioField[]
  readonly editor: DocumentEditor
  readonly state: EditorState
}

/** The fields that both this user and another have changed. Each needs a decision. */
function ConflictList({ fields, editor, state }: ConflictPanelProps): ReactNode {
  const { t } = useTexts()
  const conflicts = [...state.conflicts.values()]
  const getActorName = useActorName(
    conflicts.map(({ by }) => by),
    { isOtherTab: true },
  )
  if (conflicts.length === 0) return null
  const people = [...new Set(conflicts.map(({ by }) => getActorName(by)))].join(', ')
  const names = conflicts.map(({ path }) => formatPath(path, fields)).join(', ')
  const { title, titleElsewhere } = t.saving.conflicts
  const heading = people === t.people.youElsewhere ? titleElsewhere(names) : title(people, names)
  return (
    <section className={styles.conflicts} aria-label={heading}>
      <h2>{heading}</h2>
      <p>{t.saving.conflicts.text}</p>
      {conflicts.map((conflict) => (
        <ConflictCard key={conflict.path} conflict={conflict} fields={fields} editor={editor} />
      ))}
    </section>
  )
}

interface ConflictCardProps extends Pick<ConflictPanelProps, 'fields' | 'editor'> {
  readonly conflict: Conflict
}

function ConflictCard({ conflict, fields, editor }: ConflictCardProps): ReactNode {
  const { t, formats } = useTexts()
  const { path, by, at, merged } = conflict
  const getActorName = useActorName([by], { isOtherTab: true })
  const field = findField(fields, path)
  const [base, mine, theirs] = [conflict.base, conflict.mine, conflict.theirs].map((value) =>
    toComparableText(value, field),
  )
  const texts = t.saving.conflicts
  const name = formatPath(path, fields)
  const origin = [getActorName(by), at === undefined ? '' : formats.ago(at)].filter(Boolean).join(', ')
  return (
    <article className={styles.conflict} aria-label={name}>
      <h3>{name}</h3>
      <div className={styles.sides}>
        <Side title={texts.mine}>
          <Difference from={base ?? ''} to={mine ?? ''} />
        </Side>
        <Side title={texts.theirs(origin)}>
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
