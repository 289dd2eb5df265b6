import { deepFreeze } from '../../deep-freeze.ts'
import { type DaybookError, validationError } from '../../errors.ts'
import { emptyValue, type Field, type InnerFields, isRecord } from '../../fields/field.ts'
import { isKey } from '../../fields/option-rules.ts'
import { formatIssueMessage, type Issue } from '../../issues.ts'
import type { CollectionModel, GlobalModel } from '../../model/model.ts'
import type { FieldRights } from '../access/field-access.ts'
import { getServedKeys, type Values } from '../documents/document.ts'
import { createHookError, type ValidatorResult } from './hooks.ts'

/** The maximum length of an issue's message, in characters. */
const MAX_MESSAGE = 1000
const DEFAULT_CODE = 'validate'
const ISSUE_KEYS: readonly string[] = ['path', 'message', 'code', 'params']
/** The maximum size of an issue's params, in characters of JSON. */
const MAX_PARAMS = 2000

/**
 * Returns the fields whose values validators must not see: those that the caller may neither read nor has supplied. The caller receives the
 * messages of validators, which could reveal these values.
 */
export function findConcealedFields({ hidden, absent }: FieldRights, suppliedFields: Values): ReadonlySet<string> {
  return new Set([...hidden].filter((key) => absent.has(key) || !Object.hasOwn(suppliedFields, key)))
}

/** Returns a frozen copy of a document for validators, in which concealed fields are empty. */
export function concealValues(
  document: CollectionModel | GlobalModel,
  values: Values,
  concealed: ReadonlySet<string>,
): Values {
  const hidden = getServedKeys(document, concealed)
  const entries = Object.entries(values).map(([key, value]) => {
    const field = document.fieldMap[key]
    return [key, hidden.has(key) ? (field ? emptyValue(field) : null) : value] as const
  })
  return deepFreeze(structuredClone(Object.fromEntries(entries)))
}

export interface ValidatedDocument {
  readonly document: CollectionModel | GlobalModel
  readonly values: Values
  readonly concealed: ReadonlySet<string>
  /** The validator, as the log names it. */
  readonly owner: string
}

/**
 * Converts the results of a validator to issues. Issues about concealed fields are dropped, since the caller could not fix them.
 *
 * @throws INTERNAL_ERROR for an invalid result
 */
export function toIssues(validated: ValidatedDocument, results: readonly ValidatorResult[]): readonly Issue[] {
  const issues = results.flatMap(({ path, result }) => {
    if (result === undefined || result === null) return []
    return (Array.isArray(result) ? result : [result]).map((item) => toIssue(validated, path, item))
  })
  return issues.filter(({ path }) => !validated.concealed.has(path.split('/')[1] ?? ''))
}

function toIssue(validated: ValidatedDocument, base: string, item: unknown): Issue {
  const issue = typeof item === 'string' ? { message: item } : item
  if (!isRecord(issue))
    throw createValidatorError(
      validated,
      'must return nothing, a message, or issues: { path, message, code?, params? }',
    )
  const { path = '', message, code = DEFAULT_CODE, params } = issue
  const unknown = Object.keys(issue).find((key) => !ISSUE_KEYS.includes(key))
  if (unknown !== undefined)
    throw createValidatorError(validated, `returned an issue with an unknown member ${unknown}`)
  if (typeof message !== 'string' || message.trim() === '' || message.length > MAX_MESSAGE)
    throw createValidatorError(validated, `must give each issue a message, of at most ${MAX_MESSAGE} characters`)
  if (!isKey(code))
    throw createValidatorError(validated, `returned the code ${String(code)}. Use a code like a key, such as tooLate`)
  if (params !== undefined && !isParams(params))
    throw createValidatorError(
      validated,
      `returned params that are not { name: value } of texts, numbers, booleans and lists of them, or too long`,
    )
  const fullPath = typeof path === 'string' && path !== '/' ? `${base}${path}` : base
  if (typeof path !== 'string' || !isPath(validated, fullPath))
    throw createValidatorError(
      validated,
      `returned the path ${String(path)}, which does not exist. Use a path such as /title`,
    )
  const text = formatIssueMessage(fullPath, message)
  return { path: fullPath === '' ? '/' : fullPath, code, ...(params === undefined ? {} : { params }), message: text }
}

function isParams(params: unknown): params is NonNullable<Issue['params']> {
  if (!isRecord(params) || !Object.values(params).flat(1).every(isPrimitive)) return false
  return JSON.stringify(params).length <= MAX_PARAMS
}

const isPrimitive = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)

/** Returns true if a path names a field, or a part of its value. */
function isPath({ document, values }: ValidatedDocument, path: string): boolean {
  if (path === '') return true
  const [root, key = '', ...steps] = path.split('/')
  const field = Object.hasOwn(document.fieldMap, key) ? document.fieldMap[key] : undefined
  return root === '' && field !== undefined && isPathInto(field, values[key], steps)
}

function isPathInto({ type, options }: Field, value: unknown, [step, ...rest]: readonly string[]): boolean {
  if (step === undefined || type.hasFreeKeys) return true
  if (!Array.isArray(value)) return isPathIntoFields(type.inner?.(options), value, [step, ...rest])
  const element: unknown = /^\d+$/.test(step) ? value[Number(step)] : undefined
  if (element === undefined) return false
  const item = type.item?.(options)
  if (item) return isPathInto(item, element, rest)
  return rest.length === 0 || isPathIntoFields(type.inner?.(options), element, rest)
}

function isPathIntoFields(
  inner: readonly InnerFields[] = [],
  value: unknown,
  [key = '', ...rest]: readonly string[],
): boolean {
  const record = isRecord(value) ? value : {}
  const fields = inner.find(({ block }) => block === undefined || block === record._type)
  const field = fields && Object.hasOwn(fields.fields, key) ? fields.fields[key] : undefined
  return field !== undefined && isPathInto(field, record[key], rest)
}

const createValidatorError = ({ document, owner }: ValidatedDocument, problem: string): DaybookError =>
  createHookError(`A validator of ${document.key} (${owner}) ${problem}`)

/** @throws VALIDATION_ERROR if there are issues */
export function requireNoIssues(issues: readonly Issue[]): void {
  if (issues.length > 0) throw validationError(issues)
}
