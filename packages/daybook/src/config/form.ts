import { type FaultReport, type Field, isRecord } from '../fields/field.ts'
import { type InterfaceText, interfaceTextRule } from '../fields/interface-text.ts'
import { findNearest } from '../nearest.ts'

/** A line of a form: the key of a field, or of several that stand side by side. */
export type FormRow = string | readonly string[]

/** Fields of a form under a heading. */
export interface FormSection {
  /** The heading, which also opens and closes the section. */
  readonly label: InterfaceText
  readonly fields: readonly FormRow[]
  /** True if the section is closed at first. @default false */
  readonly collapsed?: boolean
}

/** A tab of a form. */
export interface FormTab {
  readonly label: InterfaceText
  readonly fields: readonly (FormRow | FormSection)[]
}

/**
 * The arrangement of fields in the Studio's form: tabs, or `fields` without tabs. An inner list is a row, `{ label, fields, collapsed }` a
 * section. Fields that it does not name follow in the first tab.
 *
 * @example
 * ```ts
 * form: {
 *   tabs: [
 *     { label: 'Content', fields: ['title', ['slug', 'publishedOn'], 'body'] },
 *     { label: 'Search engines', fields: [{ label: 'Advanced', fields: ['canonical'], collapsed: true }] },
 *   ],
 * }
 * ```
 */
export type FormConfig = { readonly tabs: readonly FormTab[] } | { readonly fields: readonly (FormRow | FormSection)[] }

const EXAMPLE = "{ tabs: [{ label: 'Content', fields: ['title', ['slug', 'date'], 'body'] }] }"

/** Reports faults of the arrangement of a form. */
export function checkForm(form: unknown, fields: unknown, path: string, report: FaultReport): void {
  if (form === undefined) return
  const keys = Object.keys(isRecord(form) ? form : {}).join()
  if (!isRecord(form) || (keys !== 'tabs' && keys !== 'fields')) {
    report.add(path, `must have either tabs or fields, such as ${EXAMPLE}`)
    return
  }
  const check = new FormCheck(isRecord(fields) ? fields : {}, report)
  if (keys === 'fields') check.items(form.fields, `${path}.fields`)
  else check.tabs(form.tabs, `${path}.tabs`)
}

/** Checks the parts of one form, in which each field appears once. */
class FormCheck {
  readonly #fields: Readonly<Record<string, unknown>>
  readonly #report: FaultReport
  readonly #named = new Set<string>()

  constructor(fields: Readonly<Record<string, unknown>>, report: FaultReport) {
    this.#fields = fields
    this.#report = report
  }

  tabs(tabs: unknown, path: string): void {
    if (!Array.isArray(tabs) || tabs.length === 0) this.#report.add(path, 'must be a list of { label, fields }')
    for (const [index, tab] of (Array.isArray(tabs) ? tabs : []).entries()) {
      const place = `${path}.${index}`
      if (this.#isObject(tab, ['label', 'fields'], place)) this.items(tab.fields, `${place}.fields`)
    }
  }

  items(items: unknown, path: string): void {
    if (!this.#isList(items, path)) return
    for (const [index, item] of items.entries()) {
      const place = `${path}.${index}`
      if (!isRecord(item)) this.#row(item, place)
      else if (this.#isObject(item, ['label', 'fields', 'collapsed'], place)) this.#section(item, place)
    }
  }

  #section({ fields, collapsed }: Readonly<Record<string, unknown>>, path: string): void {
    if (collapsed !== undefined && typeof collapsed !== 'boolean')
      this.#report.add(`${path}.collapsed`, 'must be true or false')
    if (!this.#isList(fields, `${path}.fields`)) return
    for (const [index, row] of fields.entries()) this.#row(row, `${path}.fields.${index}`)
  }

  #row(row: unknown, path: string): void {
    const keys: readonly unknown[] = Array.isArray(row) ? row : [row]
    if (keys.length === 0) this.#report.add(path, 'must name a field')
    for (const key of keys) {
      const fault = this.#findKeyFault(key)
      if (fault !== undefined) this.#report.add(path, fault)
      else this.#named.add(String(key))
    }
  }

  #findKeyFault(key: unknown): string | undefined {
    if (typeof key !== 'string') return 'must be the key of a field, or a list of keys'
    if (!Object.hasOwn(this.#fields, key)) {
      const keys = Object.keys(this.#fields)
      return `names "${key}", which is not a field. Use ${findNearest(key, keys) ?? `one of: ${keys.join(', ')}`}`
    }
    if (this.#named.has(key)) return `names "${key}" again. Name each field once`
    const { options } = this.#fields[key] as Partial<Field>
    return options?.admin?.position === 'side'
      ? `names "${key}", which is in the panel beside the text. Leave it out, or leave admin out there`
      : undefined
  }

  #isList(value: unknown, path: string): value is readonly unknown[] {
    if (Array.isArray(value) && value.length > 0) return true
    this.#report.add(path, 'must be a list of keys of fields, rows and sections')
    return false
  }

  #isObject(value: unknown, keys: readonly string[], path: string): value is Readonly<Record<string, unknown>> {
    if (!isRecord(value)) {
      this.#report.add(path, `must be an object with: ${keys.join(', ')}`)
      return false
    }
    for (const key of Object.keys(value).filter((name) => !keys.includes(name)))
      this.#report.add(`${path}.${key}`, `is not an option. Use one of: ${keys.join(', ')}`)
    const labelFault = interfaceTextRule(value.label)
    if (labelFault !== undefined) this.#report.add(`${path}.label`, labelFault)
    return true
  }
}
