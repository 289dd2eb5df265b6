import { useNavigate, useSearch } from '@tanstack/react-router'
import { Fragment, type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react'
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components/Tabs'
import { flushSync } from 'react-dom'
import { useTexts } from '../messages/messages.tsx'
import type { StudioForm, StudioFormPart, StudioFormTab } from '../model/studio-model.ts'
import { Icon } from '../ui/icon.tsx'
import { onReveal } from '../ui/reveal.ts'
import { type FieldIssues, hasIssueIn } from './fields/field-editor.ts'
import { Section } from './fields/section.tsx'
import styles from './form-layout.module.css'

export interface FormLayoutProps {
  readonly form: StudioForm
  /** The key of the collection or global, under which this browser remembers open sections. */
  readonly document: string
  readonly issues: FieldIssues
  /** Renders a field; returns nothing for one that the form does not show. */
  readonly renderField: (key: string) => ReactNode
  readonly isShown: (key: string) => boolean
  /** True if fields of a row are one below the other. @default false */
  readonly isStacked?: boolean
}

/** The fields of a form as its config arranges them. */
export function FormLayout(props: FormLayoutProps): ReactNode {
  const { form, isShown } = props
  const tabs = form.tabs.filter(({ parts }) => parts.some(({ rows }) => rows.flat().some(isShown)))
  const [onlyTab] = tabs.length === 1 ? tabs : []
  return onlyTab ? <Parts {...props} parts={onlyTab.parts} /> : <FormTabs {...props} tabs={tabs} />
}

/** The tabs, of which the address has the chosen one. All of them stay mounted, so that no text is lost and every field can be found. */
function FormTabs({ tabs, ...props }: FormLayoutProps & { readonly tabs: readonly StudioFormTab[] }): ReactNode {
  const { t } = useTexts()
  const navigate = useNavigate()
  const { tab } = useSearch({ strict: false }) as { readonly tab?: number }
  const [chosenId, setChosenId] = useState(String(tab ?? 1))
  const ids = tabs.map((_, index) => String(index + 1))
  const selectedId = ids.find((id) => id === chosenId) ?? ids[0] ?? ''
  const select = (id: string): void => {
    setChosenId(id)
    const search = (before: object): object => ({ ...before, tab: id === '1' ? undefined : Number(id) })
    void navigate({ to: '.', search, replace: true, resetScroll: false })
  }
  return (
    <Tabs selectedKey={selectedId} onSelectionChange={(id) => select(String(id))} className={styles.form ?? ''}>
      <TabList aria-label={t.editor.formTabs} className={styles.tabs ?? ''}>
        {tabs.map(({ label, parts }, index) => (
          <Tab key={ids[index]} id={ids[index] ?? ''} className={styles.tab ?? ''}>
            {label}
            {hasIssueIn(props.issues, getKeys(parts)) && (
              <span role="img" aria-label={t.editor.faultyPart} className={styles.mark}>
                <Icon name="warning" />
              </span>
            )}
          </Tab>
        ))}
      </TabList>
      {tabs.map(({ parts }, index) => (
        <TabPanel key={ids[index]} id={ids[index] ?? ''} shouldForceMount className={styles.panel ?? ''}>
          <Revealed onOpen={() => flushSync(() => select(ids[index] ?? ''))}>
            <Parts {...props} parts={parts} />
          </Revealed>
        </TabPanel>
      ))}
    </Tabs>
  )
}

const getKeys = (parts: readonly StudioFormPart[]): readonly string[] => parts.flatMap(({ rows }) => rows.flat())

/** Calls a function when a field inside is to get the focus. */
function Revealed({ onOpen, children }: { readonly onOpen: () => void; readonly children: ReactNode }): ReactNode {
  const container = useRef<HTMLDivElement>(null)
  const open = useEffectEvent(onOpen)
  useEffect(() => (container.current ? onReveal(container.current, open) : undefined), [])
  return <div ref={container}>{children}</div>
}

type PartsProps = FormLayoutProps & { readonly parts: readonly StudioFormPart[] }

function Parts({ parts, ...props }: PartsProps): ReactNode {
  const { document, issues, isShown } = props
  return (
    <div className={styles.parts}>
      {parts
        .filter(({ rows }) => rows.flat().some(isShown))
        .map(({ label, collapsed = false, rows }) => {
          const [firstKey = ''] = rows[0] ?? []
          if (label === undefined) return <Rows key={firstKey} {...props} rows={rows} />
          return (
            <Section
              key={firstKey}
              label={label}
              name={`${document}.${firstKey}`}
              isClosedAtFirst={collapsed}
              isFaulty={hasIssueIn(issues, rows.flat())}
            >
              <Rows {...props} rows={rows} />
            </Section>
          )
        })}
    </div>
  )
}

function Rows({
  rows,
  isShown,
  renderField,
  isStacked = false,
}: FormLayoutProps & { readonly rows: StudioFormPart['rows'] }): ReactNode {
  return rows.map((row) => {
    const keys = row.filter(isShown)
    const fields = keys.map((key) => <Fragment key={key}>{renderField(key)}</Fragment>)
    // A row keeps its element when conditions show or hide its fields, so that they keep the focus.
    return row.length > 1 && !isStacked ? (
      <div key={row.join()} className={styles.row} hidden={keys.length === 0}>
        {fields}
      </div>
    ) : (
      <Fragment key={row.join()}>{fields}</Fragment>
    )
  })
}
