/**
 * The params of every issue that Daybook reports, by code: the values that its message mentions. `undefined` if it mentions none.
 *
 * @example
 * ```ts
 * const { limit } = issue.params as IssueParams['maxLength']
 * ```
 */
export interface IssueParams {
  /** A value, parameter or file is missing. A text of white space counts as missing. */
  readonly required: undefined
  /**
   * The field does not exist, cannot be used here, or may not be read by the caller.
   * @param name the name as sent, unless `path` ends with it
   * @param nearest the existing name that was probably meant
   * @param values names to use instead
   */
  readonly unknown_field:
    | {
        readonly name?: string | undefined
        readonly nearest?: string | undefined
        readonly values?: readonly string[] | undefined
      }
    | undefined
  /**
   * The value has another type.
   * @param types the valid types, as in JSON Schema, or `file`
   * @param field instead of `types`, the field that the value of a filter is compared with
   */
  readonly type: { readonly types: readonly string[] } | { readonly field: string }
  /** The text has too few characters. @param limit the minimum */
  readonly minLength: { readonly limit: number }
  /** The text has too many characters. @param limit the maximum */
  readonly maxLength: { readonly limit: number }
  /** The text has too few or too many characters. @param minimum the minimum @param maximum the maximum */
  readonly length: { readonly minimum: number; readonly maximum: number }
  /** The text has too many bytes. @param limit the maximum, in bytes */
  readonly too_long: { readonly limit: number }
  /** The list has too few items. @param limit the minimum */
  readonly minItems: { readonly limit: number }
  /** There are too many items, names, conditions, documents or parts. @param limit the maximum @param count their number */
  readonly maxItems: { readonly limit: number; readonly count?: number }
  /** Two items of the list are equal. */
  readonly uniqueItems: undefined
  /** The object has too few members. @param limit the minimum */
  readonly minProperties: { readonly limit: number }
  /** The object has too many members. @param limit the maximum */
  readonly maxProperties: { readonly limit: number }
  /** The number is too small. @param limit the minimum */
  readonly minimum: { readonly limit: number }
  /** The number is too large. @param limit the maximum */
  readonly maximum: { readonly limit: number }
  /** The number is too small. @param limit the number that it must exceed */
  readonly exclusiveMinimum: { readonly limit: number }
  /** The number is too large. @param limit the number that it must stay below */
  readonly exclusiveMaximum: { readonly limit: number }
  /** The number is outside of the range. @param minimum the minimum @param maximum the maximum */
  readonly range: { readonly minimum: number; readonly maximum: number }
  /** The number is no multiple of another. @param divisor the number that must divide it */
  readonly multipleOf: { readonly divisor: number }
  /** The value is not allowed. @param values the allowed values */
  readonly enum: { readonly values: readonly unknown[] }
  /** The text does not match. @param pattern the regular expression (ECMA-262, flag `u`) */
  readonly pattern: { readonly pattern: string }
  /** The text is not in the format. @param format its name: `email`, `date`, `date-time`, `uri` or `uuid` */
  readonly format: { readonly format: string }
  /** The text is not a slug. */
  readonly slug: undefined
  /** The slug has the shape of an id. */
  readonly id_shape: undefined
  /** The address does not begin with `http://` or `https://`. */
  readonly url: undefined
  /** The text is not a file name. @param limit the maximum number of characters */
  readonly filename: { readonly limit: number }
  /** The text is not a directory. @param limit the maximum number of characters @param segments the maximum number of segments */
  readonly directory: { readonly limit: number; readonly segments: number }
  /** The block has a `_type` that the field does not have. */
  readonly discriminator: undefined
  /** Another item of the list has the same `_key`. @param index the position of that item */
  readonly repeated_key: { readonly index: number }
  /**
   * The entry or asset does not exist, the caller may not read it, or the field does not refer to its collection.
   * @param collection its collection
   * @param id its id
   * @param values the collections that the field refers to
   */
  readonly reference: {
    readonly collection: string
    readonly id?: string
    readonly values?: readonly string[]
  }
  /**
   * The file is of a type or size that is not accepted.
   * @param id the id of the asset that the field refers to
   * @param type the media type of the file that is uploaded
   * @param values the accepted media types
   * @param limit the maximum number of bytes
   */
  readonly accept:
    | { readonly id: string; readonly values?: readonly string[] | undefined; readonly limit?: number | undefined }
    | { readonly type: string; readonly values: readonly string[] }
  /**
   * An access rule requires another value.
   * @param operator the operator of the rule's condition
   * @param values the operands, at most 10
   * @param negated `true` if the condition must not hold
   */
  readonly access:
    | { readonly operator: string; readonly values: readonly unknown[]; readonly negated?: true | undefined }
    | undefined
  /** The caller may not write the field. */
  readonly forbidden: undefined
  /** The caller may not read the value, and so cannot merge into it. */
  readonly merge: undefined
  /** The Markdown takes too long, or too much memory, to render. */
  readonly markdown: undefined
  /** The value or the filter is nested too deeply. @param limit the maximum number of levels */
  readonly depth: { readonly limit: number }
  /** The text contains a character that cannot be stored: NUL, or half of a surrogate pair. */
  readonly character: undefined
  /** The status of a draft can be changed only by publishing and unpublishing. */
  readonly draft: undefined
  /** The value is valid only for a deleted entry. */
  readonly deleted: undefined
  /** A deleted file cannot be restored in a batch. */
  readonly file: undefined
  /** The entry must be published before it is unpublished. @param publishAt the time of the other change @param unpublishAt likewise */
  readonly order: { readonly publishAt: string } | { readonly unpublishAt: string }
  /** The content has no such locale, or no locales. @param values its locales */
  readonly locale: { readonly values: readonly string[] } | undefined
  /** The status of these entries cannot change. @param collection their collection */
  readonly status: { readonly collection: string }
  /** The entry would be its own ancestor. @param id the parent */
  readonly cycle: { readonly id: string }
  /** The entry cannot be moved beside itself. @param id its id */
  readonly neighbour: { readonly id: string }
  /** The redirect leads back to its start. */
  readonly loop: undefined
  /** The value is too large for one request. @param limit the maximum, in characters */
  readonly too_large: { readonly limit: number } | undefined
  /** The image has too many pixels. @param width its width @param height its height @param limit the maximum number of pixels */
  readonly max_pixels: { readonly width: number; readonly height: number; readonly limit: number }
  /** The animation has too many frames. @param limit the maximum */
  readonly max_frames: { readonly limit: number }
  /** The asset is not a readable image. @param type its media type */
  readonly image: { readonly type: string } | undefined
  /** The body ended before it was complete. */
  readonly incomplete: undefined
  /** The invitation is not valid for this address. */
  readonly invitation: undefined
  /** The token cannot have this scope. @param values the valid actions or documents of a scope */
  readonly scope: { readonly values: readonly string[] }
  /** A validator of the config rejects the value. Its issues may have other codes and params. */
  readonly validate: Readonly<Record<string, unknown>> | undefined
  /** The body is not JSON. */
  readonly json: undefined
  /** The body or path is not UTF-8. */
  readonly encoding: undefined
  /** The body is not a form, or not `multipart/form-data`. */
  readonly form: undefined
  /** A new asset needs an upload. */
  readonly upload: undefined
  /** The header of a resumable upload is not valid. */
  readonly tus: undefined
  /** The header is not a list of entity tags. */
  readonly entity_tag: undefined
  /**
   * The parameter does not exist here.
   * @param nearest the parameter that was probably meant
   * @param values parameters to use instead
   */
  readonly unknown_param: { readonly nearest: string } | { readonly values: readonly string[] } | undefined
  /** A parameter or a name in it occurs more than once. @param name the name */
  readonly repeated: { readonly name: string } | undefined
  /** The parameter contains an empty name. */
  readonly empty: undefined
  /** Two values exclude each other. @param with the parameter or member that excludes this one */
  readonly exclusive: { readonly with: string }
  /** The parameter needs another one. @param name the required parameter */
  readonly requires: { readonly name: string }
  /** The filter is not well-formed. */
  readonly where: undefined
  /** The filter uses an operator incorrectly, or one that the field does not have. @param values the valid operators */
  readonly operator: { readonly values: readonly string[] } | undefined
  /** The option of a reverse field is not well-formed. @param values the options */
  readonly reverse: { readonly values: readonly string[] }
  /** The field belongs to a relation that `include` does not name. @param name the field */
  readonly not_included: { readonly name: string }
  /** The cursor is invalid, or belongs to another query. */
  readonly cursor: undefined
  /** The token of the changes feed is invalid. */
  readonly token: undefined
  /** There is no such collection or global, or the caller may not read it. @param name its key as sent */
  readonly unknown: { readonly name: string }
  /** The signature belongs to another image, or to other parameters. */
  readonly signature: undefined
  /** The image needs a signature in this size. @param values the allowed sizes besides squares */
  readonly size: { readonly values: readonly string[] }
  /** A line of an export has two times for one action. */
  readonly duplicate: undefined
}

/** A code of {@link IssueParams}. */
export type IssueCode = keyof IssueParams

/** A fault of a request: its path, the broken rule, and a message. */
export interface Issue {
  /** JSON Pointer (RFC 6901) into the body, or the name of the query parameter. */
  readonly path: string
  /** The broken rule: a code of {@link IssueParams}, or one of a validator of the config. */
  readonly code: string
  /** The values that the message mentions. */
  readonly params?: Readonly<Record<string, unknown>>
  /** Whole sentences that say what is wrong, where, and what to do. */
  readonly message: string
}

/** An issue without its path: code, message and params. The message may be a predicate: see {@link formatIssueMessage}. */
export type Violation = {
  readonly [C in IssueCode]: undefined extends IssueParams[C]
    ? readonly [code: C, message: string, params?: IssueParams[C]]
    : readonly [code: C, message: string, params: IssueParams[C]]
}[IssueCode]

/** Creates the issue of a violation at a path. Its message becomes a sentence: see {@link formatIssueMessage}. */
export function createIssue(path: string, ...[code, text, params = {}]: Violation): Issue {
  const present = Object.entries(params).filter(([, value]) => value !== undefined)
  const message = formatIssueMessage(path, text)
  return { path, code, ...(present.length > 0 ? { params: Object.fromEntries(present) } : {}), message }
}

/**
 * Returns the message of an issue as a sentence that can be shown without the path. A message that begins with a lower-case letter is a
 * predicate, such as `must be at least 3`, and gets the place of the issue as its subject. Any other message is returned as it is.
 */
export function formatIssueMessage(path: string, message: string): string {
  if (!/^\p{Ll}/u.test(message)) return message
  return `${formatPlace(path)} ${message}${/[.?!…]$/.test(message) ? '' : '.'}`
}

/** Moves an issue below a dotted path. A message that has the place of the issue as its subject becomes a predicate again. */
export function moveIssue(parent: string, { path, message }: Issue): Pick<Issue, 'path' | 'message'> {
  const place = formatPlace(path)
  const predicate = message.startsWith(`${place} `) ? message.slice(place.length + 1) : message
  return { path: `${parent}.${place}`, message: predicate }
}

/** Returns `parts.2.words` for `/parts/2/words`, the names of parameters and headers as they are, and `The body` for the whole body. */
function formatPlace(path: string): string {
  if (path === '' || path === '/') return 'The body'
  if (!path.startsWith('/')) return path
  return path.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~')
}
