import { validationError, validationErrorAt } from '../../errors.ts'
import { type Field, isRecord, isRequired } from '../../fields/field.ts'
import { createIssue } from '../../issues.ts'
import { AUTHOR_KEYS } from '../../model/authors.ts'
import type { DocumentModel, FieldModel } from '../../model/model.ts'
import { isFieldShown } from '../../show-if.ts'

/** A document's values by served key. */
export type Values = Record<string, unknown>

/** The fields that the caller cannot read, and the body of the write. */
export interface HiddenWrite {
  readonly hidden: ReadonlySet<string>
  readonly input: Values
}

/**
 * Checks that every required field has a value, at any depth. Only the new value of a hidden field is checked, because an error about
 * the stored one would reveal it.
 *
 * @throws VALIDATION_ERROR with one issue for each missing value
 */
export function requireRequiredFields(document: DocumentModel, values: Values, { hidden, input }: HiddenWrite): void {
  const checkedFields = document.fields.filter(({ key }) => !hidden.has(key) || Object.hasOwn(input, key))
  const missing = checkedFields.flatMap((field) =>
    findMissingFields(field, hidden.has(field.key) ? { ...values, [field.key]: input[field.key] } : values),
  )
  const issues = missing.map((path) => createIssue(path, 'required', 'is required'))
  if (issues.length > 0) throw validationError(issues)
}

/** Finds the paths of required fields without a value in a top-level field of a document with these values. */
export const findMissingFields = ({ key, field }: FieldModel, values: Readonly<Values>): readonly string[] =>
  findMissingIn({ field, value: values[key], path: `/${key}`, siblings: values })

function findMissingIn({ field, value, path, siblings }: Omit<InnerValue, 'key'>): readonly string[] {
  if (!isFieldShown(field.options.showIf, siblings)) return []
  if (isEmpty(value)) return isRequired(field) ? [path] : []
  return getInnerValues(field, value, path).flatMap(findMissingIn)
}

/** A value inside a container. */
export interface InnerValue {
  readonly field: Field
  readonly value: unknown
  /** The key; empty for an item of a list. */
  readonly key: string
  /** The JSON Pointer (RFC 6901). */
  readonly path: string
  /** The values of the object that contains it, on which its condition depends. */
  readonly siblings: Readonly<Values>
}

/**
 * Returns the values inside a container. The paths of values in blocks contain the index of the block.
 *
 * @param path the JSON Pointer to the container
 */
export function getInnerValues({ type, options }: Field, container: unknown, path: string): readonly InnerValue[] {
  const inner: InnerValue[] = []
  let enclosingPath = path
  let siblings: Readonly<Values> = {}
  type.walk?.(container, options, {
    enter: (_fields, value, index) => {
      if (index !== undefined) enclosingPath = `${path}/${index}`
      siblings = value
      return value
    },
    value: (field, value, key) => {
      const innerPath = key === '' ? `${path}/${inner.length}` : `${enclosingPath}/${key}`
      inner.push({ field, value, key, path: innerPath, siblings })
      return value
    },
    generated: () => {},
  })
  return inner
}

/** Returns true if a value counts as missing, such as a text of white space. The schemas of required texts agree. */
export const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  (typeof value === 'string' && !/\S/.test(value)) ||
  (Array.isArray(value) && value.length === 0)

/** The rights that decide which keys of a body exist for the caller. */
interface KeyRights {
  readonly absent: ReadonlySet<string>
  readonly hasAuthors: boolean
}

/**
 * Removes the read-only keys from a body.
 *
 * @param rights the rights of the caller, for whom absent fields and values generated from them are unknown keys
 */
export function dropIgnoredKeys(document: DocumentModel, body: unknown, rights: KeyRights): Values {
  if (!isRecord(body)) throw validationErrorAt('/', 'type', 'must be an object of fields', { types: ['object'] })
  const absentKeys = getServedKeys(document, rights.absent)
  const isIgnored = (key: string): boolean =>
    (document.ignoredKeys.has(key) && !absentKeys.has(key)) || (rights.hasAuthors && AUTHOR_KEYS.includes(key))
  return Object.fromEntries(Object.entries(body).filter(([key]) => !isIgnored(key)))
}

/** Returns the keys of top-level fields and of the values generated from them. */
export function getServedKeys(
  { fields, reverseFields }: DocumentModel,
  keys: ReadonlySet<string>,
): ReadonlySet<string> {
  return new Set(
    [...fields, ...reverseFields.values()].filter(({ key }) => keys.has(key)).flatMap(({ servedKeys }) => servedKeys),
  )
}
