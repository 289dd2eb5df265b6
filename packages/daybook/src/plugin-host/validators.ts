import type { CallerContent } from '../content/caller-content.ts'
import { innerValues } from '../content/document.ts'
import type { CheckEvent, ValidatorAnswer, WriteHook } from '../content/hooks.ts'
import { type Field, holdsValidator } from '../fields/field.ts'
import type { FieldValidationContext, ValidationContent, ValidationContext } from '../fields/validation.ts'
import type { CollectionModel, FieldModel, GlobalModel } from '../model/model.ts'

/** Content with the rights of the caller, in the transaction. */
type ContentOf = (event: CheckEvent) => CallerContent

/** The validators of a document: those of its fields, in their order, then its own. */
export function toValidators(
  document: CollectionModel | GlobalModel,
  contentOf: ContentOf,
): readonly WriteHook<CheckEvent>[] {
  const fields = document.fields
    .filter(({ field }) => holdsValidator(field))
    .map(
      (field): WriteHook<CheckEvent> => ({
        owner: `field ${field.key}`,
        run: (event) => (event.concealed.has(field.key) ? [] : checkField(field, event, contextOf(event, contentOf))),
      }),
    )
  const { validate } = document
  if (!validate) return fields
  const own: WriteHook<CheckEvent> = {
    owner: `${document.kind} ${document.key}`,
    run: async (event): Promise<readonly ValidatorAnswer[]> => {
      const answer = await validate(event.after, contextOf(event, contentOf))
      return [{ path: '', answer }]
    },
  }
  return [...fields, own]
}

function contextOf(event: CheckEvent, contentOf: ContentOf): ValidationContext {
  const { action, before = null, access, locale } = event
  return Object.freeze({
    before,
    operation: action === 'create' ? 'create' : 'update',
    identity: access.caller.identity,
    locale,
    content: readOnly(contentOf(event)),
  })
}

/** Content that can only be read. */
function readOnly(content: CallerContent): ValidationContent {
  return Object.freeze({
    get: (collection, address, query) => content.get(collection, address, query),
    list: (collection, query) => content.list(collection, query),
    readGlobal: (key, query) => content.readGlobal(key, query),
  } satisfies ValidationContent)
}

/** Asks the validators of a field, and of what is inside it, about each of their values, one after the other. */
async function checkField(
  { key, field }: FieldModel,
  { after }: CheckEvent,
  context: ValidationContext,
): Promise<readonly ValidatorAnswer[]> {
  const told: FieldValidationContext = Object.freeze({ ...context, entry: after })
  const answers: ValidatorAnswer[] = []
  for (const { validate, value, path } of checkedValues(field, after[key], `/${key}`)) {
    const answer = await validate(value, told)
    answers.push({ path, answer })
  }
  return answers
}

/** A value with the function that checks it. */
interface CheckedValue {
  readonly validate: NonNullable<Field['options']['validate']>
  readonly value: unknown
  /** JSON Pointer. */
  readonly path: string
}

/** The values in a field that are to be checked, itself first. A validator is not asked about a value that is not there. */
function checkedValues(field: Field, value: unknown, path: string): readonly CheckedValue[] {
  if (value === null || value === undefined || !holdsValidator(field)) return []
  const { validate } = field.options
  const found: CheckedValue[] = validate ? [{ validate, value, path }] : []
  for (const inner of innerValues(field, value, path))
    found.push(...checkedValues(inner.field, inner.value, inner.path))
  return found
}
