import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import busboy from 'busboy'
import { DaybookError, validationError, validationErrorAt } from '../errors.ts'
import { createIssue, type Issue, type Violation } from '../issues.ts'
import { unknownName } from '../nearest.ts'
import { fileTooLarge, type Intake, type StagedFile } from './intake.ts'

/** The text fields of a form besides its file. */
const TEXT_FIELDS = ['directory', 'filename', 'alt'] as const

export type TextField = (typeof TEXT_FIELDS)[number]

export interface UploadForm {
  readonly file: StagedFile
  readonly texts: Readonly<Partial<Record<TextField, string>>>
}

/** The maximum size of a form without its file, in bytes. */
export const MAX_FORM_BYTES: number = 64 * 1024
const MAX_TEXT_BYTES = 16 * 1024
/** The maximum number of parts, one more than valid, so that the issue names the extra part. */
const MAX_PARTS = TEXT_FIELDS.length + 2
const MAX_PART_HEADERS = 16

const MULTIPART = /^multipart\/form-data\s*(?:;|$)/i

/** The request with a form. */
export interface FormSource {
  /** The values of its headers. */
  readonly type: string | null
  readonly encoding: string | null
  readonly length: string | null
  open(): Readable
}

/**
 * Reads a form with one file (`multipart/form-data`, RFC 7578). The file is staged while it arrives; nothing of it is left if the form is
 * rejected.
 *
 * @throws UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, VALIDATION_ERROR, and the errors of {@link Intake.stage}
 */
export async function readUploadForm(source: FormSource, intake: Intake): Promise<UploadForm> {
  const { type, encoding, length } = source
  const isPlain = (encoding ?? 'identity').toLowerCase() === 'identity'
  if (type === null || !MULTIPART.test(type) || !isPlain) throw notMultipart()
  if (Number(length ?? 0) > intake.maxBytes + MAX_FORM_BYTES) throw fileTooLarge(intake.maxBytes)
  return new FormReader(intake).read(source.open(), type)
}

const notMultipart = (): DaybookError =>
  new DaybookError(
    'UNSUPPORTED_MEDIA_TYPE',
    'The Content-Type is not supported. Send the file as multipart/form-data, uncompressed.',
  )

class FormReader {
  readonly #intake: Intake
  readonly #ended = new AbortController()
  readonly #texts: Partial<Record<TextField, string>> = {}
  readonly #issues: Issue[] = []
  #files = 0
  #staging: Promise<StagedFile> | undefined
  /** The error if the form cannot be read. */
  #failure: DaybookError | undefined

  constructor(intake: Intake) {
    this.#intake = intake
  }

  async read(body: Readable, type: string): Promise<UploadForm> {
    const parser = this.#parser(type)
    try {
      const rejected = new Promise<never>((_, reject) => {
        parser.on('file', (name, file, { filename }) => {
          this.#takeFile(name, file, filename)?.catch((error) => void this.#findCause(error).then(reject))
        })
      })
      await Promise.race([this.#receive(body, parser), rejected])
      const file = await this.#staging
      const lacksFile = !file && this.#issues.every(({ path }) => path !== '/file')
      if (lacksFile) this.#add('/file', 'required', 'is required. Send one file in the field "file".')
      if (!file || this.#issues.length > 0) throw validationError(this.#issues)
      return { file, texts: this.#texts }
    } catch (error) {
      // Keeps the connection open for the response.
      body.unpipe(parser)
      parser.destroy()
      await this.#discard()
      throw error
    }
  }

  /** @throws VALIDATION_ERROR if the form ends early or is malformed */
  async #receive(body: Readable, parser: busboy.Busboy): Promise<void> {
    try {
      const cut = once(body, 'error').then(([error]) => Promise.reject(error))
      await Promise.race([once(body.pipe(parser), 'close'), cut])
    } catch (error) {
      this.#failure = body.errored ? incomplete() : malformed(error as Error)
      throw this.#failure
    }
  }

  /** Returns the cause of a failure to stage a file: that of the form, if it broke off. */
  async #findCause(error: unknown): Promise<unknown> {
    if (error instanceof DaybookError) return error
    await turn()
    return this.#failure ?? error
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
      // Errors after the form was rejected are irrelevant.
      parser.on('error', () => {})
      parser.on('field', (name, value, info) => this.#takeText(name, value, info))
      for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const) {
        parser.on(limit, () => this.#add('', 'maxItems', 'The form has too many parts.', { limit: MAX_PARTS }))
      }
      return parser
    } catch {
      throw validationErrorAt('body', 'form', 'The Content-Type of the body has no boundary (RFC 7578).')
    }
  }

  #takeText(name: string | undefined, value: string, { valueTruncated, nameTruncated }: busboy.FieldInfo): void {
    const field = nameTruncated ? undefined : TEXT_FIELDS.find((textField) => textField === name)
    if (name === 'file') this.#add('/file', 'type', 'must be sent as a file', { types: ['file'] })
    else if (!field) this.#addUnknown(name, `Use one of: ${KNOWN_FIELDS.join(', ')}.`)
    else if (valueTruncated) this.#add(`/${field}`, ...TOO_LONG)
    else if (this.#texts[field] !== undefined) this.#add(`/${field}`, 'repeated', 'must not be repeated')
    else this.#texts[field] = value
  }

  #takeFile(name: string | undefined, file: Readable, filename: string | undefined): Promise<StagedFile> | undefined {
    this.#files += 1
    if (name === 'file' && this.#files === 1) {
      this.#staging = this.#intake.stage(file, filename ?? '', this.#ended.signal)
      return this.#staging
    }
    // Drops its bytes while they arrive.
    file.on('error', () => {}).resume()
    if (name === 'file') this.#add('/file', 'repeated', 'must be one file')
    else this.#addUnknown(name, 'Send the file as "file".')
    return undefined
  }

  /** @param name of a part, absent for a part without a name */
  #addUnknown(name = '', advice: string): void {
    const shown = name.slice(0, 64)
    this.#add(`/${shown}`, 'unknown_field', `${unknownName('field', shown)} ${advice}`, { values: KNOWN_FIELDS })
  }

  #add(path: string, ...violation: Violation): void {
    this.#issues.push(createIssue(path, ...violation))
  }

  async #discard(): Promise<void> {
    this.#ended.abort()
    const file = await this.#staging?.catch(() => undefined)
    if (file) await this.#intake.discard(file.stagedName).catch(() => {})
  }
}

const KNOWN_FIELDS: readonly string[] = ['file', ...TEXT_FIELDS]

const TOO_LONG: Violation = ['too_long', `must be at most ${MAX_TEXT_BYTES} bytes long`, { limit: MAX_TEXT_BYTES }]

const incomplete = (): DaybookError => validationErrorAt('body', 'incomplete', 'The body ended before it was complete.')

const malformed = ({ message }: Error): DaybookError =>
  /unexpected end/i.test(message)
    ? incomplete()
    : validationErrorAt('body', 'form', 'The body must be a well-formed form of type multipart/form-data (RFC 7578).')
