import type { Access } from '../../content/access/access.ts'
import { mergeFields, type Values } from '../../content/documents/document.ts'
import { draftCanonical, draftRevision } from '../../content/documents/draft-row.ts'
import { formerState } from '../../content/documents/move-document.ts'
import { peopleOf, Revision, withSystem } from '../../content/documents/row.ts'
import { type Engine, personOf } from '../../content/engine.ts'
import { chosenValues, requireLocale } from '../../content/locales/locale.ts'
import { type Canonical, statusIn } from '../../content/locales/localized.ts'
import { publishedPartOf } from '../../content/locales/published-locales.ts'
import { documentTag, project, variantOf } from '../../content/reads/index.ts'
import { DaybookError } from '../../errors.ts'
import { PUBLISHED } from '../../fields/status.ts'
import type { CollectionModel, GlobalModel } from '../../model/model.ts'
import type { VersionQuery } from '../../query/history-query.ts'
import type { LocaleChoice } from '../../query/locale.ts'
import type { VersionRow } from '../../store/reads/history-reader.ts'
import type { Reader } from '../../store/reads/read.ts'
import type { StoredEntry } from '../../store/reads/rows.ts'
import type { PeopleColumns } from '../../store/tables/tables.ts'
import { type HistoryTarget, presentNumbers, publishedOnly, requireHistory } from './history-target.ts'
import { differenceOf, type PatchOperation } from './json-patch.ts'
import { toVersion, type Version } from './versions.ts'

/** A version with its content. */
export interface WholeVersion extends Version {
  /** As a read gives it to this reader; `null`: the change deleted the document, or the content was erased. */
  readonly data: Values | null
}

/** What makes one version of another. */
export interface VersionDifference {
  readonly revision: number
  /** The version that the patch is applied to. */
  readonly against: number
  /** JSON Patch (RFC 6902). */
  readonly patch: readonly PatchOperation[]
}

/** An answer about versions. */
export interface VersionAnswer {
  /** JSON text. */
  readonly json: string
  /** Strong entity tag, with its quotes. */
  readonly tag: string
}

/**
 * Reads one version of a document, or the difference to another one. Fields that the reader may not read are absent, and values of
 * fields that were renamed since stand under their present keys.
 *
 * @param id an entry's id, or a global's key
 * @throws NOT_FOUND, UNAUTHORIZED, FORBIDDEN, VALIDATION_ERROR
 */
export async function readVersion(
  { model, store: { read } }: Engine,
  access: Access,
  document: CollectionModel | GlobalModel,
  { id, revision }: { readonly id: string; readonly revision: number },
  { against, ...locale }: VersionQuery,
): Promise<VersionAnswer> {
  const choice = requireLocale(model, locale, access)
  const load = async (seq: number): Promise<WholeVersion> => {
    const target = await requireHistory(read, access, document, id)
    return loadVersion({ model, read, access, target, choice }, seq)
  }
  const version = await load(revision)
  const answer = against === undefined ? version : toDifference(version, await load(against))
  const json = JSON.stringify(answer)
  return { json, tag: documentTag(revision, variantOf(json)) }
}

/** @throws NOT_FOUND when one of them was erased */
function toDifference(version: WholeVersion, other: WholeVersion): VersionDifference {
  const erased = [version, other].find((one) => one.erased)
  if (erased) throw new DaybookError('NOT_FOUND', `The content of version ${erased.revision} was erased.`)
  return { revision: version.revision, against: other.revision, patch: differenceOf(other.data, version.data) }
}

/** How a version is read. */
interface VersionRead extends Pick<Engine, 'model'> {
  readonly read: Reader
  readonly access: Access
  readonly target: HistoryTarget
  readonly choice: LocaleChoice
}

async function loadVersion(source: VersionRead, seq: number): Promise<WholeVersion> {
  const { read, access, target } = source
  const missing = (): DaybookError =>
    new DaybookError('NOT_FOUND', `There is no version ${seq} of this document that you may read.`)
  const row = await read.history.version(target, seq)
  if (!row) throw missing()
  const hasPeople = access.seesPeople(target.document)
  const version = toVersion(row, hasPeople)
  const statusKey = publishedOnly(target)
  if (row.erased === 1 || row.action === 'delete') {
    if (statusKey !== undefined) throw missing()
    return { ...version, data: null }
  }
  const canonical = contentOf(source, row)
  const isShown = statusKey === undefined || (row.action !== 'draft' && isPublished(source, canonical))
  if (!isShown) throw missing()
  if (!canonical) throw new DaybookError('NOT_FOUND', `The content of version ${seq} is no longer kept.`)
  const { locales } = source.model
  const isPart = statusKey !== undefined && locales !== undefined
  const data = shownTo(source, isPart ? publishedPartOf(target.document, canonical, locales) : canonical)
  return { ...version, data: hasPeople ? { ...data, ...peopleOf(await peopleAt(source, row)) } : data }
}

/** True if a version was published in the locale that is asked for. */
const isPublished = ({ target: { document }, choice }: VersionRead, canonical: Canonical | undefined): boolean =>
  canonical !== undefined && statusIn(document, canonical, choice.locale) === PUBLISHED

/** What a version says in all languages, wherever it lies; `undefined`: it is no longer kept. */
function contentOf({ model, target }: VersionRead, { seq, text }: VersionRow): Canonical | undefined {
  const { document, present } = target
  if (text !== null) return formerState(document, text)
  const numbers = presentNumbers(target)
  if (present && seq === numbers.present) return new Revision(model, document, present).canonical
  if (document.kind === 'global' || seq !== numbers.copy) return undefined
  return draftCanonical(document, draftRevision(model, document, present as StoredEntry))
}

/** A version in the language that is asked for, without what the reader may not read. */
function shownTo({ model, access, target: { document }, choice }: VersionRead, canonical: Canonical): Values {
  const fields = mergeFields(document, {}, chosenValues(model, document, canonical, choice))
  return project(document, withSystem(document, canonical.values, fields), { hidden: access.hidden(document) })
}

/** Who made the document, and who this version of it. */
async function peopleAt({ read, target }: VersionRead, { seq, actor }: VersionRow): Promise<PeopleColumns> {
  const { present } = target
  const isPresent = present?.seq === seq
  const creation = present ? undefined : await read.history.creation(target, seq)
  const created_by = present ? present.created_by : creation ? personOf(creation.actor) : null
  return { created_by, updated_by: isPresent ? present.updated_by : personOf(actor) }
}
