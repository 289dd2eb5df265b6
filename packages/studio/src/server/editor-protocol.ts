import type { FieldDescription } from 'daybook'

/** The props of a custom editor, passed when it is mounted and whenever one of them changes. */
export interface StudioEditorProps<Value = unknown> {
  /** `null` if the field is empty. */
  readonly value: Value | null
  /** Call this with each new value, `null` to empty the field. The Studio saves it like any other change. */
  readonly onChange: (value: Value | null) => void
  readonly label: string
  /** The id of the element that shows the label, for `aria-labelledby`. */
  readonly labelId: string
  /** The ids of the elements that show the description and the error, for `aria-describedby`. */
  readonly descriptionIds: string
  /** The error of the value, which the Studio shows below the editor. */
  readonly error: string | null
  readonly isReadOnly: boolean
  /** The description of the field in `GET /api/cms/model`. */
  readonly field: FieldDescription
  /** The language of the Studio: `en` or `de`. */
  readonly language: string
}

/** A mounted editor. */
export interface MountedStudioEditor<Value = unknown> {
  /** Applies changed props, such as a value that another user saved. */
  update(props: StudioEditorProps<Value>): void
  /** Cleans up before the Studio removes the element. */
  unmount(): void
}

/** `HTMLElement` if TypeScript has the types of the DOM, which a config does not need. */
export type HostElement = typeof globalThis extends { HTMLElement: { prototype: infer Host } } ? Host : object

/** The exports of a module in the option `editors`. */
export interface StudioEditorModule<Value = unknown> {
  /** Renders the editor into an empty element. */
  mount(element: HostElement, props: StudioEditorProps<Value>): MountedStudioEditor<Value>
}
