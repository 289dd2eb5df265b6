import type { Issue } from 'daybook'
import type { Messages } from '../messages/en.ts'
import type { IssueTextName } from '../messages/issues-en.ts'

/** An issue without its place. */
export type ServiceIssue = Pick<Issue, 'code' | 'params' | 'message'>

type Params = NonNullable<Issue['params']>

/** Returns the text of an issue in the reader's language; the service's message if there is none, or if a param of the text is missing. */
export function issueText(issue: ServiceIssue, { issues: { texts, counted } }: Pick<Messages, 'issues'>): string {
  const { code, params = {}, message } = issue
  const name = namesOf(code, params).find((one): one is IssueTextName => Object.hasOwn(texts, one))
  return (name && fill(texts[name], params, counted)) ?? message
}

/** The names of texts for an issue, from the most special one to its code. */
function namesOf(code: string, params: Params): readonly string[] {
  const { types = [], format = [], ...others } = params
  return [...[types, format].flat(), ...Object.keys(others)].map((one) => `${code}.${one}`).concat(code)
}

/** Puts params into a text; `undefined` if one is missing, as in issues of the config's validators. */
function fill(text: string, params: Params, counted: (count: number) => string): string | undefined {
  const print = (value: unknown): string => (typeof value === 'number' ? counted(value) : String(value))
  const names = [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  if (!names.every((name) => Object.hasOwn(params, name))) return undefined
  return text.replace(/\{(\w+)\}/g, (_, name) => [params[name]].flat().map(print).join(', '))
}
