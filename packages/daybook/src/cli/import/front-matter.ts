import { isMap, isNode, isScalar, LineCounter, parse, parseDocument, YAMLParseError } from 'yaml'
import { isRecord } from '../../fields/field.ts'
import type { YamlValue } from './field-values.ts'
import { FileError } from './file-error.ts'

export type YamlValues = Readonly<Record<string, unknown>>

/** The parts of a file. */
export interface SourceFile {
  /**
   * The front matter with every scalar as its written text, or `null`: `1.10` stays `1.10` for a text field, and a number field
   * converts it.
   */
  readonly texts: YamlValues
  /** Returns the front matter with the types of YAML, for values without a type of a field. */
  typed(): YamlValues
  /** Returns the line of a front-matter key, or of a part of its value; in the file, from 1. */
  findLine(key: string, inside: readonly string[]): number | undefined
  readonly body: string
  /** The line of the file in which the body begins, from 1. */
  readonly bodyLine: number
}

type YamlOptions = Parameters<typeof parse>[2] & object

/** Reads a value of the command line: as YAML if it begins like a list or an object and is not for text. */
export function readYamlValue(text: string, isForText: boolean): YamlValue {
  if (isForText || !/^\s*[[{]/.test(text)) return { text, typed: () => parseYaml(text, {}) }
  return { text: parseYaml(text, TEXTS), typed: () => parseYaml(text, {}) }
}

/** The longest front matter, in characters. */
const MAX_FRONT_MATTER = 262_144

/**
 * Splits the text of a file into front matter and body.
 *
 * @throws {FileError} if the front matter cannot be read
 */
export function readSource(text: string): SourceFile {
  const markdown = text.startsWith('\uFEFF') ? text.slice(1) : text
  const opening = /^---[ \t]*\r?\n/.exec(markdown)
  if (!opening) return { texts: {}, typed: () => ({}), findLine: () => undefined, body: markdown, bodyLine: 1 }
  const start = opening[0].length
  const closing = /^(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/gm
  closing.lastIndex = start
  const end = closing.exec(markdown)
  if (!end) throw new FileError('The front matter has no closing line ---.')
  const yaml = markdown.slice(start, end.index)
  const body = markdown.slice(end.index + end[0].length).replace(/^(?:[ \t]*\r?\n)+/, '')
  let typed: YamlValues | undefined
  return {
    texts: readYaml(yaml, TEXTS),
    typed: () => {
      typed ??= readYaml(yaml, {})
      return typed
    },
    findLine: (key, inside) => findLineInYaml(yaml, key, inside),
    body,
    bodyLine: markdown.slice(0, markdown.length - body.length).split('\n').length,
  }
}

const TEXTS: YamlOptions = { schema: 'failsafe', customTags: ['null'] }

function readYaml(yaml: string, options: YamlOptions): YamlValues {
  if (yaml.length > MAX_FRONT_MATTER)
    throw new FileError(`The front matter is longer than ${MAX_FRONT_MATTER} characters.`)
  const values = parseYaml(yaml, options) ?? {}
  if (!isRecord(values)) throw new FileError('The front matter must be keys and values.')
  return values
}

function parseYaml(yaml: string, options: YamlOptions): unknown {
  try {
    return parse(yaml, { ...options, prettyErrors: false, logLevel: 'error' })
  } catch (error) {
    const message = `Invalid YAML: ${error instanceof Error ? error.message : String(error)}.`
    if (!(error instanceof YAMLParseError)) throw new FileError(message)
    throw new FileError(message, { line: yaml.slice(0, error.pos[0]).split('\n').length + LINES_BEFORE_YAML })
  }
}

/** The opening `---` takes one line. */
const LINES_BEFORE_YAML = 1

function findLineInYaml(yaml: string, key: string, inside: readonly string[]): number | undefined {
  const lineCounter = new LineCounter()
  const document = parseDocument(yaml, { ...TEXTS, lineCounter })
  const { contents } = document
  const pair = isMap(contents) ? contents.items.find((item) => isScalar(item.key) && item.key.value === key) : undefined
  const inner = inside.length > 0 ? document.getIn([key, ...inside], true) : undefined
  const node = isNode(inner) ? inner : pair?.key
  if (!isNode(node) || !node.range) return undefined
  return lineCounter.linePos(node.range[0]).line + LINES_BEFORE_YAML
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/
const HEADING = /^ {0,3}#[ \t]+(.*)$/

/** Returns the markdown text of the first `# heading` outside code; `undefined` without one. */
export function findFirstHeading(markdown: string): string | undefined {
  let fence: string | undefined
  for (const line of markdown.split(/\r?\n/)) {
    const mark = FENCE.exec(line)?.[1]
    if (mark && fence === undefined) fence = mark
    else if (mark && fence !== undefined && mark.startsWith(fence)) fence = undefined
    const text = fence === undefined ? HEADING.exec(line)?.[1] : undefined
    const heading = text === undefined ? '' : toPlainText(text)
    if (heading !== '') return heading
  }
  return undefined
}

/** Removes closing marks, emphasis, code marks and the addresses of links. */
function toPlainText(text: string): string {
  const unclosed = text.replace(/[ \t]+#+[ \t]*$/, '').replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
  return unclosed.replace(/[*`]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '').trim()
}
