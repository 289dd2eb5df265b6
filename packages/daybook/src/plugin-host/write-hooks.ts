import { type Contributor, contributorTitle } from '../config/plugin.ts'
import { CallerContent } from '../content/caller-content.ts'
import type { ContentContext } from '../content/context.ts'
import { getInnerValues, type InnerValue } from '../content/documents/document.ts'
import {
  type ChangeEvent,
  type CheckEvent,
  type DocumentHooks,
  getHookKey,
  type ValidateEvent,
  type ValidatorResult,
  type WriteEvent,
  type WriteHook,
  WriteHooks,
} from '../content/writes/index.ts'
import { type Field, holdsValidator } from '../fields/field.ts'
import type { FieldValidationContext, ValidationContent, ValidationContext } from '../fields/validation.ts'
import type { Log } from '../log.ts'
import type { CollectionModel, FieldModel, GlobalModel, Model } from '../model/model.ts'
import { isFieldShown } from '../show-if.ts'
import { createContributorContext } from './contributor-context.ts'
import type { PluginHooks } from './hooks.ts'

/** The parts of the service that hooks of writes need. */
export interface HookHost {
  readonly model: Model
  readonly log: Log
  context(): ContentContext
  readonly limitMs: number
}

/** Collects the validators, and the hooks of the config and of all plugins that run with a write. Returns `undefined` if there are none. */
export function collectWriteHooks(host: HookHost): WriteHooks | undefined {
  const { model, limitMs } = host
  const documents = new Map<string, DocumentHooks>()
  for (const document of [...model.collections.values(), ...model.globals.values()]) {
    const all = model.contributors.flatMap((contributor) =>
      hooksFor(contributor, document).map((hooks) => toDocumentHooks(host, contributor, document, hooks)),
    )
    const hooks = {
      beforeValidate: all.flatMap((hook) => hook.beforeValidate),
      beforeChange: all.flatMap((hook) => hook.beforeChange),
      validate: toValidators(document, () => host.context()),
    }
    if (Object.values(hooks).some((list) => list.length > 0))
      documents.set(getHookKey(document.kind, document.key), hooks)
  }
  return documents.size > 0 ? new WriteHooks(documents, limitMs) : undefined
}

export type HookedModel = CollectionModel | GlobalModel

/** Returns the hooks of a contributor for a document: those of `*`, those of its key, and those declared in the document. */
export function hooksFor(contributor: Contributor, { kind, key }: HookedModel): readonly AnyHooks[] {
  const { hooks = {}, [`${kind}s` as const]: documents = {} } = contributor
  const { [`${kind}s` as const]: byKey = {} } = hooks as PluginHooks
  const keyed = ['*', key].flatMap((name) => (Object.hasOwn(byKey, name) ? [byKey[name] as AnyHooks] : []))
  const declared = Object.hasOwn(documents, key) ? (documents[key] as { readonly hooks?: AnyHooks }).hooks : undefined
  return declared ? [...keyed, declared] : keyed
}

/** Hooks of a document whose type the compiler does not know. */
export interface AnyHooks {
  readonly beforeValidate?: (event: never) => unknown
  readonly beforeChange?: (event: never) => unknown
  readonly afterCommit?: (event: never) => unknown
}

function toDocumentHooks(
  host: HookHost,
  contributor: Contributor,
  document: HookedModel,
  { beforeValidate, beforeChange }: AnyHooks,
): Omit<DocumentHooks, 'validate'> {
  const owner = contributorTitle(contributor)
  const validate = (event: ValidateEvent): unknown => {
    const { id, data } = event
    const address = document.kind === 'collection' && id !== undefined ? { id } : {}
    return beforeValidate?.({ ...createWriteEvent(host, contributor, document, event), ...address, data } as never)
  }
  const change = (event: ChangeEvent): unknown => {
    const { id, before = null, after = null } = event
    const address = document.kind === 'collection' ? { id } : {}
    return beforeChange?.({
      ...createWriteEvent(host, contributor, document, event),
      ...address,
      before,
      after,
    } as never)
  }
  return {
    beforeValidate: beforeValidate ? [{ owner, run: validate }] : [],
    beforeChange: beforeChange ? [{ owner, run: change }] : [],
  }
}

/** Creates the part of an event that every hook of a write receives. */
function createWriteEvent(
  { context, log }: HookHost,
  contributor: Contributor,
  { kind, key }: HookedModel,
  event: WriteEvent,
) {
  const { action, access, locale, store } = event
  const transactionContext = context().withStore(store)
  return {
    // A global exists before its first write.
    action: kind === 'global' ? 'update' : action,
    [kind]: key,
    locale,
    identity: access.caller.identity,
    content: new CallerContent(transactionContext, () => access),
    ...createContributorContext(contributor, transactionContext, log),
  }
}

/** Returns the validators of a document: those of its fields, in their order, then that of the document. */
function toValidators(document: HookedModel, context: () => ContentContext): readonly WriteHook<CheckEvent>[] {
  const fields = document.fields
    .filter(({ field }) => holdsValidator(field))
    .map(
      (field): WriteHook<CheckEvent> => ({
        owner: `field ${field.key}`,
        run: (event) =>
          event.concealed.has(field.key) ? [] : checkField(field, event, createValidationContext(event, context())),
      }),
    )
  const { validate } = document
  if (!validate) return fields
  const documentHook: WriteHook<CheckEvent> = {
    owner: `${document.kind} ${document.key}`,
    run: async (event): Promise<readonly ValidatorResult[]> => {
      const result = await validate(event.after, createValidationContext(event, context()))
      return [{ path: '', result }]
    },
  }
  return [...fields, documentHook]
}

function createValidationContext(event: CheckEvent, context: ContentContext): ValidationContext {
  const { action, before = null, access, locale, store } = event
  const content = new CallerContent(context.withStore(store), () => access)
  const readOnlyContent: ValidationContent = {
    get: (collection, address, query) => content.get(collection, address, query),
    list: (collection, query) => content.list(collection, query),
    readGlobal: (key, query) => content.readGlobal(key, query),
  }
  return Object.freeze({
    before,
    operation: action === 'create' ? 'create' : 'update',
    identity: access.caller.identity,
    locale,
    content: Object.freeze(readOnlyContent),
  })
}

/** Runs the validators of a field, and of the fields inside it, on each of their values, one after the other. */
async function checkField(
  { key, field }: FieldModel,
  { after }: CheckEvent,
  context: ValidationContext,
): Promise<readonly ValidatorResult[]> {
  const fieldContext: FieldValidationContext = Object.freeze({ ...context, entry: after })
  const results: ValidatorResult[] = []
  for (const { validate, value, path } of listCheckedValues({
    field,
    value: after[key],
    path: `/${key}`,
    siblings: after,
  })) {
    const result = await validate(value, fieldContext)
    results.push({ path, result })
  }
  return results
}

interface CheckedValue {
  readonly validate: NonNullable<Field['options']['validate']>
  readonly value: unknown
  /** JSON Pointer. */
  readonly path: string
}

/**
 * Returns the values in a field that have a validator, the outermost first. Missing values are not validated, nor are those of fields that
 * are not shown.
 */
function listCheckedValues({ field, value, path, siblings }: Omit<InnerValue, 'key'>): readonly CheckedValue[] {
  if (value === null || value === undefined || !holdsValidator(field)) return []
  if (!isFieldShown(field.options.showIf, siblings)) return []
  const { validate } = field.options
  const inner = getInnerValues(field, value, path)
  return [...(validate ? [{ validate, value, path }] : []), ...inner.flatMap(listCheckedValues)]
}
