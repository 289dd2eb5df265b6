import type { FieldModel } from './model.ts'

/** Keys of fields that entries are called by, the most telling first. */
const DEFAULT_TITLES: readonly string[] = ['title', 'name', 'label', 'headline', 'subject', 'originalName', 'filename']

/**
 * The top-level fields that may say what an entry is called, the best first: the one that its slug is made from, fields of usual names,
 * other lines of text, and the slug itself.
 */
export function titleKeys(
  fields: readonly Pick<FieldModel, 'key' | 'field'>[],
  slug: { readonly key: string; readonly from: string | undefined } | undefined,
): readonly string[] {
  const names = fields.filter(({ field }) => field.type.isName).map(({ key }) => key)
  const best = [slug?.from, ...DEFAULT_TITLES].filter((key) => key !== undefined && names.includes(key))
  return [...new Set([...best, ...names, slug?.key])].filter((key) => key !== undefined)
}

/** The field that says what entries are called, as far as a reader may know; `undefined`: there is none. */
export const titleField = (
  { titles }: { readonly titles: readonly string[] },
  hidden: ReadonlySet<string>,
): string | undefined => titles.find((key) => !hidden.has(key))
