import { DaybookError, NetworkError, TimeoutError } from '@daybook/client'
import type { Issue } from 'daybook'
import type { Messages } from '../messages/en.ts'
import type { IssueTextName } from '../messages/issues-en.ts'

/** Codes by status, for responses with the codes of another library, such as those of the auth adapter's own routes. */
const CODES = {
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  429: 'RATE_LIMITED',
  503: 'SERVICE_UNAVAILABLE',
} as const satisfies Readonly<Record<number, keyof Messages['errors']>>

export function getErrorText(error: unknown, { errors }: Messages): string {
  if (error instanceof NetworkError) return errors.network
  if (error instanceof TimeoutError) return errors.timeout
  if (!(error instanceof DaybookError)) return errors.unexpected
  const code = Object.hasOwn(errors, error.code) ? error.code : CODES[error.status as keyof typeof CODES]
  if (code === 'RATE_LIMITED') return errors.RATE_LIMITED(error.retryAfter)
  const text = errors[code as keyof typeof errors]
  if (typeof text === 'string') return text
  // Messages of the service are in English.
  return error.message === '' ? errors.unexpected : error.message
}

/** Returns the id of the failed request, by which it can be found in the log. */
export const getRequestId = (error: unknown): string | undefined =>
  error instanceof DaybookError && error.requestId !== '' ? error.requestId : undefined

export type ServiceIssue = Pick<Issue, 'code' | 'params' | 'message'>

type Params = NonNullable<Issue['params']>

/** Returns the text of an issue in the language of the Studio, or the service's message if there is no text or a param is missing. */
export function getIssueText(
  issue: ServiceIssue,
  { issues: { texts, formatCount: counted } }: Pick<Messages, 'issues'>,
): string {
  const { code, params = {}, message } = issue
  const name = listTextNames(code, params).find((key): key is IssueTextName => Object.hasOwn(texts, key))
  return (name && fill(texts[name], params, counted)) ?? message
}

/** Lists the keys of texts for an issue, the most specific one first. */
function listTextNames(code: string, params: Params): readonly string[] {
  const { types = [], format = [], ...otherParams } = params
  return [...[types, format].flat(), ...Object.keys(otherParams)].map((suffix) => `${code}.${suffix}`).concat(code)
}

/** Fills in params; `undefined` if one is missing, as in issues of custom validators. */
function fill(text: string, params: Params, counted: (count: number) => string): string | undefined {
  const print = (value: unknown): string => (typeof value === 'number' ? counted(value) : String(value))
  const names = [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  if (!names.every((name) => Object.hasOwn(params, name))) return undefined
  return text.replace(/\{(\w+)\}/g, (_, name) => [params[name]].flat().map(print).join(', '))
}
