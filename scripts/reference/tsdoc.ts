export interface Tsdoc {
  /** The sentences without tags, in one line. */
  readonly text: string
  /** `@default` */
  readonly default?: string
  /** `@details`: the members of an error's `details`. */
  readonly details?: string
  /** `@see`: pages of the docs, from the root of the repository. */
  readonly see: readonly string[]
  /** `@param`, by the parameter's name. */
  readonly params: ReadonlyMap<string, string>
}

const NO_TSDOC: Tsdoc = { text: '', see: [], params: new Map() }

/** A tag ends the text before it. Other words with an `@` are part of the text. */
const TAG = /(?:^|\s)@(default|details|see|param|throws|returns|example)(?=\s|$)/

/** Parses the text between the slashes of a doc comment, stars included. */
export function readTsdoc(comment: string): Tsdoc {
  const lines = comment.replace(/^\*+/, '').replace(/\*+$/, '').split('\n')
  const plain = lines.map((line) => line.replace(/^\s*\*\s?/, '')).join('\n')
  const [text = '', ...tagged] = plain.split(TAG)
  const tags = Array.from({ length: tagged.length / 2 }, (_, index) => ({
    name: tagged[2 * index] ?? '',
    value: oneLine(tagged[2 * index + 1] ?? ''),
  }))
  const getTag = (name: string): string | undefined => tags.find((tag) => tag.name === name)?.value
  const [initial, details] = [getTag('default'), getTag('details')]
  return {
    text: oneLine(text),
    ...(initial === undefined ? {} : { default: initial }),
    ...(details === undefined ? {} : { details }),
    see: tags.flatMap(({ name, value }) => (name === 'see' ? value.split(/[\s,]+/) : [])),
    params: new Map(tags.flatMap(({ name, value }) => (name === 'param' ? [splitParam(value)] : []))),
  }
}

export const withoutTsdoc = (): Tsdoc => NO_TSDOC

function splitParam(value: string): readonly [string, string] {
  const [name = '', ...words] = value.split(' ')
  return [name, words.join(' ')]
}

const oneLine = (text: string): string =>
  text
    .replace(/\{@link (\w+)\}/g, '`$1`')
    .replace(/\s+/g, ' ')
    .trim()
