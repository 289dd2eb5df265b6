import type { FormConfig, FormRow, FormSection } from '../../config/form.ts'
import { isRecord } from '../../fields/field.ts'
import type { InterfaceText } from '../../fields/interface-text.ts'

/** The arrangement of fields in a form: tabs of parts of rows. Every field that the caller may read is in one row. */
export interface FormDescription {
  /** The tabs; one without a label if the form has no tabs. */
  readonly tabs: readonly FormTabDescription[]
}

/** A tab of a form. */
export interface FormTabDescription {
  readonly label?: InterfaceText | undefined
  readonly parts: readonly FormPartDescription[]
}

/** Rows of a form, under a heading if they have a label. */
export interface FormPartDescription {
  readonly label?: InterfaceText | undefined
  /** True if the part is closed at first. */
  readonly collapsed?: boolean | undefined
  /** The keys of the fields that stand side by side, by row. */
  readonly rows: readonly (readonly string[])[]
}

/**
 * Describes the form of a document for a caller.
 *
 * @param keys the fields of the form that the caller may read, in the order of the config
 */
export function describeForm(form: FormConfig | undefined, keys: readonly string[]): FormDescription | undefined {
  if (!form) return undefined
  const tabs = 'tabs' in form ? form.tabs : [{ label: undefined, fields: form.fields }]
  const described = tabs.map(({ label, fields }) => ({ label, parts: describeParts(fields, keys) }))
  const placed = new Set(described.flatMap(({ parts }) => parts.flatMap(({ rows }) => rows.flat())))
  const unplaced = keys.filter((key) => !placed.has(key)).map((key) => [key])
  const visible = described.map((tab, index) =>
    index === 0 && unplaced.length > 0 ? { ...tab, parts: [...tab.parts, { rows: unplaced }] } : tab,
  )
  return { tabs: visible.filter(({ parts }) => parts.length > 0) }
}

/** Describes the parts of a tab; rows without a section that follow each other are one part. */
function describeParts(
  items: readonly (FormRow | FormSection)[],
  keys: readonly string[],
): readonly FormPartDescription[] {
  const parts: (FormPartDescription & { readonly rows: (readonly string[])[] })[] = []
  for (const item of items) {
    const last = parts.at(-1)
    if (isSection(item)) {
      const { label, collapsed, fields } = item
      parts.push({ label, collapsed: collapsed || undefined, rows: toRows(fields, keys) })
    } else if (last && last.label === undefined) last.rows.push(...toRows([item], keys))
    else parts.push({ rows: toRows([item], keys) })
  }
  return parts.filter(({ rows }) => rows.length > 0)
}

const isSection = (item: FormRow | FormSection): item is FormSection => isRecord(item)

const toRows = (rows: readonly FormRow[], keys: readonly string[]): (readonly string[])[] =>
  rows.map((row) => [row].flat().filter((key) => keys.includes(key))).filter((row) => row.length > 0)
