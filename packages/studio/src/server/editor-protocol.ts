import type { FieldDescription } from 'daybook'

/** What an editor of a field is told: when it is mounted, and whenever any of it changes. */
export interface StudioEditorProps<Value = unknown> {
  /** `null`: the field is empty. */
  readonly value: Value | null
  /** Call it with each new value; `null` empties the field. The Studio saves it as it saves any other. */
  readonly onChange: (value: Value | null) => void
  /** What the field is called. */
  readonly label: string
  /** The id of the element that shows the label, for `aria-labelledby`. */
  readonly labelId: string
  /** The ids of the elements that show the description and what is wrong, for `aria-describedby`. */
  readonly descriptionIds: string
  /** What is wrong with the value, which the Studio shows below. */
  readonly error: string | null
  readonly isReadOnly: boolean
  /** The field, as `GET /api/cms/model` describes it. */
  readonly field: FieldDescription
  /** The language of the Studio: `en` or `de`. */
  readonly language: string
}

/** An editor that is on the page. */
export interface MountedStudioEditor<Value = unknown> {
  /** Takes up what changed, such as a value that another person saved. */
  update(props: StudioEditorProps<Value>): void
  /** Ends it; the Studio removes its element. */
  unmount(): void
}

/** An element of a page: `HTMLElement` where TypeScript knows browsers, which a config need not. */
export type HostElement = typeof globalThis extends { HTMLElement: { prototype: infer Host } } ? Host : object

/** What a module of the option `editors` exports. */
export interface StudioEditorModule<Value = unknown> {
  /** Draws the editor into an empty element. */
  mount(element: HostElement, props: StudioEditorProps<Value>): MountedStudioEditor<Value>
}
