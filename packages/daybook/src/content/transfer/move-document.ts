import type { Field, Fields, Visitor } from '../../fields/field.ts'
import { emptyValue, innerFields, isRecord, servedKeys } from '../../fields/field.ts'
import type { DocumentModel } from '../../model/model.ts'
import { toCurrentSchema, type Values } from '../document.ts'
import type { Canonical } from '../locales/localized.ts'
import { toCanonical } from '../writes/row.ts'

/** A document on its way from what an older config wrote to what the present one serves. */
export interface Move {
  readonly values: Values
  /** All that is stored, under its present keys; what has no field any more, too. */
  readonly stored: Values
  /** Dotted paths of fields that got another key. */
  readonly renamed: ReadonlySet<string>
  /** Dotted paths of values that have no place any more. */
  readonly lost: ReadonlySet<string>
}

/** A moved document with its translations, under the new keys of renamed fields. */
export function moveTranslations({ fieldMap }: DocumentModel, values: Values, locales: string | null): Canonical {
  const { translations, ...others } = toCanonical(values, locales)
  const moved = Object.entries(translations).map(([locale, said]) => [
    locale,
    Object.fromEntries(Object.entries(said).map(([path, value]) => [movePath([fieldMap], path.split('/')), value])),
  ])
  return { ...others, translations: Object.fromEntries(moved) }
}

/** The path of a value under the present keys; numbers of items stay as they are. */
function movePath(sets: readonly Fields[], [step, ...rest]: readonly string[]): string {
  if (step === undefined) return ''
  const fields = sets.flatMap((set) => Object.entries(set))
  const isItem = /^\d+$/.test(step)
  // An item of a list stands for the fields inside it.
  const found = isItem ? undefined : findRenamed(fields, step)
  const inner = found ? innerFields(found.field) : isItem ? sets : fields.flatMap(([, field]) => innerFields(field))
  const again =
    !found && !isItem
      ? findRenamed(
          inner.flatMap((set) => Object.entries(set)),
          step,
        )
      : undefined
  const key = found?.key ?? again?.key ?? step
  const tail = movePath(again ? innerFields(again.field) : inner, rest)
  return tail === '' ? key : `${key}/${tail}`
}

function findRenamed(
  fields: readonly (readonly [string, Fields[string]])[],
  step: string,
): { readonly key: string; readonly field: Fields[string] } | undefined {
  for (const [key, field] of fields) {
    if (servedKeys(key, field).includes(step)) return { key: step, field }
    const old = field.options.renamedFrom
    if (old !== undefined && servedKeys(old, field).includes(step)) {
      return { key: step === old ? key : (generatedKey(field, key) ?? key), field }
    }
  }
  return undefined
}

/** Brings a document into the present schema, its renamed fields under their new keys. */
export function moveDocument(
  document: DocumentModel,
  row: { readonly doc: string; readonly orphaned: string | null },
): Move {
  const own = withoutNulls(JSON.parse(row.doc))
  const given = { ...(row.orphaned ? (JSON.parse(row.orphaned) as Values) : {}), ...own }
  const renamed = new Set<string>()
  const moved = moveFields(document.fieldMap, given, '', renamed)
  const values = toCurrentSchema(document, moved)
  const system = [...document.systemKeys.before, ...document.systemKeys.after]
  const before = leavesOf(Object.fromEntries(Object.entries(moved).filter(([key]) => !system.includes(key))))
  const after = leavesOf(values)
  return { values, stored: moved, renamed, lost: new Set([...before].filter((path) => !after.has(path))) }
}

const withoutNulls = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null))

function moveFields(fields: Fields, values: Values, prefix: string, renamed: Set<string>): Values {
  const moved = moveKeys(fields, values, prefix, renamed)
  for (const [key, field] of Object.entries(fields)) {
    const path = `${prefix}${key}`
    const value = adopted(field, moved[key], path, renamed)
    if (value === null || value === undefined) continue
    moved[key] = value
    if (!field.type.accepts(value, field.options)) continue
    moved[key] = field.type.walk?.(value, field.options, renamer(`${path}.`, renamed)) ?? value
  }
  return moved
}

/** The value as the present config has it, where the field takes it over from what it was before. */
function adopted(field: Field, value: unknown, path: string, renamed: Set<string>): unknown {
  if (value === null || value === undefined || field.type.accepts(value, field.options)) return value
  const own = field.type.adopt?.(value, field.options)
  if (own !== undefined) renamed.add(path)
  return own ?? value
}

/** Moves inside containers; what has no field any more stays, so that its loss is seen. */
function renamer(prefix: string, renamed: Set<string>): Visitor {
  return {
    enter: (fields, value) => moveKeys(fields, value, prefix, renamed),
    value: (field, given, key) => {
      const value = adopted(field, given, `${prefix}${key}`, renamed)
      if (value === null || value === undefined) return emptyValue(field)
      return field.type.walk?.(value, field.options, renamer(prefix, renamed)) ?? value
    },
    generated: (generated, copy, _source, stored) => {
      copy[generated.key] = stored ?? null
    },
  }
}

function moveKeys(fields: Fields, values: Readonly<Values>, prefix: string, renamed: Set<string>): Values {
  const moved: Values = { ...values }
  for (const [key, field] of Object.entries(fields)) {
    const old = field.options.renamedFrom
    if (old === undefined || !Object.hasOwn(moved, old) || moved[key] != null) continue
    renamed.add(`${prefix}${key}`)
    const pairs = [
      [old, key],
      [generatedKey(field, old), generatedKey(field, key)],
    ] as const
    for (const [from, to] of pairs) {
      if (from === undefined || to === undefined) continue
      moved[to] = moved[from]
      delete moved[from]
    }
  }
  return moved
}

const generatedKey = (field: Fields[string], key: string): string | undefined =>
  field.type.generated?.(key, field.options)?.key

/** Dotted paths of everything that holds a value; the items of a list share one. */
function leavesOf(value: unknown, path = ''): Set<string> {
  if (value === null || value === undefined) return new Set()
  const inner = Array.isArray(value)
    ? value.map((item) => leavesOf(item, path))
    : isRecord(value)
      ? Object.entries(value).map(([key, one]) => leavesOf(one, path === '' ? key : `${path}.${key}`))
      : [new Set([path])]
  return new Set(inner.flatMap((leaves) => [...leaves]))
}
