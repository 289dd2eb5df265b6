import type { DocumentModel } from '../../model/model.ts'
import type { Reader } from '../../store/reads/read.ts'
import type { FieldRights } from '../access/field-access.ts'
import { mergeFields, requireRequired, type Values } from '../documents/document.ts'
import { chainOf, ownValues, type Revision } from '../documents/row.ts'
import { type Canonical, writeTranslation } from '../locales/localized.ts'
import { showIn } from '../locales/published-locales.ts'
import type { WriteContext } from './context.ts'
import { requireTargets } from './references.ts'

/** The parts of a document that a write stores. */
export interface Composition {
  readonly document: DocumentModel
  /** The stored document; `undefined` for a new one. */
  readonly before: Revision | undefined
  /** The document under the patch. @default the stored one */
  readonly base?: Canonical
  /** The fields that the write names, in their stored form. */
  readonly patch: Values
  /** The fields of the patch that the caller or a hook gives, and so may be told about. @default all */
  readonly given?: Values
  readonly rights: FieldRights
  /** Adds values that depend on other documents, such as a slug. */
  derive(values: Values): Promise<Values>
  /** True if required fields may be empty. @default false */
  readonly isDraft?: boolean
  /** The locales in which required fields must have values. @default the locale that is written */
  readonly requiredIn?: readonly string[] | undefined
}

/** A document as a write will store it. */
export interface ComposedDocument extends Required<Pick<Composition, 'patch' | 'given'>> {
  readonly canonical: Canonical
  /** True if a hook has changed the fields. */
  readonly isChanged: boolean
}

/**
 * Puts the fields of a write over the stored document.
 *
 * @throws VALIDATION_ERROR if a required field is empty, or the target of a reference does not exist
 */
export async function compose(
  { engine, locale, scope }: WriteContext,
  read: Reader,
  composition: Composition,
): Promise<ComposedDocument> {
  const { document, before, base = before?.canonical, patch, given = patch, rights, isDraft = false } = composition
  const { model } = engine
  const merged = base ? mergeFields(document, ownValues(model, document, base, locale), patch) : patch
  const references = { values: merged, given, before: before?.references ?? [] }
  const [values] = await both(composition.derive(merged), requireTargets(read, document, references, scope))
  const canonical = writeTranslation(document, base, values, locale, model.locales?.default)
  for (const required of isDraft ? [] : (composition.requiredIn ?? [locale])) {
    const shown = valuesInLocale(canonical, document, { engine, locale: required })
    requireRequired(document, shown, { hidden: rights.hidden, given })
  }
  return { canonical, patch, given, isChanged: false }
}

/** Returns the values that a locale shows: its own, and those that it falls back to. */
export function valuesInLocale(
  canonical: Canonical,
  document: DocumentModel,
  { engine, locale }: Pick<WriteContext, 'engine' | 'locale'>,
): Values {
  const { locales } = engine.model
  if (!locales || locale === undefined || document.localized.size === 0) return canonical.values
  return showIn(document, canonical, locales, locale, chainOf(locales, locale))
}

/** Waits for both, also when one fails: no statement may be under way when the transaction ends. */
async function both<A, B>(a: Promise<A>, b: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([a, b])
  return Promise.all([a, b])
}
