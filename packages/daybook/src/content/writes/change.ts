import { isRecord } from '../../fields/field.ts'
import type { CollectionModel, DocumentModel, GlobalModel } from '../../model/model.ts'
import type { AccessFilter } from '../../query/where.ts'
import type { Reader } from '../../store/reads/read.ts'
import type { Writer } from '../../store/writes/write.ts'
import {
  type FieldRights,
  fieldRights,
  isBlind,
  refuseBlindMerge,
  requireWritable,
  withoutUnwritable,
} from '../access/field-access.ts'
import { settleFields, type Values } from '../document.ts'
import { type Preconditions, requirePreconditions } from '../etags.ts'
import type { Canonical } from '../locales/localized.ts'
import { refuseHostile } from '../plain-json.ts'
import { project, tagOf } from '../reads/present.ts'
import { checkBody, checkKeys } from './body.ts'
import { compose } from './compose.ts'
import { settleTools, type WriteContext } from './context.ts'
import { mergePatch } from './merge-patch.ts'
import { type CheckedWrite, type PreparedWrite, StaleWrite, type WriteTransaction } from './pipeline.ts'
import type { Revision, StoredColumns } from './revision.ts'
import { type HookedChange, type HookedDocument, hooksFor, runBeforeChange, runBeforeValidate } from './run-hooks.ts'

/** How a change is made. */
export interface UpdateOptions extends Preconditions {
  /** Merge inside objects, too (RFC 7396), instead of replacing them. @default false */
  readonly isMerge?: boolean
  /** It waits together with many others: the document is not kept in memory, but read again. @default false */
  readonly isOneOfMany?: boolean
  /** It is a working copy: it may lack what is required, and no hook takes part. @default false */
  readonly isDraft?: boolean
}

/** A document to change: an entry, or a global. */
export interface ChangeTarget<Row extends StoredColumns, Result> {
  readonly document: CollectionModel | GlobalModel
  /** An entry's id, or a global's key. */
  readonly id: string
  /** Whether a change must say which version it is based on. */
  readonly isMatchRequired: boolean
  /** @throws NOT_FOUND, UNAUTHORIZED, FORBIDDEN */
  load(read: Reader): Promise<Row>
  parse(row: Row): Revision<Row>
  /**
   * Asks whether the document may be changed as it is; a rule is asked once about a revision.
   *
   * @throws UNAUTHORIZED, FORBIDDEN
   */
  requireChange(read: Reader, revision: Revision<Row>): Promise<void>
  /**
   * Asks whether the document may become what the change makes of it.
   *
   * @returns what it must hold, which only the stored document shows
   * @throws UNAUTHORIZED, FORBIDDEN
   */
  allowResult(revision: Revision<Row>, patch: Values): Promise<AccessFilter | undefined>
  derive(read: Reader, values: Values): Promise<Values>
  /** Stores what the change makes of the document, unless it is the same. */
  store(writer: Writer, revision: Revision<Row>, next: NextRevision, rights: FieldRights): Promise<Result>
}

/** What a change makes of a document. */
export interface NextRevision {
  readonly canonical: Canonical
  /** The fields that the change names, in the form in which they are stored. */
  readonly patch: Values
  /** Whether it is left as it is when nothing changes: not where that would tell of a value that the caller may not read. */
  readonly mayBeSame: boolean
  /** What the stored document must hold. */
  readonly filter: AccessFilter | undefined
}

/**
 * Checks what the body of a change says, before the document is looked for.
 *
 * @returns the rest of its preparation, see {@link ChangeOf}
 * @throws VALIDATION_ERROR
 */
export function checkChange<Row extends StoredColumns, Result>(
  context: WriteContext,
  target: ChangeTarget<Row, Result>,
  body: unknown,
  options: UpdateOptions,
): CheckedWrite<Result> {
  const prepare = checkChangeOf(context, target.document, body, options)
  return () => prepare(target)
}

/**
 * Prepares a checked change for one document.
 *
 * @throws VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN, NOT_FOUND, PRECONDITION_REQUIRED; PRECONDITION_FAILED with
 * `details.current`
 */
export type ChangeOf = <Row extends StoredColumns, Result>(
  target: ChangeTarget<Row, Result>,
) => Promise<PreparedWrite<Result>>

/**
 * Checks what the body of a change says that may be made of many documents of a kind.
 *
 * @throws VALIDATION_ERROR
 */
export function checkChangeOf(
  context: WriteContext,
  document: CollectionModel | GlobalModel,
  body: unknown,
  options: UpdateOptions,
): ChangeOf {
  const { isMerge = false, isDraft = false } = options
  const rights = fieldRights(document, context.access)
  const hooked = isDraft ? undefined : hooksFor(context, document, 'beforeValidate')
  const given = hooked ? readNamed(document, body, rights, isMerge) : readGiven(document, body, rights, options)
  return (target) => prepareChecked(context, target, { body, given, hooked, rights, options })
}

/** A change whose body is right by itself. */
interface CheckedChange {
  readonly body: unknown
  /** The fields that the body names. */
  readonly given: Values
  readonly hooked: HookedDocument | undefined
  readonly rights: FieldRights
  readonly options: UpdateOptions
}

async function prepareChecked<Row extends StoredColumns, Result>(
  context: WriteContext,
  target: ChangeTarget<Row, Result>,
  { body, given, hooked, rights, options }: CheckedChange,
): Promise<PreparedWrite<Result>> {
  const { document } = target
  const { engine, access, locale } = context
  const { isMerge = false, isDraft = false } = options
  const { read } = engine.store
  const found = target.parse(await target.load(read))
  await target.requireChange(read, found)
  requireCurrent(target, found, rights, options)
  // A hidden value decides nothing: neither what a patch means, nor which texts are rendered again.
  const before = isStoredRevision(found) ? project(document, found.own(locale), rights) : undefined
  let input = isMerge && !hooked ? mergedInput(document, before ?? {}, body, rights, sideOf(options)) : given
  if (hooked) input = await hookedInput(context, hooked, target.id, { given, before, isMerge, rights })
  const own = withoutUnwritable(document, access, input, before)
  const patch = await settleFields(document, own, before, settleTools(context, document, found.canonical))
  const filter = await target.allowResult(found, patch)
  const kept = options.isOneOfMany ? undefined : found
  const write = { seq: found.row.seq, found: kept, own, patch, rights, filter, options }
  return {
    isAlone: !isDraft && hooksFor(context, document, 'beforeChange', 'validate') !== undefined,
    ...(options.isOneOfMany ? { size: JSON.stringify(patch).length } : {}),
    commit: (transaction) => commitChange(context, target, write, transaction),
  }
}

/** A change that is ready to be stored. */
interface ReadyChange<Row extends StoredColumns> {
  /** The revision that it was made from; 0: a global that was never written. */
  readonly seq: number
  /** The same, where it is kept. */
  readonly found: Revision<Row> | undefined
  /** The fields that the caller names. */
  readonly own: Values
  /** The same in the form in which they are stored, with what is made from them. */
  readonly patch: Values
  readonly rights: FieldRights
  readonly filter: AccessFilter | undefined
  readonly options: UpdateOptions
}

async function commitChange<Row extends StoredColumns, Result>(
  context: WriteContext,
  target: ChangeTarget<Row, Result>,
  { seq, found, own, patch, rights, filter, options }: ReadyChange<Row>,
  transaction: WriteTransaction,
): Promise<Result> {
  const { document } = target
  const { writer } = transaction
  const row = await target.load(writer.read)
  const stored = found?.updated(row) ?? target.parse(row)
  const isOther = row.seq !== seq
  await target.requireChange(writer.read, stored)
  requireCurrent(target, stored, rights, options)
  // What the patch means was made of what was found, and so were the defaults of a first write.
  if (isOther && (options.isMerge || seq === 0)) throw new StaleWrite()
  if (!isStoredRevision(stored)) requireWritable(document, patch, rights, context.access)
  const derive = (values: Values): Promise<Values> => target.derive(writer.read, values)
  const { isDraft = false } = options
  const composition = { document, before: stored, patch, rights, derive, isDraft }
  const canonical = await compose(context, writer.read, composition)
  const hooked = isDraft ? undefined : hooksFor(context, document, 'beforeChange', 'validate')
  const change = hooked && toHookedChange(context, target, stored, transaction)
  const result = change
    ? await runBeforeChange(hooked, change, composition, canonical)
    : { canonical, patch, isChanged: false }
  const next = {
    canonical: result.canonical,
    patch: result.patch,
    mayBeSame: !isBlind(result.isChanged ? result.patch : own, rights),
    // The rule spoke of what was found; what others have made of it meanwhile, it is asked about again.
    filter: isOther || result.isChanged ? await target.allowResult(stored, result.patch) : filter,
  }
  return target.store(writer, stored, next, rights)
}

function toHookedChange<Row extends StoredColumns, Result>(
  context: WriteContext,
  target: ChangeTarget<Row, Result>,
  stored: Revision<Row>,
  transaction: WriteTransaction,
): HookedChange {
  const { id } = target
  const action = isStoredRevision(stored) ? 'update' : 'create'
  const reload = (): Promise<Row> => target.load(transaction.writer.read)
  return { context, transaction, action, id, system: stored.told, stored: stored.row, reload }
}

/** Whether there is a document already; a global that was never written has no revision. */
const isStoredRevision = ({ row }: Revision): boolean => row.seq > 0

/** The schema that a change is checked against. */
const sideOf = ({ isDraft = false }: UpdateOptions): 'draft' | 'update' => (isDraft ? 'draft' : 'update')

function readGiven(document: DocumentModel, body: unknown, rights: FieldRights, options: UpdateOptions): Values {
  if (!options.isMerge) return checkBody(document, sideOf(options), body, rights)
  refuseHostile(body)
  const patch = isRecord(body) ? mergePatch(document.fieldMap, {}, body) : body
  const given = checkBody(document, sideOf(options), patch, rights, { isPartial: true })
  refuseBlindMerge(document, given, rights)
  return given
}

/** The fields of a body whose values hooks see before they are checked. */
function readNamed(document: DocumentModel, body: unknown, rights: FieldRights, isMerge: boolean): Values {
  const named = checkKeys(document, 'update', body, rights)
  if (isMerge) refuseBlindMerge(document, named, rights)
  return named
}

/** What hooks are shown of a change. */
interface ShownChange {
  readonly given: Values
  /** As the caller may read it. */
  readonly before: Values | undefined
  readonly isMerge: boolean
  readonly rights: FieldRights
}

/** The fields that a change names after its hooks, as they are to be. */
async function hookedInput(
  context: WriteContext,
  hooked: HookedDocument,
  id: string,
  { given, before, isMerge, rights }: ShownChange,
): Promise<Values> {
  const { document } = hooked
  const data = isMerge ? mergePatch(document.fieldMap, before ?? {}, given) : given
  const action = before ? 'update' : 'create'
  return checkBody(document, 'update', await runBeforeValidate(context, hooked, { action, id, data }), rights)
}

/** The fields that a merge patch names, as they are to be. */
function mergedInput(
  document: DocumentModel,
  before: Values,
  body: unknown,
  rights: FieldRights,
  side: 'draft' | 'update',
): Values {
  return checkBody(document, side, mergePatch(document.fieldMap, before, isRecord(body) ? body : {}), rights)
}

function requireCurrent<Row extends StoredColumns, Result>(
  { document, isMatchRequired }: ChangeTarget<Row, Result>,
  { row: { seq } }: Revision<Row>,
  rights: FieldRights,
  options: UpdateOptions,
): void {
  requirePreconditions(options, seq, tagOf(document, seq, rights), isMatchRequired)
}
