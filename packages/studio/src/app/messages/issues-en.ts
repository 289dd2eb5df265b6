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
  /** Each text is a sentence that is shown below the field, or after its label; `{limit}` is a param of the issue. */
  readonly texts: Readonly<Record<IssueTextName, string>>
}

/** The English texts of issues. */
export const issuesEn: IssueTexts = {
  formatCount: makeCountFormatter('en'),
  texts: {
    required: 'This field is required.',
    unknown_field: 'This field does not exist.',
    'unknown_field.name': 'You cannot filter or sort by “{name}”.',
    'type.integer': 'Enter a whole number.',
    'type.number': 'Enter a number.',
    'type.boolean': 'Choose yes or no.',
    type: 'This value has the wrong type.',
    minLength: 'Enter at least {limit} characters.',
    maxLength: 'Enter at most {limit} characters.',
    minItems: 'At least {limit} items are required.',
    maxItems: 'At most {limit} items are allowed.',
    minProperties: 'At least {limit} parts are required.',
    maxProperties: 'At most {limit} parts are allowed.',
    minimum: 'The value must be at least {limit}.',
    maximum: 'The value must be at most {limit}.',
    exclusiveMinimum: 'The value must be more than {limit}.',
    exclusiveMaximum: 'The value must be less than {limit}.',
    range: 'The value must be from {minimum} to {maximum}.',
    multipleOf: 'The value must be a multiple of {divisor}.',
    pattern: 'The value must match the pattern {pattern}.',
    slug: 'Use only letters and digits, with single hyphens, dots or underscores between them.',
    'format.uri': 'Enter an address that begins with http:// or https://, such as https://example.org/page.',
    url: 'Enter an address that begins with http:// or https://, such as https://example.org/page.',
    filename: 'Use only letters, digits, dots, hyphens and underscores, and begin with a letter or a digit.',
    directory: 'Enter a path such as images/2026, of letters, digits, dots, hyphens and underscores.',
    id_shape: 'The value must not look like an ID.',
    'format.email': 'Enter an e-mail address.',
    'format.date': 'Enter a date such as 2026-10-20.',
    'format.date-time': 'Enter a date with a time.',
    format: 'The format of this value is invalid.',
    enum: 'Choose one of: {values}.',
    uniqueItems: 'The same item is in the list twice. Remove one.',
    discriminator: 'This kind of block is not allowed here.',
    reference: 'This was deleted, or you do not have access to it. Choose something else.',
    accept: 'This type of file is not allowed.',
    'accept.type': 'Files of the type {type} are not allowed. Allowed types: {values}.',
    access: 'You are not allowed to set this value.',
    forbidden: 'You are not allowed to change this field.',
    merge: 'You are not allowed to read this field, so you cannot change parts of it.',
    markdown: 'This text is too long or too complex. Shorten or simplify it.',
    depth: 'This value is nested too deeply.',
    character: 'This text contains a character that cannot be stored.',
    draft: 'Only publishing and unpublishing can change this.',
    deleted: 'This is allowed only for a deleted entry.',
    file: 'A deleted file cannot be restored together with other content. Restore it on its own.',
    order: 'The entry must be published before it is unpublished. Choose another time.',
    repeated_key: 'Another item already has this key.',
    invitation: 'This invitation is not valid for this address.',
    scope: 'A token cannot have this permission.',
    length: 'Enter {minimum} to {maximum} characters.',
    cycle: 'An entry cannot be below itself. Choose another parent.',
    neighbour: 'An entry cannot be moved beside itself.',
    loop: 'This redirect would lead back to its start.',
    max_pixels: 'The image has more than {limit} pixels. Use a smaller one.',
    max_frames: 'The animation has more than {limit} frames. Use a shorter one.',
    image: 'This file is not a readable image.',
    incomplete: 'The upload was interrupted. Try again.',
    taken: 'This value is already used by another entry.',
    too_large: 'This value is too large.',
    locale: 'This language is not available.',
    status: 'This cannot be unpublished, because its status has no other value.',
  },
}
