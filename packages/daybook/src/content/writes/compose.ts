import type { DocumentModel } from '../../model/model.ts'
import type { Reader } from '../../store/reads/reader.ts'
import type { FieldRights } from '../access/field-access.ts'
import { requireRequiredFields, type Values } from '../documents/document.ts'
import { mergeFields } from '../documents/prepare-fields.ts'
import { getFallbackChain, getLocaleValues, type StoredRevision } from '../documents/row.ts'
import { type CanonicalDocument, writeTranslation } from '../locales/localized.ts'
import { localizeWithStatus } from '../locales/published-locales.ts'
import type { WriteContext } from './context.ts'
import { requireTargets } from './references.ts'

export interface Composition {
  readonly document: DocumentModel
  /** The stored document; `undefined` for a new one. */
  readonly before: StoredRevision | undefined
  /** The document to which the patch is applied. @default the stored one */
  readonly base?: CanonicalDocument
  /** The fields that the write names, in their stored form. */
  readonly patch: Values
  /** The fields of the patch that the caller or a hook has supplied, and that errors may therefore mention. @default all */
  readonly suppliedFields?: Values
  readonly rights: FieldRights
  /** Adds values that depend on other documents, such as a slug. */
  derive(values: Values): Promise<Values>
  /** True if required fields may be empty. @default false */
  readonly isDraft?: boolean
  /** The locales in which required fields must have values. @default the locale that is written */
  readonly requiredIn?: readonly string[] | undefined
}

/** A document as a write will store it. */
export interface ComposedDocument extends Required<Pick<Composition, 'patch' | 'suppliedFields'>> {
  readonly canonical: CanonicalDocument
  readonly isChangedByHook: boolean
}

/**
 * Merges the fields of a write into the stored document.
 *
 * @throws VALIDATION_ERROR if a required field is empty, or the target of a reference does not exist
 */
export async function compose(
  { content, locale, scope }: WriteContext,
  read: Reader,
  composition: Composition,
): Promise<ComposedDocument> {
  const {
    document,
    before,
    base = before?.canonical,
    patch,
    suppliedFields = patch,
    rights,
    isDraft = false,
  } = composition
  const { model } = content
  const merged = base ? mergeFields(document, getLocaleValues(model, document, base, locale), patch) : patch
  const references = { values: merged, suppliedFields, before: before?.references ?? [] }
  const [values] = await both(composition.derive(merged), requireTargets(read, document, references, scope))
  const canonical = writeTranslation(document, base, values, locale, model.locales?.default)
  for (const requiredLocale of isDraft ? [] : (composition.requiredIn ?? [locale])) {
    const localeValues = getValuesInLocale(canonical, document, { content, locale: requiredLocale })
    requireRequiredFields(document, localeValues, { hidden: rights.hidden, input: suppliedFields })
  }
  return { canonical, patch, suppliedFields, isChangedByHook: false }
}

/** Returns the values of a locale, including its fallbacks. */
export function getValuesInLocale(
  canonical: CanonicalDocument,
  document: DocumentModel,
  { content, locale }: Pick<WriteContext, 'content' | 'locale'>,
): Values {
  const { locales } = content.model
  if (!locales || locale === undefined || document.localized.size === 0) return canonical.values
  return localizeWithStatus(document, canonical, locales, locale, getFallbackChain(locales, locale))
}

/** Waits for both promises, even if one rejects: no statement may be running when the transaction ends. */
async function both<A, B>(a: Promise<A>, b: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([a, b])
  return Promise.all([a, b])
}
