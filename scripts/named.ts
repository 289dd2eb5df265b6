import { type FieldBuilder, fieldOptions } from './documented.ts'
import { codesIn, headingsOf, rowsOf, sectionOf } from './markdown.ts'

/** One thing to mend in the docs. */
export interface DocsFault {
  readonly file: string
  readonly message: string
}

/** Compares what a page names with what there is, both ways. */
export function compare(
  file: string,
  what: string,
  named: readonly string[],
  there: readonly string[],
): readonly DocsFault[] {
  const missing = there.filter((one) => !named.includes(one))
  const extra = named.filter((one) => !there.includes(one))
  return [
    ...missing.map((one) => ({ file, message: `does not describe the ${what} "${one}". Add it.` })),
    ...extra.map((one) => ({ file, message: `describes the ${what} "${one}", and there is none. Take it out.` })),
  ]
}

/** All that stands in backticks in the first cells of a text's tables. */
export function namesIn(text: string): readonly string[] {
  return rowsOf(text).flatMap(([cell]) => codesIn(cell))
}

/** What a page lacks, or has too much, about field types: each has a section with a row for each option. */
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
