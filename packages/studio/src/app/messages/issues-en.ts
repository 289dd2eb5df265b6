import { countsIn } from './reader-locale.ts'

const counted = countsIn('en')

/**
 * What may be wrong with a value, in English, by the codes of the service. Each text stands behind the name of a field, or below the field; what
 * it is given is read from the sentence of the service.
 */
export const issuesEn = {
  required: () => 'is required',
  unknown_field: () => 'there is no such field',
  unknown_filter: (name: string) => `there is no “${name}” to filter or sort by`,
  integer: () => 'must be a whole number',
  number: () => 'must be a number',
  boolean: () => 'must be yes or no',
  type: () => 'is a value of another kind',
  minLength: (least: string) => `must have at least ${counted(Number(least))} characters`,
  maxLength: (most: string) => `must have at most ${counted(Number(most))} characters`,
  minItems: (least: string) => `must have at least ${counted(Number(least))} items`,
  maxItems: (most: string) => `must have at most ${counted(Number(most))} items`,
  minimum: (least: string) => `must be at least ${counted(Number(least))}`,
  maximum: (most: string) => `must be at most ${counted(Number(most))}`,
  pattern: (pattern: string) => `must match ${pattern}`,
  slug: () => 'must be letters and digits, with single hyphens, dots or underscores between',
  web: () => 'must begin with http:// or https://, such as https://example.org/page',
  filename: () => 'must begin with a letter or a digit, and have letters, digits, dots, hyphens and underscores alone',
  directory: () => 'must be a path such as images/2026, of letters, digits, dots, hyphens and underscores',
  notId: () => 'must not look like an ID',
  email: () => 'must be an e-mail address',
  date: () => 'must be a day such as 2026-10-20',
  moment: () => 'must be a day with a time',
  format: () => 'is not written as it should be',
  enum: (allowed: string) => `must be one of: ${allowed}`,
  uniqueItems: () => 'must not have the same item twice',
  discriminator: () => 'must be of a kind that the field knows',
  reference: () => 'refers to what is not there, or what you may not see',
  accept: () => 'does not take this type of file',
  access: () => 'would be a value that you may not set',
  forbidden: () => 'you may not change this field',
  merge: () => 'cannot be changed in part, because you may not read it',
  markdown: () => 'is too long or too complicated; shorten or simplify it',
  depth: () => 'is nested too deeply',
  character: () => 'has a character that cannot be stored',
  draft: () => 'is changed by publishing and unpublishing alone',
  deleted: () => 'can be given to a deleted entry alone',
  order: () => 'must come in order: first published, then unpublished',
  repeated_key: () => 'is the key of another item, too',
  invitation: () => 'is not valid for this address',
  length: (least: string, most: string) => `must have ${counted(Number(least))} to ${counted(Number(most))} characters`,
  loop: () => 'would lead back to where it begins',
  max_pixels: () => 'has too many pixels',
  max_frames: () => 'has too many frames',
  image: () => 'is no picture that can be read',
  incomplete: () => 'did not arrive whole; try again',
  taken: () => 'another entry has this value',
  too_large: () => 'is more than the service takes at once',
  locale: () => 'is none of the languages of the content',
  status: () => 'cannot be unpublished: its status has no other value',
}

/** What may be wrong with a value, in one language. */
export type IssueTexts = typeof issuesEn
