import type { Messages } from '../messages/en.ts'
import type { IssueTexts } from '../messages/issues-en.ts'

/** One thing that is wrong, as the service says it. */
export interface ServiceIssue {
  readonly code: string
  readonly message: string
}

type TextName = keyof IssueTexts

/** A sentence of the service, and the text that says the same; what the sentence holds in groups is given to the text. */
type Form = readonly [sentence: RegExp, text: TextName]

/**
 * The sentences of codes that need more than themselves: a bound, a pattern. A sentence that has no form here, such as that of a rule of the
 * config, stays as it is.
 */
const FORMS: Readonly<Record<string, readonly Form[]>> = {
  type: [
    [/^must be integer\b|^must be a whole number/, 'integer'],
    [/^must be number\b|^must be a number/, 'number'],
    [/^must be boolean\b|^must be true or false$/, 'boolean'],
    [/^must be/, 'type'],
  ],
  minLength: [[/^must have at least (\d+) characters$/, 'minLength']],
  maxLength: [[/^must have at most (\d+) characters$/, 'maxLength']],
  minItems: [[/^must have at least (\d+) items$/, 'minItems']],
  maxItems: [[/^must have at most (\d+) /, 'maxItems']],
  minimum: [[/^must be at least (\S+)$/, 'minimum']],
  maximum: [[/^must be at most (\S+)$/, 'maximum']],
  pattern: [
    [/^must match (.+)$/, 'pattern'],
    [/^must begin with http/, 'web'],
    [/^must not look like an id$/, 'notId'],
    [/^must be letters and digits with single/, 'slug'],
    [/^must be a letter or digit, followed by/, 'filename'],
    [/^must be a path such as/, 'directory'],
  ],
  format: [
    [/e-?mail/, 'email'],
    [/^must be a valid uri$/, 'web'],
    [/^must be a valid date$/, 'date'],
    [/^must be a (?:valid )?date-time/, 'moment'],
    [/^must be/, 'format'],
  ],
  enum: [[/^must be one of: (.+)$/, 'enum']],
  length: [[/^must have (\d+) to (\d+) characters$/, 'length']],
  unknown_field: [
    [/^there is no such field/, 'unknown_field'],
    [/^cannot (?:filter|sort) by "([^"]*)"/, 'unknown_filter'],
  ],
}

/** What is wrong, in the reader's language as far as the code says it; else in the sentence of the service. */
export function issueText({ code, message }: ServiceIssue, { issues }: Pick<Messages, 'issues'>): string {
  const forms = Object.hasOwn(FORMS, code) ? FORMS[code] : undefined
  if (!forms) return Object.hasOwn(issues, code) ? say(issues[code as TextName], []) : message
  for (const [sentence, text] of forms) {
    const found = sentence.exec(message)
    if (found) return say(issues[text], found.slice(1))
  }
  return message
}

/** A text takes as many words as its form has groups. */
const say = (text: (...words: string[]) => string, words: readonly string[]): string => text(...words)
