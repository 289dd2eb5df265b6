import type { Messages } from '../messages/en.ts'
import type { ListField } from './list-fields.ts'

/** What a field is called: fields of the config by their keys, those of the service in the reader's language. */
export function fieldLabel({ path, label }: ListField, { lists }: Messages): string {
  const own: Readonly<Record<string, string>> = lists.systemFields
  return Object.hasOwn(own, path) ? (own[path] ?? label) : label
}
