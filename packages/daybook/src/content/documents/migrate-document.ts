import { emptyValue, type Field, type Fields, innerFields, servedKeys, type Visitor } from '../../fields/field.ts'
import type { DocumentModel } from '../../model/model.ts'
import { decodeState } from '../../store/journal.ts'
import type { CanonicalDocument } from '../locales/localized.ts'
import type { Values } from './document.ts'
import {
  findUnplacedValues,
  pickUnplaced,
  toCurrentSchema,
  type UnplacedValue,
  withOrphanedValues,
  withUnplaced,
} from './orphaned-values.ts'
import { toCanonical, withSystemKeys } from './row.ts'

export interface MigratedDocument {
  readonly values: Values
  /** All stored values under their current keys, including those without a field. */
  readonly stored: Values
  /** The dotted paths of renamed and converted fields. */
  readonly renamed: ReadonlySet<string>
  /** The stored values without a place in the config, by top-level key; of a group, the part without one. */
  readonly hidden: Values
  /** The single values in `hidden`, at any depth. */
  readonly lost: readonly UnplacedValue[]
}

/** Returns true if the stored value of a top-level field, or one inside it, is invalid. */
export const isRefusedField = ({ lost }: Pick<MigratedDocument, 'lost'>, key: string): boolean =>
  lost.some((unplaced) => 'refused' in unplaced && unplaced.path.split('.')[0] === key)

/** Returns the values that migration functions of the config receive, including those without a place in the config. */
export function getValuesToMigrate({ fields }: DocumentModel, values: Values, hidden: Values): Values {
  // The status column counts, not the document.
  const statusKey = fields.find(({ field }) => field.type.role === 'status')?.key
  const visible = Object.entries(hidden).filter(([key]) => key !== statusKey)
  return structuredClone(withUnplaced(values, Object.fromEntries(visible)))
}

/** Moves the translations of a document to the new keys of renamed fields. */
export function migrateTranslations(
  { fieldMap }: DocumentModel,
  values: Values,
  locales: string | null,
): CanonicalDocument {
  const { translations, ...rest } = toCanonical(values, locales)
  const movedTranslations = Object.entries(translations).map(([locale, translation]) => [
    locale,
    Object.fromEntries(
      Object.entries(translation).map(([path, value]) => [moveSteps([fieldMap], path.split('/')).join('/'), value]),
    ),
  ])
  return { ...rest, translations: Object.fromEntries(movedTranslations) }
}

/** Translates the path of a value to the current keys. Steps to list items stay unchanged. */
function moveSteps(sets: readonly Fields[], [step, ...rest]: readonly string[]): readonly string[] {
  if (step === undefined) return []
  const fields = sets.flatMap((set) => Object.entries(set))
  const target = findRenamed(fields, step)
  return target ? [target.key, ...moveInside(target.field, rest)] : [step, ...rest]
}

function moveInside(field: Field, steps: readonly string[]): readonly string[] {
  const { type, options } = field
  if (steps.length === 0) return []
  if (type.isGroup) return moveSteps(innerFields(field), steps)
  const [itemStep = '', ...rest] = steps
  const item = type.item?.(options)
  return [itemStep, ...(item ? moveInside(item, rest) : moveSteps(innerFields(field), rest))]
}

function findRenamed(
  fields: readonly (readonly [string, Fields[string]])[],
  step: string,
): { readonly key: string; readonly field: Fields[string] } | undefined {
  for (const [key, field] of fields) {
    if (servedKeys(key, field).includes(step)) return { key: step, field }
    const formerKey = field.options.renamedFrom
    const oldIndex = formerKey === undefined ? -1 : servedKeys(formerKey, field).indexOf(step)
    if (oldIndex >= 0) return { key: servedKeys(key, field)[oldIndex] ?? key, field }
  }
  return undefined
}

/** Converts a document to the current schema, with renamed fields under their new keys. */
export function migrateDocument(
  document: DocumentModel,
  row: { readonly doc: string; readonly orphaned: string | null },
): MigratedDocument {
  const stored = withoutNulls(withOrphanedValues(JSON.parse(row.doc), row.orphaned))
  const renamed = new Set<string>()
  const moved = moveFields(document.fieldMap, stored, '', renamed)
  const values = toCurrentSchema(document, moved)
  const hidden = pickUnplaced(document, moved)
  return { values, stored: moved, renamed, hidden, lost: findUnplacedValues(document, hidden) }
}

const withoutNulls = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null))

function moveFields(fields: Fields, values: Values, prefix: string, renamed: Set<string>): Values {
  const moved = moveKeys(fields, values, prefix, renamed)
  for (const [key, field] of Object.entries(fields)) {
    const path = `${prefix}${key}`
    const value = convertFormer(field, moved[key], path, renamed)
    if (value === null || value === undefined) continue
    moved[key] = value
    if (!field.type.accepts(value, field.options)) continue
    moved[key] = field.type.walk?.(value, field.options, createRenamer(`${path}.`, renamed)) ?? value
  }
  return moved
}

/** Converts the value of a field's former type if the field supports that. */
function convertFormer(field: Field, value: unknown, path: string, renamed: Set<string>): unknown {
  if (value === null || value === undefined || field.type.accepts(value, field.options)) return value
  const converted = field.type.convertFormer?.(value, field.options)
  if (converted !== undefined) renamed.add(path)
  return converted ?? value
}

/** Creates a visitor that renames inside containers. Values without a field stay, so that their loss is reported. */
function createRenamer(prefix: string, renamed: Set<string>): Visitor {
  return {
    keepsUnknownKeys: true,
    enter: (fields, value) => moveKeys(fields, value, prefix, renamed),
    value: (field, formerValue, key) => {
      const value = convertFormer(field, formerValue, `${prefix}${key}`, renamed)
      if (value === null || value === undefined) return emptyValue(field)
      return field.type.walk?.(value, field.options, createRenamer(prefix, renamed)) ?? value
    },
    generated: (generated, container, _source, stored) => {
      container[generated.key] = stored ?? null
    },
  }
}

function moveKeys(fields: Fields, values: Readonly<Values>, prefix: string, renamed: Set<string>): Values {
  const moved: Values = { ...values }
  for (const [key, field] of Object.entries(fields)) {
    const formerKey = field.options.renamedFrom
    if (formerKey === undefined || !Object.hasOwn(moved, formerKey) || moved[key] != null) continue
    renamed.add(`${prefix}${key}`)
    const newKeys = servedKeys(key, field)
    servedKeys(formerKey, field).forEach((from, index) => {
      const to = newKeys[index]
      if (to === undefined || !Object.hasOwn(moved, from)) return
      moved[to] = moved[from]
      delete moved[from]
    })
  }
  return moved
}

/**
 * Reads a former state of a document from the journal, converted to the current config.
 *
 * @param text an argument of {@link decodeState}
 */
export function readFormerState(document: DocumentModel, text: string): CanonicalDocument {
  const { values: stored, locales, orphaned } = decodeState(text)
  const { values } = migrateDocument(document, { doc: JSON.stringify(stored), orphaned })
  return migrateTranslations(document, withSystemKeys(document, stored, values), locales)
}
