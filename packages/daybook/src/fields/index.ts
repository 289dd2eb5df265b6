import { assetField } from './asset.ts'
import { blocksField } from './blocks.ts'
import { booleanField } from './boolean.ts'
import { dateField, datetimeField } from './date.ts'
import { groupField } from './group.ts'
import { jsonField } from './json.ts'
import { listField } from './list.ts'
import { markdownField } from './markdown.ts'
import { integerField, numberField } from './number.ts'
import { parentField } from './parent.ts'
import { relationField } from './relation.ts'
import { reverseField } from './reverse.ts'
import { selectField } from './select.ts'
import { slugField } from './slug.ts'
import { statusField } from './status.ts'
import { emailField, textField, urlField } from './text.ts'
import { withTypeSuggestions } from './unknown-type.ts'

interface FieldBuilders {
  readonly text: typeof textField
  readonly markdown: typeof markdownField
  readonly number: typeof numberField
  readonly integer: typeof integerField
  readonly boolean: typeof booleanField
  readonly date: typeof dateField
  readonly datetime: typeof datetimeField
  readonly select: typeof selectField
  readonly email: typeof emailField
  readonly url: typeof urlField
  readonly slug: typeof slugField
  readonly status: typeof statusField
  readonly json: typeof jsonField
  readonly relation: typeof relationField
  readonly parent: typeof parentField
  readonly reverse: typeof reverseField
  readonly asset: typeof assetField
  readonly group: typeof groupField
  readonly list: typeof listField
  readonly blocks: typeof blocksField
}

/**
 * The builders of all field types.
 *
 * @example
 * ```ts
 * const fields = {
 *   title: f.text({ required: true, maxLength: 120 }),
 *   slug: f.slug({ from: 'title' }),
 *   body: f.markdown(),
 *   author: f.relation('authors'),
 * }
 * ```
 */
export const f: FieldBuilders = withTypeSuggestions({
  text: textField,
  markdown: markdownField,
  number: numberField,
  integer: integerField,
  boolean: booleanField,
  date: dateField,
  datetime: datetimeField,
  select: selectField,
  email: emailField,
  url: urlField,
  slug: slugField,
  status: statusField,
  json: jsonField,
  relation: relationField,
  parent: parentField,
  reverse: reverseField,
  asset: assetField,
  group: groupField,
  list: listField,
  blocks: blocksField,
})
