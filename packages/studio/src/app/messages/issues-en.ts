import type { IssueCode } from 'daybook'
import { makeCountFormatter } from './formats.ts'

/** Codes of malformed requests. The Studio's requests are well-formed, so that its users never see these. */
type ProgramCode =
  | ('cursor' | 'empty' | 'encoding' | 'entity_tag' | 'exclusive' | 'form' | 'json' | 'not_included' | 'operator')
  | (
      | 'repeated'
      | 'requires'
      | 'reverse'
      | 'token'
      | 'too_long'
      | 'tus'
      | 'unknown'
      | 'unknown_param'
      | 'upload'
      | 'where'
    )
  // For signed image URLs, and for `daybook restore`.
  | ('signature' | 'size' | 'duplicate')
  // Validators of the config have their own messages.
  | 'validate'

/** A code with a suffix: a type, a format, or a param that only some of its issues have. */
type Case =
  | ('type.integer' | 'type.number' | 'type.boolean')
  | ('format.date' | 'format.date-time' | 'format.email' | 'format.uri')
  | ('accept.type' | 'unknown_field.name')

/** A code of the service, a case of it, or `taken`, with which the Studio shows a conflict. */
export type IssueTextName = Exclude<IssueCode, ProgramCode> | Case | 'taken'

/** The texts of issues in one language. */
export interface IssueTexts {
  /** Formats a number in the language. */
  readonly formatCount: (count: number) => string
  /** Each text is shown after the label of a field, or below the field; `{limit}` is a param of the issue. */
  readonly texts: Readonly<Record<IssueTextName, string>>
}

/** The English texts of issues. */
export const issuesEn: IssueTexts = {
  formatCount: makeCountFormatter('en'),
  texts: {
    required: 'is required',
    unknown_field: 'is an unknown field',
    'unknown_field.name': 'there is no “{name}” to filter or sort by',
    'type.integer': 'must be a whole number',
    'type.number': 'must be a number',
    'type.boolean': 'must be yes or no',
    type: 'is a value of another kind',
    minLength: 'must have at least {limit} characters',
    maxLength: 'must have at most {limit} characters',
    minItems: 'must have at least {limit} items',
    maxItems: 'must have at most {limit} items',
    minProperties: 'must have at least {limit} parts',
    maxProperties: 'must have at most {limit} parts',
    minimum: 'must be at least {limit}',
    maximum: 'must be at most {limit}',
    exclusiveMinimum: 'must be more than {limit}',
    exclusiveMaximum: 'must be less than {limit}',
    range: 'must be {minimum} to {maximum}',
    multipleOf: 'must be a multiple of {divisor}',
    pattern: 'must match {pattern}',
    slug: 'must be letters and digits, with single hyphens, dots or underscores between',
    'format.uri': 'must begin with http:// or https://, such as https://example.org/page',
    url: 'must begin with http:// or https://, such as https://example.org/page',
    filename: 'must begin with a letter or a digit, and have only letters, digits, dots, hyphens and underscores',
    directory: 'must be a path such as images/2026, of letters, digits, dots, hyphens and underscores',
    id_shape: 'must not look like an ID',
    'format.email': 'must be an e-mail address',
    'format.date': 'must be a day such as 2026-10-20',
    'format.date-time': 'must be a day with a time',
    format: 'has the wrong format',
    enum: 'must be one of: {values}',
    uniqueItems: 'must not have the same item twice',
    discriminator: 'must be of a kind that the field allows',
    reference: 'refers to something that does not exist, or that you may not see',
    accept: 'does not accept this type of file',
    'accept.type': 'is {type}. Only these types are accepted: {values}',
    access: 'would be a value that you may not set',
    forbidden: 'you may not change this field',
    merge: 'cannot be changed in part, because you may not read it',
    markdown: 'is too long or too complicated. Shorten or simplify it',
    depth: 'is nested too deeply',
    character: 'has a character that cannot be stored',
    draft: 'can be changed only by publishing and unpublishing',
    deleted: 'is allowed only for a deleted entry',
    file: 'a deleted file is restored by itself, not together with others',
    order: 'must come in order: first published, then unpublished',
    repeated_key: 'is already the key of another item',
    invitation: 'is not valid for this address',
    scope: 'is not a permission that a token can have',
    length: 'must have {minimum} to {maximum} characters',
    loop: 'would lead back to where it begins',
    max_pixels: 'has too many pixels, more than {limit}',
    max_frames: 'has too many frames, more than {limit}',
    image: 'is not an image that can be read',
    incomplete: 'did not arrive completely. Try again',
    taken: 'is already used by another entry',
    too_large: 'is too large for one request',
    locale: 'is not one of the languages of the content',
    status: 'cannot be unpublished: its status has no other value',
  },
}
