import { type KeyboardEvent, type ReactNode, useId, useState } from 'react'
import { useTexts } from '../../../../messages/messages.tsx'
import { Button } from '../../../../ui/controls/button.tsx'
import fieldStyles from '../../../../ui/controls/field.module.css'
import { TextField } from '../../../../ui/controls/text-field.tsx'
import { Dialog, DialogButtons } from '../../../../ui/overlays/dialog.tsx'
import type { TextLink } from '../text-links.ts'
import { readAddress, toLinkMarkdown, unescapeMarkdown } from './link-markdown.ts'
import styles from './links.module.css'
import { type LinkTarget, useLinkTarget, useLinkTargets } from './use-link-targets.ts'

export interface LinkDialogProps {
  readonly link: TextLink
  /** Receives the Markdown that takes the place of the link. */
  readonly onApply: (markdown: string) => void
  readonly onClose: () => void
}

/** Edits a link: its text, its target, its title. */
export function LinkDialog({ link, onApply, onClose }: LinkDialogProps): ReactNode {
  const { t } = useTexts()
  const selectedAddress = link.url === '' ? readAddress(link.text) : undefined
  const [text, setText] = useState(selectedAddress === undefined ? link.text : '')
  const [title, setTitle] = useState(unescapeMarkdown(link.title))
  const [url, setUrl] = useState(selectedAddress ?? link.url)
  const [typed, setTyped] = useState('')
  const choose = (target: LinkTarget): void => {
    setUrl(target.url)
    if (text.trim() === '' && target.label !== target.url) setText(target.label)
  }
  const targetUrl = url === '' ? readAddress(typed) : url
  const apply = (): void => {
    if (targetUrl !== undefined) onApply(toLinkMarkdown({ text: text.trim(), url: targetUrl, title }))
  }
  return (
    <Dialog title={link.url === '' ? t.fields.links.add : t.fields.links.edit} isOpen onClose={onClose}>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault()
          apply()
        }}
      >
        {url === '' ? (
          <TargetSearch typed={typed} onType={setTyped} onChoose={choose} />
        ) : (
          <ChosenTarget url={url} onChange={() => setUrl('')} />
        )}
        <TextField label={t.fields.links.text} value={text} onChange={setText} />
        <TextField
          label={t.fields.links.title}
          description={t.fields.links.titleHint}
          value={title}
          onChange={setTitle}
        />
        <DialogButtons>
          {link.url !== '' && (
            <Button variant="danger" onPress={() => onApply(link.text)}>
              {t.fields.links.remove}
            </Button>
          )}
          <Button onPress={onClose}>{t.common.cancel}</Button>
          <Button type="submit" variant="primary" isDisabled={targetUrl === undefined}>
            {t.fields.links.apply}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  )
}

function ChosenTarget({ url, onChange }: { readonly url: string; readonly onChange: () => void }): ReactNode {
  const { t } = useTexts()
  const { label, kind } = useLinkTarget(url)
  return (
    <div className={fieldStyles.field}>
      <p className={fieldStyles.label}>{t.fields.links.target}</p>
      <div className={styles.chosen}>
        <p className={styles.target}>
          <bdi className={styles.label}>{label}</bdi>
          <span className={styles.kind}>{kind}</span>
        </p>
        <Button onPress={onChange}>{t.fields.links.change}</Button>
      </div>
    </div>
  )
}

interface TargetSearchProps {
  readonly typed: string
  readonly onType: (text: string) => void
  readonly onChoose: (target: LinkTarget) => void
}

/** A search field for entries, files and addresses, with its results (ARIA combobox). */
function TargetSearch({ typed, onType, onChoose }: TargetSearchProps): ReactNode {
  const { t } = useTexts()
  const id = useId()
  const { targets, isSearching } = useLinkTargets(typed)
  const [active, setActive] = useState(0)
  const current = Math.min(active, targets.length - 1)
  const press = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const target = targets[current]
    if (event.nativeEvent.isComposing || targets.length === 0) return
    if (step !== undefined) setActive((current + step + targets.length) % targets.length)
    else if (event.key === 'Enter' && target) onChoose(target)
    if (step !== undefined || event.key === 'Enter') event.preventDefault()
  }
  const isEmpty = typed.trim() === ''
  return (
    <div className={fieldStyles.field}>
      <label htmlFor={`${id}-input`} className={fieldStyles.label}>
        {t.fields.links.target}
      </label>
      <input
        id={`${id}-input`}
        role="combobox"
        aria-expanded={targets.length > 0}
        aria-autocomplete="list"
        aria-controls={`${id}-list`}
        aria-describedby={`${id}-state`}
        {...(targets.length > 0 ? { 'aria-activedescendant': `${id}-${current}` } : {})}
        autoComplete="off"
        spellCheck={false}
        // biome-ignore lint/a11y/noAutofocus: the dialog is opened to choose a target
        autoFocus
        value={typed}
        onChange={({ target }) => {
          onType(target.value)
          setActive(0)
        }}
        onKeyDown={press}
        className={fieldStyles.input}
      />
      <div id={`${id}-list`} role="listbox" aria-label={t.fields.links.target} className={styles.list}>
        {targets.map((target, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field keeps the focus and handles the keys
          <div
            key={target.url}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === current}
            className={styles.option}
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => onChoose(target)}
          >
            <bdi className={styles.label}>{target.label}</bdi>
            <span className={styles.kind}>{target.kind}</span>
          </div>
        ))}
      </div>
      <p id={`${id}-state`} role="status" className={fieldStyles.description}>
        {isEmpty ? t.fields.links.hint : targets.length > 0 ? '' : isSearching ? t.common.loading : t.lists.noneFound}
      </p>
    </div>
  )
}
