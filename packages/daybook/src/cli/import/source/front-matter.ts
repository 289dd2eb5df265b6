import { isMap, isNode, isScalar, LineCounter, parse, parseDocument, YAMLParseError } from 'yaml'
import { isRecord } from '../../../fields/field.ts'
import { FileError } from '../file-error.ts'
import type { YamlValue } from '../fit.ts'

/** Values by front-matter key. */
export type YamlValues = Readonly<Record<string, unknown>>

/** A file taken apart. */
export interface SourceFile {
  /**
   * The front matter with every scalar as the text that it is written as, or `null`: `1.10` stays `1.10` for a text
   * field, and number fields make a number of it.
   */
  readonly texts: YamlValues
  /** The front matter with YAML's own types, for values whose type no field knows. */
  typed(): YamlValues
  /** The line of a front-matter key, or of what stands inside its value; in the file, from 1. */
  lineOf(key: string, inside: readonly string[]): number | undefined
  /** The text after the front matter. */
  readonly body: string
  /** The line of the file that it begins in, from 1. */
  readonly bodyLine: number
}

type YamlOptions = Parameters<typeof parse>[2] & object

/** A value as a command line gives it: as it is, or as YAML where it begins like a list or an object and is not for text. */
export function readYamlValue(text: string, isForText: boolean): YamlValue {
  if (isForText || !/^\s*[[{]/.test(text)) return { text, typed: () => parseYaml(text, {}) }
  return { text: parseYaml(text, TEXTS), typed: () => parseYaml(text, {}) }
}

/** The longest front matter, in characters. */
const MAX_FRONT_MATTER = 262_144

/**
 * Takes a file's text apart; one without front matter is all body.
 *
 * @throws {FileError} when the front matter cannot be read
 */
export function readSource(text: string): SourceFile {
  const plain = text.startsWith('\uFEFF') ? text.slice(1) : text
  const opening = /^---[ \t]*\r?\n/.exec(plain)
  if (!opening) return { texts: {}, typed: () => ({}), lineOf: () => undefined, body: plain, bodyLine: 1 }
  const start = opening[0].length
  const closing = /^(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/gm
  closing.lastIndex = start
  const end = closing.exec(plain)
  if (!end) throw new FileError('the front matter has no closing line ---')
  const yaml = plain.slice(start, end.index)
  const body = plain.slice(end.index + end[0].length).replace(/^(?:[ \t]*\r?\n)+/, '')
  let typed: YamlValues | undefined
  return {
    texts: readYaml(yaml, TEXTS),
    typed: () => {
      typed ??= readYaml(yaml, {})
      return typed
    },
    lineOf: (key, inside) => lineInYaml(yaml, key, inside),
    body,
    bodyLine: plain.slice(0, plain.length - body.length).split('\n').length,
  }
}

const TEXTS: YamlOptions = { schema: 'failsafe', customTags: ['null'] }

function readYaml(yaml: string, options: YamlOptions): YamlValues {
  if (yaml.length > MAX_FRONT_MATTER)
    throw new FileError(`the front matter is longer than ${MAX_FRONT_MATTER} characters`)
  const values = parseYaml(yaml, options) ?? {}
  if (!isRecord(values)) throw new FileError('the front matter is not a list of keys and values')
  return values
}

function parseYaml(yaml: string, options: YamlOptions): unknown {
  try {
    return parse(yaml, { ...options, prettyErrors: false, logLevel: 'error' })
  } catch (error) {
    const message = `YAML: ${error instanceof Error ? error.message : String(error)}`
    if (!(error instanceof YAMLParseError)) throw new FileError(message)
    throw new FileError(message, { line: yaml.slice(0, error.pos[0]).split('\n').length + LINES_BEFORE_YAML })
  }
}

/** The opening `---`. */
const LINES_BEFORE_YAML = 1

function lineInYaml(yaml: string, key: string, inside: readonly string[]): number | undefined {
  const lineCounter = new LineCounter()
  const document = parseDocument(yaml, { ...TEXTS, lineCounter })
  const { contents } = document
  const pair = isMap(contents) ? contents.items.find((one) => isScalar(one.key) && one.key.value === key) : undefined
  const inner = inside.length > 0 ? document.getIn([key, ...inside], true) : undefined
  const node = isNode(inner) ? inner : pair?.key
  if (!isNode(node) || !node.range) return undefined
  return lineCounter.linePos(node.range[0]).line + LINES_BEFORE_YAML
}
