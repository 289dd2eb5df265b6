import { type FieldBuilder, fieldOptions } from './documented.ts'
import { codesIn, headingsOf, rowsOf, sectionOf } from './markdown.ts'

export interface DocsFault {
  readonly file: string
  readonly message: string
}

/** Compares the names on a page with those in the code, both ways. */
export function compare(
  file: string,
  what: string,
  named: readonly string[],
  existing: readonly string[],
): readonly DocsFault[] {
  const missing = existing.filter((name) => !named.includes(name))
  const extra = named.filter((name) => !existing.includes(name))
  return [
    ...missing.map((name) => ({ file, message: `does not describe the ${what} "${name}". Add it.` })),
    ...extra.map((name) => ({ file, message: `describes the ${what} "${name}", which does not exist. Remove it.` })),
  ]
}

/** Finds the inline code in the first cells of a text's tables. */
export function namesIn(text: string): readonly string[] {
  return rowsOf(text).flatMap(([cell]) => codesIn(cell))
}

/** Compares the sections of field types with their builders: each has a row for each option. */
export function checkFieldTypes(
  file: string,
  text: string,
  builders: Readonly<Record<string, FieldBuilder>>,
): readonly DocsFault[] {
  const options = fieldOptions(builders)
  const sections = headingsOf(text).flatMap((heading) => {
    const name = /^### `f\.(\w+)\(/.exec(heading)?.[1]
    return name === undefined ? [] : [{ name, named: namesIn(sectionOf(text, heading)) }]
  })
  const names = sections.map(({ name }) => name)
  return [
    ...compare(file, 'field type', names, [...options.keys()]),
    ...sections.flatMap(({ name, named }) => compare(file, `option of f.${name}()`, named, options.get(name) ?? [])),
  ]
}
