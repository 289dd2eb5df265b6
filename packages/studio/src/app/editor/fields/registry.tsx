import { lazy, type ReactNode, Suspense } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import type { StudioField } from '../../model/studio-model.ts'
import { LoadingPlaceholder } from '../../ui/loading-placeholder.tsx'
import { BooleanEditor, MultiSelectEditor, SelectEditor } from './choice-editors.tsx'
import type { FieldEditor, FieldEditorProps } from './field-editor.ts'
import { GroupEditor } from './group-editor.tsx'
import { ListEditor } from './lists/list-editor.tsx'
import { MarkdownEditor } from './markdown/markdown-editor.tsx'
import { NumberEditor, SlugEditor, TextEditor } from './text-editors.tsx'

const AssetField = lazy(async () => ({ default: (await import('../../assets/picker/asset-field.tsx')).AssetField }))

/** The editor of one or several files, loaded when a form has such a field. */
function AssetEditor(props: FieldEditorProps): ReactNode {
  const { t } = useTexts()
  return (
    <Suspense fallback={<LoadingPlaceholder label={t.common.loading} lines={2} />}>
      <AssetField {...props} />
    </Suspense>
  )
}

// Rare or large editors are loaded when they are shown.
const RelationEditor = lazy(() =>
  import('./relations/relation-editor.tsx').then((module) => ({ default: module.RelationEditor })),
)
const ReverseEditor = lazy(() =>
  import('./relations/reverse-editor.tsx').then((module) => ({ default: module.ReverseEditor })),
)
const JsonEditor = lazy(() => import('./json-editor.tsx').then((module) => ({ default: module.JsonEditor })))
const DateEditor = lazy(() => import('./date-editor.tsx').then((module) => ({ default: module.DateEditor })))

const EDITORS: Readonly<Record<string, FieldEditor>> = {
  asset: AssetEditor,
  boolean: BooleanEditor,
  date: DateEditor,
  datetime: DateEditor,
  email: TextEditor,
  group: GroupEditor,
  integer: NumberEditor,
  json: JsonEditor,
  markdown: MarkdownEditor,
  number: NumberEditor,
  relation: RelationEditor,
  select: SelectEditor,
  slug: SlugEditor,
  status: SelectEditor,
  text: TextEditor,
  url: TextEditor,
}

/** The editors of field types with several values. */
const EDITORS_OF_MANY: Readonly<Record<string, FieldEditor>> = {
  asset: AssetEditor,
  blocks: ListEditor,
  list: ListEditor,
  relation: RelationEditor,
  reverse: ReverseEditor,
  select: MultiSelectEditor,
}

/** The editors of custom types, by the JSON type of their values. */
const EDITORS_BY_SCHEMA: Readonly<Record<string, FieldEditor>> = {
  boolean: BooleanEditor,
  integer: NumberEditor,
  number: NumberEditor,
  string: TextEditor,
}

export function hasPlaceholder(field: StudioField): boolean {
  const editor = findEditor(field)
  return editor === TextEditor || editor === MarkdownEditor
}

export function findEditor({ type, many, schema }: Pick<StudioField, 'type' | 'many' | 'schema'>): FieldEditor {
  const editor = (many ? EDITORS_OF_MANY : EDITORS)[type]
  return editor ?? EDITORS_BY_SCHEMA[String(schema.type)] ?? JsonEditor
}
