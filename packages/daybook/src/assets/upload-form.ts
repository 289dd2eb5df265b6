import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import busboy from 'busboy'
import { DaybookError, validationError, validationErrorAt } from '../errors.ts'
import { createIssue, type Issue, type Violation } from '../issues.ts'
import { fileTooLarge, type Intake, type StagedFile } from './intake.ts'

/** The text fields that a form may have beside its file. */
const TEXT_FIELDS = ['directory', 'filename', 'alt'] as const

/** The name of a form's text field. */
export type TextField = (typeof TEXT_FIELDS)[number]

/** A form that has come in whole; its file is staged. */
export interface UploadForm {
  readonly file: StagedFile
  readonly texts: Readonly<Partial<Record<TextField, string>>>
}

/** What a form has besides its file, at most, in bytes. */
export const MAX_FORM_BYTES: number = 64 * 1024
/** The longest text of a field, in bytes. */
const MAX_TEXT_BYTES = 16 * 1024
/** The most parts that a form has; one more than it can use, so that the fault is named. */
const MAX_PARTS = TEXT_FIELDS.length + 2
const MAX_PART_HEADERS = 16

const MULTIPART = /^multipart\/form-data\s*(?:;|$)/i

/** How a form comes in. */
export interface FormSource {
  /** The values of its headers. */
  readonly type: string | null
  readonly encoding: string | null
  readonly length: string | null
  open(): Readable
}

/**
 * Reads a form of one file (`multipart/form-data`, RFC 7578). The file is staged as it comes in; nothing of it is left when the form
 * is refused.
 *
 * @throws UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, VALIDATION_ERROR, and as {@link Intake.stage}
 */
export async function readUploadForm(source: FormSource, intake: Intake): Promise<UploadForm> {
  const { type, encoding, length } = source
  const isPlain = (encoding ?? 'identity').toLowerCase() === 'identity'
  if (type === null || !MULTIPART.test(type) || !isPlain) throw notMultipart()
  if (Number(length ?? 0) > intake.maxBytes + MAX_FORM_BYTES) throw fileTooLarge(intake.maxBytes)
  return new FormReader(intake).read(source.open(), type)
}

const notMultipart = (): DaybookError =>
  new DaybookError('UNSUPPORTED_MEDIA_TYPE', 'Send the file as multipart/form-data, uncompressed.')

class FormReader {
  readonly #intake: Intake
  readonly #ended = new AbortController()
  readonly #texts: Partial<Record<TextField, string>> = {}
  readonly #issues: Issue[] = []
  #files = 0
  #staging: Promise<StagedFile> | undefined
  /** Why the form cannot be read. */
  #broken: DaybookError | undefined

  constructor(intake: Intake) {
    this.#intake = intake
  }

  async read(body: Readable, type: string): Promise<UploadForm> {
    const parser = this.#parser(type)
    try {
      const refused = new Promise<never>((_, reject) => {
        parser.on('file', (name, file, { filename }) => {
          this.#takeFile(name, file, filename)?.catch((error) => void this.#causeOf(error).then(reject))
        })
      })
      await Promise.race([this.#receive(body, parser), refused])
      const file = await this.#staging
      const lacksFile = !file && this.#issues.every(({ path }) => path !== '/file')
      if (lacksFile) this.#add('/file', 'required', 'is required: send one file in the field "file"')
      if (!file || this.#issues.length > 0) throw validationError(this.#issues)
      return { file, texts: this.#texts }
    } catch (error) {
      // The connection stays, for the answer.
      body.unpipe(parser)
      parser.destroy()
      await this.#discard()
      throw error
    }
  }

  /** @throws VALIDATION_ERROR when the form ends early or is malformed */
  async #receive(body: Readable, parser: busboy.Busboy): Promise<void> {
    try {
      const cut = once(body, 'error').then(([error]) => Promise.reject(error))
      await Promise.race([once(body.pipe(parser), 'close'), cut])
    } catch (error) {
      this.#broken = body.errored ? incomplete() : malformed(error as Error)
      throw this.#broken
    }
  }

  /** Why a file could not be staged: where its form broke off, that is why. */
  async #causeOf(error: unknown): Promise<unknown> {
    if (error instanceof DaybookError) return error
    await turn()
    return this.#broken ?? error
  }

  #parser(type: string): busboy.Busboy {
    try {
      const parser = busboy({
        headers: { 'content-type': type },
        defParamCharset: 'utf8',
        limits: {
          fieldNameSize: 100,
          fieldSize: MAX_TEXT_BYTES,
          fields: MAX_PARTS,
          files: 2,
          parts: MAX_PARTS,
          headerPairs: MAX_PART_HEADERS,
        },
      })
      // What breaks once the form is refused is of no interest.
      parser.on('error', () => {})
      parser.on('field', (name, value, info) => this.#takeText(name, value, info))
      for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const) {
        parser.on(limit, () => this.#add('', 'maxItems', 'the form has too many parts', { limit: MAX_PARTS }))
      }
      return parser
    } catch {
      throw validationErrorAt('body', 'form', 'names no boundary between its parts (RFC 7578)')
    }
  }

  #takeText(name: string | undefined, value: string, { valueTruncated, nameTruncated }: busboy.FieldInfo): void {
    const field = nameTruncated ? undefined : TEXT_FIELDS.find((one) => one === name)
    if (name === 'file') this.#add('/file', 'type', 'must be sent as a file', { types: ['file'] })
    else if (!field) this.#addUnknown(name, `there is no such field; send ${KNOWN_FIELDS.join(', ')}`)
    else if (valueTruncated) this.#add(`/${field}`, ...TOO_LONG)
    else if (this.#texts[field] !== undefined) this.#add(`/${field}`, 'repeated', 'may stand once')
    else this.#texts[field] = value
  }

  #takeFile(name: string | undefined, file: Readable, filename: string | undefined): Promise<StagedFile> | undefined {
    this.#files += 1
    if (name === 'file' && this.#files === 1) {
      this.#staging = this.#intake.stage(file, filename ?? '', this.#ended.signal)
      return this.#staging
    }
    // Its bytes are let go as they come in.
    file.on('error', () => {}).resume()
    if (name === 'file') this.#add('/file', 'repeated', 'must be one file')
    else this.#addUnknown(name, 'there is no such field; send the file as "file"')
    return undefined
  }

  /** @param name of a part; one without a name is a part, too */
  #addUnknown(name = '', message: string): void {
    this.#add(`/${name.slice(0, 64)}`, 'unknown_field', message, { values: KNOWN_FIELDS })
  }

  #add(path: string, ...violation: Violation): void {
    this.#issues.push(createIssue(path, ...violation))
  }

  /** Nothing is left of a form that is refused, however far it has come. */
  async #discard(): Promise<void> {
    this.#ended.abort()
    const file = await this.#staging?.catch(() => undefined)
    if (file) await this.#intake.discard(file.stagedName).catch(() => {})
  }
}

const KNOWN_FIELDS: readonly string[] = ['file', ...TEXT_FIELDS]

const TOO_LONG: Violation = ['too_long', `has at most ${MAX_TEXT_BYTES} bytes`, { limit: MAX_TEXT_BYTES }]

const incomplete = (): DaybookError => validationErrorAt('body', 'incomplete', 'ended before it was complete')

const malformed = ({ message }: Error): DaybookError =>
  /unexpected end/i.test(message)
    ? incomplete()
    : validationErrorAt('body', 'form', 'must be a well-formed form of type multipart/form-data (RFC 7578)')
