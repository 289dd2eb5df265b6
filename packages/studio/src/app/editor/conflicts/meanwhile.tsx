import { type ReactNode, useState } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { placeName } from '../../model/place-name.ts'
import { usePersonName } from '../../session/use-person-name.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Difference, PlainText } from '../differences/difference.tsx'
import { fieldAt, valueText } from '../differences/value-text.ts'
import { focusField } from '../places/focus-field.ts'
import type { Aside, MergeNote } from '../saving/edit-state.ts'
import { Banner } from '../status/banner.tsx'
import { ConflictList, type MeanwhileProps } from './conflict-list.tsx'
import styles from './conflicts.module.css'

/** All that has happened to a document while it was open, or while its tab was closed. */
export const Meanwhile = (props: MeanwhileProps): ReactNode => (
  <>
    <ConflictList {...props} />
    <MergeNotes {...props} />
    <AsideList {...props} />
  </>
)

/** What others changed, in fields that this person had not touched or that both could be joined in. */
function MergeNotes({ fields, editor, state }: MeanwhileProps): ReactNode {
  const { t } = useTexts()
  const { notes } = state
  const actors = [...new Set(notes.map(({ by }) => by))]
  const personName = usePersonName(actors, { isElsewhere: true })
  const [isOpen, setIsOpen] = useState(false)
  if (notes.length === 0) return null
  const people = [...new Set(actors.map(personName))].join(', ')
  return (
    <div role="status">
      <Banner tone="told" text={t.saving.notes.title(people, notes.map(({ path }) => placeName(path)).join(', '))}>
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

function Note({ note, fields }: { readonly note: MergeNote } & Pick<MeanwhileProps, 'fields'>): ReactNode {
  const { t } = useTexts()
  const field = fieldAt(fields, note.path)
  return (
    <li className={styles.conflict}>
      <button type="button" className={styles.jump} onClick={() => focusField(note.path)}>
        {placeName(note.path)}
      </button>
      {note.isJoint && <p className={styles.sideTitle}>{t.saving.notes.joint}</p>}
      <Difference from={valueText(note.from, field)} to={valueText(note.to, field)} />
    </li>
  )
}

/** Values that have no place in the document any more: they can be copied. */
function AsideList({ editor, state: { aside } }: MeanwhileProps): ReactNode {
  const { t } = useTexts()
  if (aside.length === 0) return null
  return (
    <section className={styles.conflicts} aria-label={t.saving.aside.title}>
      <h2>{t.saving.aside.title}</h2>
      <p>{t.saving.aside.text}</p>
      {aside.map((one, index) => (
        <AsideValue key={`${one.path}-${index.toString()}`} aside={one} />
      ))}
      <div className={styles.buttons}>
        <Button onPress={() => editor.dismiss('aside')}>{t.saving.aside.dismiss}</Button>
      </div>
    </section>
  )
}

function AsideValue({ aside: { path, value } }: { readonly aside: Aside }): ReactNode {
  const { t } = useTexts()
  const text = valueText(value)
  return (
    <article className={styles.conflict}>
      <h3>{placeName(path)}</h3>
      <PlainText text={text} />
      <div className={styles.buttons}>
        <Button icon="copy" onPress={() => void navigator.clipboard.writeText(text)}>
          {t.common.copyText}
        </Button>
      </div>
    </article>
  )
}
