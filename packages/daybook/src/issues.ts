/**
 * The code of every issue that Daybook reports, with the values that its message mentions. `undefined`: it mentions none.
 *
 * @example
 * ```ts
 * const { limit } = issue.params as IssueParams['maxLength']
 * ```
 */
export interface IssueParams {
  /** A value, parameter or file is missing; a text of white space alone is missing, too. */
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
   * @param types the types that fit, as in JSON Schema, or `file`
   * @param field instead of `types`, the field that the value of a filter is compared with
   */
  readonly type: { readonly types: readonly string[] } | { readonly field: string }
  /** The text has too few characters. @param limit the least */
  readonly minLength: { readonly limit: number }
  /** The text has too many characters. @param limit the most */
  readonly maxLength: { readonly limit: number }
  /** The text has too few or too many characters. @param minimum the least @param maximum the most */
  readonly length: { readonly minimum: number; readonly maximum: number }
  /** The text has too many bytes. @param limit the most, in bytes */
  readonly too_long: { readonly limit: number }
  /** The list has too few items. @param limit the least */
  readonly minItems: { readonly limit: number }
  /** There are too many items, names, conditions, documents or parts. @param limit the most @param count their number */
  readonly maxItems: { readonly limit: number; readonly count?: number }
  /** Two items of the list are equal. */
  readonly uniqueItems: undefined
  /** The object has too few members. @param limit the least */
  readonly minProperties: { readonly limit: number }
  /** The object has too many members. @param limit the most */
  readonly maxProperties: { readonly limit: number }
  /** The number is too small. @param limit the least */
  readonly minimum: { readonly limit: number }
  /** The number is too large. @param limit the greatest */
  readonly maximum: { readonly limit: number }
  /** The number is too small. @param limit the number that it must exceed */
  readonly exclusiveMinimum: { readonly limit: number }
  /** The number is too large. @param limit the number that it must stay below */
  readonly exclusiveMaximum: { readonly limit: number }
  /** The number is not in the range. @param minimum the least @param maximum the greatest */
  readonly range: { readonly minimum: number; readonly maximum: number }
  /** The number is no multiple. @param divisor the number that must divide it */
  readonly multipleOf: { readonly divisor: number }
  /** The value is none of the allowed ones. @param values those that are */
  readonly enum: { readonly values: readonly unknown[] }
  /** The text does not match. @param pattern the regular expression (ECMA-262, flag `u`) */
  readonly pattern: { readonly pattern: string }
  /** The text is not in the format. @param format its name: `email`, `date`, `date-time`, `uri` or `uuid` */
  readonly format: { readonly format: string }
  /** The text is no slug. */
  readonly slug: undefined
  /** The slug has the shape of an id. */
  readonly id_shape: undefined
  /** The address does not begin with `http://` or `https://`. */
  readonly url: undefined
  /** The text is no name of a file. @param limit the most characters */
  readonly filename: { readonly limit: number }
  /** The text is no directory. @param limit the most characters @param segments the most segments */
  readonly directory: { readonly limit: number; readonly segments: number }
  /** The block has a `_type` that the field does not have. */
  readonly discriminator: undefined
  /** Another item of the list has the same `_key`. @param index the place of that item */
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
   * @param limit the most bytes
   */
  readonly accept:
    | { readonly id: string; readonly values?: readonly string[] | undefined; readonly limit?: number | undefined }
    | { readonly type: string; readonly values: readonly string[] }
  /**
   * An access rule requires another value.
   * @param operator the operator of the rule's condition
   * @param values the values that it compares with, at most 10
   * @param negated `true` if the condition must not hold
   */
  readonly access:
    | { readonly operator: string; readonly values: readonly unknown[]; readonly negated?: true | undefined }
    | undefined
  /** The caller may not write the field. */
  readonly forbidden: undefined
  /** The caller may not read the value, so that nothing can be merged into it. */
  readonly merge: undefined
  /** The Markdown takes too long, or too much memory, to render. */
  readonly markdown: undefined
  /** The value, or the filter, is nested too deeply. @param limit the most levels */
  readonly depth: { readonly limit: number }
  /** The text has a character that cannot be stored: NUL, or half of a surrogate pair. */
  readonly character: undefined
  /** The status of a draft is changed by publishing and unpublishing. */
  readonly draft: undefined
  /** Only a deleted entry takes this value. */
  readonly deleted: undefined
  /** A deleted file is restored by a request of its own, and not in a batch. */
  readonly file: undefined
  /** The entry must be published before it is unpublished. @param publishAt the time of the other change @param unpublishAt likewise */
  readonly order: { readonly publishAt: string } | { readonly unpublishAt: string }
  /** The content has no such locale, or none. @param values its locales */
  readonly locale: { readonly values: readonly string[] } | undefined
  /** The status of these entries cannot change. @param collection their collection */
  readonly status: { readonly collection: string }
  /** The redirect leads back to where it begins. */
  readonly loop: undefined
  /** The value is more than one request may store. @param limit the most, in characters */
  readonly too_large: { readonly limit: number } | undefined
  /** The image has too many pixels. @param width its width @param height its height @param limit the most pixels */
  readonly max_pixels: { readonly width: number; readonly height: number; readonly limit: number }
  /** The animation has too many frames. @param limit the most */
  readonly max_frames: { readonly limit: number }
  /** The asset is no image that can be read. @param type its media type */
  readonly image: { readonly type: string } | undefined
  /** The body ended before it was complete. */
  readonly incomplete: undefined
  /** The invitation is not valid for this address. */
  readonly invitation: undefined
  /** The token cannot have this scope. @param values the actions, or the documents, that a scope can name */
  readonly scope: { readonly values: readonly string[] }
  /** A validator of the config refuses the value. Its issues may have codes and params of their own. */
  readonly validate: Readonly<Record<string, unknown>> | undefined
  /** The body is no JSON. */
  readonly json: undefined
  /** The body or path is not UTF-8. */
  readonly encoding: undefined
  /** The body is no form, or no `multipart/form-data`. */
  readonly form: undefined
  /** A new asset is made by an upload. */
  readonly upload: undefined
  /** The header of a resumable upload is not valid. */
  readonly tus: undefined
  /** The header is no list of entity tags. */
  readonly entity_tag: undefined
  /**
   * The parameter does not exist here.
   * @param nearest the parameter that was probably meant
   * @param values parameters to use instead
   */
  readonly unknown_param: { readonly nearest: string } | { readonly values: readonly string[] } | undefined
  /** A parameter, or a name in it, appears more than once. @param name the name */
  readonly repeated: { readonly name: string } | undefined
  /** The parameter holds an empty name. */
  readonly empty: undefined
  /** Two values exclude each other. @param with the parameter or member that excludes this one */
  readonly exclusive: { readonly with: string }
  /** The parameter needs another one. @param name the one that it needs */
  readonly requires: { readonly name: string }
  /** The filter is not well-formed. */
  readonly where: undefined
  /** The filter uses an operator wrongly, or one that the field does not have. @param values the operators that fit */
  readonly operator: { readonly values: readonly string[] } | undefined
  /** The option of a reverse field is not well-formed. @param values the options */
  readonly reverse: { readonly values: readonly string[] }
  /** The field belongs to a relation that `include` does not name. @param name the field */
  readonly not_included: { readonly name: string }
  /** The cursor belongs to another query, or is none. */
  readonly cursor: undefined
  /** The token of the changes feed is none. */
  readonly token: undefined
  /** There is no such collection or global, or the caller may not read it. @param name its key as sent */
  readonly unknown: { readonly name: string }
  /** The signature belongs to another image, or to other parameters. */
  readonly signature: undefined
  /** The image is not made in this size without a signature. @param values the sizes besides squares */
  readonly size: { readonly values: readonly string[] }
  /** A line of an export has two times for one action. */
  readonly duplicate: undefined
}

/** A code of {@link IssueParams}. */
export type IssueCode = keyof IssueParams

/** One thing that is wrong with a request: where, which rule, and what to do about it. */
export interface Issue {
  /** JSON Pointer (RFC 6901) into the body, or the name of the query parameter. */
  readonly path: string
  /** The rule that is broken: a code of {@link IssueParams}, or one of a validator of the config. */
  readonly code: string
  /** The values that the message mentions; absent if it mentions none. */
  readonly params?: Readonly<Record<string, unknown>>
  readonly message: string
}

/** A broken rule, without the place: code, message and params. */
export type Violation = {
  readonly [C in IssueCode]: undefined extends IssueParams[C]
    ? readonly [code: C, message: string, params?: IssueParams[C]]
    : readonly [code: C, message: string, params: IssueParams[C]]
}[IssueCode]

/** Makes the issue of a violation at a path. */
export function createIssue(path: string, ...[code, message, params = {}]: Violation): Issue {
  const present = Object.entries(params).filter(([, value]) => value !== undefined)
  return { path, code, ...(present.length > 0 ? { params: Object.fromEntries(present) } : {}), message }
}
