import { AssetEditor } from './asset-editor.tsx'
import { BooleanEditor } from './boolean-editor.tsx'
import { DateEditor } from './date-editor.tsx'
import type { FieldEditor } from './field-editor.ts'
import { GroupEditor } from './groups/group-editor.tsx'
import { ListEditor } from './lists/list-editor.tsx'
import { MarkdownEditor } from './markdown/markdown-editor.tsx'
import { NumberEditor } from './number-editor.tsx'
import { OtherEditor } from './other-editor.tsx'
import { RelationEditor } from './relations/relation-editor.tsx'
import { ReverseEditor } from './relations/reverse-editor.tsx'
import { SelectEditor } from './select-editor.tsx'
import { TextEditor } from './text-editor.tsx'

/** The editor of each type of field; to add a type, add its line. */
const EDITORS: Readonly<Record<string, FieldEditor>> = {
  asset: AssetEditor,
  boolean: BooleanEditor,
  date: DateEditor,
  datetime: DateEditor,
  email: TextEditor,
  group: GroupEditor,
  integer: NumberEditor,
  markdown: MarkdownEditor,
  number: NumberEditor,
  relation: RelationEditor,
  select: SelectEditor,
  slug: TextEditor,
  status: SelectEditor,
  text: TextEditor,
  url: TextEditor,
}

/** The editors of types that hold several values. */
const EDITORS_OF_MANY: Readonly<Record<string, FieldEditor>> = {
  blocks: ListEditor,
  list: ListEditor,
  relation: RelationEditor,
  reverse: ReverseEditor,
  asset: AssetEditor,
}

/** The editor of a field. */
export const editorOf = ({ type, many }: { readonly type: string; readonly many: boolean }): FieldEditor =>
  (many ? EDITORS_OF_MANY : EDITORS)[type] ?? OtherEditor
