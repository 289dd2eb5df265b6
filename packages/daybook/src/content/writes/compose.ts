import type { DocumentModel } from '../../model/model.ts'
import type { Reader } from '../../store/reads/read.ts'
import type { FieldRights } from '../access/field-access.ts'
import { mergeFields, requireRequired, type Values } from '../document.ts'
import { type Canonical, writeTranslation } from '../locales/localized.ts'
import { showIn } from '../locales/published-locales.ts'
import type { WriteContext } from './context.ts'
import { requireTargets } from './references.ts'
import { ownValues, type Revision } from './revision.ts'
import { chainOf } from './row.ts'

/** What a write makes of a document. */
export interface Composition {
  readonly document: DocumentModel
  /** What is stored; `undefined` for a new document. */
  readonly before: Revision | undefined
  /** What the patch is put over. @default what is stored */
  readonly base?: Canonical
  /** The fields that the write names, in the form in which they are stored. */
  readonly patch: Values
  /** Those of them that are the writer's own. @default all */
  readonly given?: Values
  readonly rights: FieldRights
  /** Makes what the values lack, such as a slug. */
  derive(values: Values): Promise<Values>
  /** Whether required fields may be empty. @default false */
  readonly isDraft?: boolean
  /** The locales in which required fields must hold something. @default the locale that is written */
  readonly requiredIn?: readonly string[] | undefined
}

/**
 * A document as a write makes it.
 *
 * @throws VALIDATION_ERROR when a required field is empty, or a reference leads nowhere
 */
export async function compose(
  { engine, locale, scope }: WriteContext,
  read: Reader,
  {
    document,
    before,
    base = before?.canonical,
    patch,
    given = patch,
    rights,
    derive,
    isDraft = false,
    requiredIn,
  }: Composition,
): Promise<Canonical> {
  const { model } = engine
  const merged = base ? mergeFields(document, ownValues(model, document, base, locale), patch) : patch
  const references = { values: merged, given, before: before?.references ?? [] }
  const [values] = await both(derive(merged), requireTargets(read, document, references, scope))
  const canonical = writeTranslation(document, base, values, locale, model.locales?.default)
  if (isDraft) return canonical
  for (const shown of requiredIn ?? [locale])
    requireRequired(document, valuesInLocale(canonical, document, { engine, locale: shown }), {
      hidden: rights.hidden,
      given,
    })
  return canonical
}

/** What the locale shows must hold every required field: its own values, and those that it falls back to. */
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
