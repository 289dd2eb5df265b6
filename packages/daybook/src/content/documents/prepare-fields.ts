import { validationErrorAt } from '../../errors.ts'
import {
  type DefaultRule,
  type DeriveTools,
  emptyValue,
  type Field,
  type Generated,
  generatedValues,
  holdsItemKeys,
} from '../../fields/field.ts'
import type { DocumentModel, FieldModel } from '../../model/model.ts'
import { RenderError } from '../markdown/markdown-renderer.ts'
import type { Defaults } from './defaults.ts'
import type { Values } from './document.ts'
import { withItemKeys } from './item-keys.ts'

/** The tools that complete the fields of a write: defaults, generated values and item keys. */
export interface FieldWriteTools extends DeriveTools {
  readonly defaults: Defaults
  /** Returns the stored document in each locale, the written one first; empty for a new document. */
  localeDocuments(): readonly Values[]
}

function getInitialValue(field: Field, path: string, { defaults }: FieldWriteTools): unknown {
  const initial = field.type.default?.(field.options)
  return (
    (typeof initial === 'function' ? defaults.evaluate(field, path, initial as DefaultRule) : initial) ??
    emptyValue(field)
  )
}

interface ValuePlace {
  /** The dotted path of the field. */
  readonly field: string
  /** JSON Pointer (RFC 6901) to the value. */
  readonly path: string
}

type Task = () => Promise<void>

/** Converts a valid value to its stored form. Generated values are left to `tasks`. */
function toCanonicalValue(
  field: Field,
  place: ValuePlace,
  value: unknown,
  tasks: Task[],
  tools: FieldWriteTools,
): unknown {
  // In a localized field, null falls back to another locale, and an empty list does not.
  if (value === null || value === undefined) return field.options.localized === true ? null : emptyValue(field)
  let itemIndex = 0
  let lastPlace = place
  let enclosingPath = place.path
  const converted =
    field.type.walk?.(value, field.options, {
      enter: (_fields, source, index) => {
        if (index !== undefined) enclosingPath = `${place.path}/${index}`
        return source
      },
      value: (inner, innerValue, key) => {
        lastPlace =
          key === ''
            ? { field: place.field, path: `${place.path}/${itemIndex++}` }
            : { field: `${place.field}.${key}`, path: `${enclosingPath}/${key}` }
        const member = innerValue === undefined ? getInitialValue(inner, lastPlace.field, tools) : innerValue
        return toCanonicalValue(inner, lastPlace, member, tasks, tools)
      },
      generated: (generated, container, source) => {
        // Reserves the position, so that keys keep the order of the config.
        container[generated.key] = null
        tasks.push(generate(generated, container, source, lastPlace.path, tools))
      },
    }) ?? value
  return field.type.canonical?.(converted, field.options) ?? converted
}

/** @param path the JSON Pointer to the source of the generated value */
function generate(generated: Generated, container: Values, source: unknown, path: string, tools: DeriveTools): Task {
  return async () => {
    try {
      container[generated.key] =
        'extract' in generated ? generated.extract(container[generated.from]) : await generated.make(source, tools)
    } catch (error) {
      if (error instanceof RenderError)
        throw validationErrorAt(path, 'markdown', `${error.message}. Shorten or simplify it.`)
      throw error
    }
  }
}

/**
 * Prepares the values that a write stores for the fields of its body: defaults, canonical forms, generated values, item keys.
 *
 * @param stored the current document; `undefined` for a new one, which gets every field
 * @throws VALIDATION_ERROR if a text cannot be rendered
 */
export async function prepareFields(
  document: DocumentModel,
  input: Values,
  stored: Values | undefined,
  tools: FieldWriteTools,
): Promise<Values> {
  const prepared: Values = {}
  for (const model of document.fields) {
    const isGiven = Object.hasOwn(input, model.key)
    if (!isGiven && stored) continue
    const value = isGiven ? input[model.key] : getInitialValue(model.field, model.key, tools)
    await prepareField(model, value, prepared, stored, tools)
    const { key, field } = model
    if (holdsItemKeys(field))
      prepared[key] = withItemKeys(
        field,
        prepared[key],
        tools.localeDocuments().map((localeDocument) => localeDocument[key]),
      )
  }
  return prepared
}

async function prepareField(
  { key, field }: FieldModel,
  value: unknown,
  prepared: Values,
  stored: Values | undefined,
  tools: FieldWriteTools,
): Promise<void> {
  const tasks: Task[] = []
  prepared[key] = toCanonicalValue(field, { field: key, path: `/${key}` }, value, tasks, tools)
  for (const generated of generatedValues(key, field)) {
    if (stored?.[generated.key] != null && stored[key] === prepared[key])
      prepared[generated.key] = stored[generated.key]
    else tasks.push(generate(generated, prepared, prepared[key], `/${key}`, tools))
  }
  for (const task of tasks) await task()
}

/** Merges prepared fields into a stored document, in the order of the config. */
export function mergeFields(document: DocumentModel, stored: Values, changes: Values): Values {
  const merged: Values = {}
  for (const { servedKeys } of document.fields) {
    for (const key of servedKeys) merged[key] = (Object.hasOwn(changes, key) ? changes[key] : stored[key]) ?? null
  }
  return merged
}
