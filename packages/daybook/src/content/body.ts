import type { Caller } from '../auth/adapter.ts'
import { invalid } from '../errors.ts'
import type { DocumentModel } from '../model/model.ts'
import { makeValidator, type Validator } from '../model/validator.ts'
import { unknownFields } from './access.ts'
import { type Values, withoutIgnored } from './document.ts'
import { refuseHostile } from './json.ts'

const validators = new WeakMap<object, Validator>()

function validatorOf(schema: object): Validator {
  const known = validators.get(schema) ?? makeValidator(schema as Parameters<typeof makeValidator>[0])
  validators.set(schema, known)
  return known
}

/**
 * Checks a body against the schema of what it is to do, and drops what is read-only.
 *
 * @param isPartial the body is to be merged, so that required fields may be missing inside of it
 * @throws VALIDATION_ERROR with one issue for each fault
 */
export function checkBody(
  document: DocumentModel,
  side: 'create' | 'update',
  body: unknown,
  caller: Caller,
  hidden: ReadonlySet<string>,
  { isPartial = false }: { readonly isPartial?: boolean } = {},
): Values {
  refuseHostile(body)
  const input = normalized(document, withoutIgnored(document, body))
  const issues = [...unknownFields(document, caller, hidden, input), ...validatorOf(document.schemas[side])(input)]
  // Part of a document may leave out what the whole one must have.
  const said = isPartial ? issues.filter(({ code }) => code !== 'required') : issues
  if (said.length > 0) throw invalid(said)
  return input
}

/** Texts whose type compares them in one Unicode form are brought into it before they are checked. */
function normalized(document: DocumentModel, input: Values): Values {
  const entries = Object.entries(input).map(([key, value]) => {
    const isNormal = typeof value !== 'string' || document.fieldMap[key]?.type.role !== 'slug'
    return [key, isNormal ? value : value.normalize('NFC')] as const
  })
  return Object.fromEntries(entries)
}
