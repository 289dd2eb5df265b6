import { deepFreeze } from '../../deep-freeze.ts'
import { type DaybookError, validationError } from '../../errors.ts'
import { emptyValue, type Field, type InnerFields, isRecord } from '../../fields/field.ts'
import { isKey } from '../../fields/option-rules.ts'
import type { Issue } from '../../issues.ts'
import type { CollectionModel, GlobalModel } from '../../model/model.ts'
import type { FieldRights } from '../access/field-access.ts'
import { getServedKeys, type Values } from '../documents/document.ts'
import { createHookError, type ValidatorResult } from './hooks.ts'

/** The longest message of an issue, in characters. */
const MAX_MESSAGE = 1000
/** The code of an issue that names none. */
const DEFAULT_CODE = 'validate'
const ISSUE_KEYS: readonly string[] = ['path', 'message', 'code', 'params']
/** The longest params of an issue, in characters of JSON. */
const MAX_PARAMS = 2000

/**
 * The fields whose values a validator must not know: those that the caller may not read and does not give. What a validator says
 * is told to the caller, so it would tell of them.
 */
export function findConcealedFields({ hidden, absent }: FieldRights, given: Values): ReadonlySet<string> {
  return new Set([...hidden].filter((key) => absent.has(key) || !Object.hasOwn(given, key)))
}

/** A document as validators see it: frozen, and empty where they must not know what it holds. */
export function concealValues(
  document: CollectionModel | GlobalModel,
  values: Values,
  concealed: ReadonlySet<string>,
): Values {
  const hidden = getServedKeys(document, concealed)
  const shown = Object.entries(values).map(([key, value]) => {
    const field = document.fieldMap[key]
    return [key, hidden.has(key) ? (field ? emptyValue(field) : null) : value] as const
  })
  return deepFreeze(structuredClone(Object.fromEntries(shown)))
}

/** What a validator has answered, and about which document. */
export interface ValidatedDocument {
  readonly document: CollectionModel | GlobalModel
  /** The document as the validator saw it. */
  readonly shown: Values
  readonly concealed: ReadonlySet<string>
  /** The validator, as the log names it. */
  readonly owner: string
}

/**
 * The issues that a validator's answers are. Those about fields that the caller must not know are left out: the caller could do nothing
 * about them.
 *
 * @throws INTERNAL_ERROR for an answer that is none
 */
export function toIssues(judged: ValidatedDocument, answers: readonly ValidatorResult[]): readonly Issue[] {
  const issues = answers.flatMap(({ path, result: answer }) => {
    if (answer === undefined || answer === null) return []
    return (Array.isArray(answer) ? answer : [answer]).map((one) => toIssue(judged, path, one))
  })
  return issues.filter(({ path }) => !judged.concealed.has(path.split('/')[1] ?? ''))
}

function toIssue(judged: ValidatedDocument, base: string, given: unknown): Issue {
  const issue = typeof given === 'string' ? { message: given } : given
  if (!isRecord(issue))
    throw nonsense(judged, 'must answer nothing, a message, or issues: { path, message, code?, params? }')
  const { path = '', message, code = DEFAULT_CODE, params } = issue
  const unknown = Object.keys(issue).find((key) => !ISSUE_KEYS.includes(key))
  if (unknown !== undefined) throw nonsense(judged, `answered an issue with ${unknown}, which no issue has`)
  if (typeof message !== 'string' || message.trim() === '' || message.length > MAX_MESSAGE)
    throw nonsense(judged, `must give each issue a message, of at most ${MAX_MESSAGE} characters`)
  if (!isKey(code)) throw nonsense(judged, `answered the code ${String(code)}; write one like a key, such as tooLate`)
  if (params !== undefined && !isParams(params))
    throw nonsense(
      judged,
      `answered params that are not { name: value } of texts, numbers, booleans and lists of them, or too long`,
    )
  const whole = typeof path === 'string' && path !== '/' ? `${base}${path}` : base
  if (typeof path !== 'string' || !leadsSomewhere(judged, whole))
    throw nonsense(judged, `answered the path ${String(path)}, which leads nowhere; write one such as /title`)
  return { path: whole === '' ? '/' : whole, code, ...(params === undefined ? {} : { params }), message }
}

function isParams(params: unknown): params is NonNullable<Issue['params']> {
  if (!isRecord(params) || !Object.values(params).flat(1).every(isPlain)) return false
  return JSON.stringify(params).length <= MAX_PARAMS
}

const isPlain = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)

/** Whether a path leads to a field, or into its value. */
function leadsSomewhere({ document, shown }: ValidatedDocument, path: string): boolean {
  if (path === '') return true
  const [root, key = '', ...steps] = path.split('/')
  const field = Object.hasOwn(document.fieldMap, key) ? document.fieldMap[key] : undefined
  return root === '' && field !== undefined && leadsInto(field, shown[key], steps)
}

function leadsInto({ type, options }: Field, value: unknown, [step, ...rest]: readonly string[]): boolean {
  if (step === undefined || type.hasFreeKeys) return true
  if (!Array.isArray(value)) return leadsToInner(type.inner?.(options), value, [step, ...rest])
  const held: unknown = /^\d+$/.test(step) ? value[Number(step)] : undefined
  if (held === undefined) return false
  const item = type.item?.(options)
  if (item) return leadsInto(item, held, rest)
  return rest.length === 0 || leadsToInner(type.inner?.(options), held, rest)
}

function leadsToInner(
  inner: readonly InnerFields[] = [],
  value: unknown,
  [key = '', ...rest]: readonly string[],
): boolean {
  const held = isRecord(value) ? value : {}
  const own = inner.find(({ block }) => block === undefined || block === held._type)
  const field = own && Object.hasOwn(own.fields, key) ? own.fields[key] : undefined
  return field !== undefined && leadsInto(field, held[key], rest)
}

const nonsense = ({ document, owner }: ValidatedDocument, fault: string): DaybookError =>
  createHookError(`A validator of ${document.key} (${owner}) ${fault}`)

/** @throws VALIDATION_ERROR when there are issues */
export function requireNoIssues(issues: readonly Issue[]): void {
  if (issues.length > 0) throw validationError(issues)
}
