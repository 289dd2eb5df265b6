import { DRAFT_KEYS } from '../../fields/status.ts'
import type { CollectionModel, Model } from '../../model/model.ts'
import type { LocaleChoice } from '../../query/locale.ts'
import type { Reader } from '../../store/reads/read.ts'
import type { EntryRow, StoredEntry } from '../../store/reads/rows.ts'
import type { ScheduledTime } from '../../store/records/schedules.ts'
import { mergeFields, type Values } from '../documents/document.ts'
import { draftCanonical, draftRevision } from '../documents/draft-row.ts'
import { textOrNull, withSystem } from '../documents/row.ts'
import type { Engine } from '../engine.ts'
import { chosenValues } from '../locales/locale.ts'
import type { Canonical } from '../locales/localized.ts'
import { publishedLocalesOf } from '../locales/published-locales.ts'
import type { EntryAnswer } from './answer.ts'
import { variantOf } from './etags.ts'
import { type Projection, toEntryAnswer } from './present.ts'

/** An entry as its working copy has it, in the language that is asked for, with what only reads of working copies say. */
export interface ShownDraft {
  readonly row: EntryRow & { readonly slug: string | null }
  /** By {@link DRAFT_KEYS}. */
  readonly about: Values
}

/** Shows entries as their working copies have them. */
export function showDraft(
  { model }: Pick<Engine, 'model'>,
  collection: CollectionModel,
  entry: StoredEntry,
  choice: LocaleChoice,
  times: readonly ScheduledTime[],
): ShownDraft {
  const own = model.collections.get(collection.key) ?? collection
  const revision = draftRevision(model, own, entry)
  const canonical = draftCanonical(own, revision)
  const fields = mergeFields(own, {}, chosenValues(model, own, canonical, choice))
  const { id, seq, created_by, updated_by } = revision.row
  const status = own.status ? textOrNull(fields[own.status.key]) : revision.row.status
  const slug = own.slug && fields[own.slug.key]
  const doc = JSON.stringify(withSystem(own, canonical.values, fields))
  const row = { id, seq, status, created_by, updated_by, schema_hash: collection.schemaHash, orphaned: null, doc }
  return {
    row: { ...row, slug: typeof slug === 'string' ? slug : null },
    about: aboutDraft(model, own, canonical, entry, times),
  }
}

function aboutDraft(
  { locales }: Model,
  collection: CollectionModel,
  canonical: Canonical,
  { id, draft }: StoredEntry,
  times: readonly ScheduledTime[],
): Values {
  const timeOf = (action: ScheduledTime['action']): string | null =>
    times.find((one) => one.id === id && one.action === action)?.at ?? null
  return {
    hasDraft: draft !== null,
    publishAt: timeOf('publish'),
    unpublishAt: timeOf('unpublish'),
    publishedLocales: locales ? publishedLocalesOf(collection, canonical, locales) : null,
  }
}

/** An entry's text with what only reads of working copies say, behind all else. */
export const putAbout = (text: string, about: Values): string =>
  `${text.slice(0, -1)},${JSON.stringify(about).slice(1)}`

/**
 * The tag of an answer that says more than the one that has this tag. The status is the entry's: it changes without the working
 * copy.
 */
export function draftTag(tag: string, { row: { status }, about }: ShownDraft): string {
  const [revision, variant] = tag.slice(1, -1).split('.')
  return `"${revision}.${variantOf(variant, status, ...DRAFT_KEYS.map((key) => about[key]))}"`
}

/** The answer to a write of a working copy. */
export async function draftAnswer(
  { engine, locale }: { readonly engine: Engine; readonly locale: string | undefined },
  read: Reader,
  collection: CollectionModel,
  entry: StoredEntry,
  projection: Projection,
): Promise<EntryAnswer> {
  const choice = { locale, chain: undefined, isAll: false }
  const times = await read.schedules.of(collection.key, [entry.id])
  const shown = (locale === undefined ? undefined : collection.byLocale.get(locale)) ?? collection
  const draft = showDraft(engine, shown, entry, choice, times)
  const answer = toEntryAnswer(shown, draft.row, projection)
  return { ...answer, json: putAbout(answer.json, draft.about), tag: draftTag(answer.tag, draft) }
}
