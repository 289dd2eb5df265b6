import { validationErrorAt } from '../../errors.ts'
import { isRecord, type JsonSchema } from '../../fields/field.ts'
import { LONG_RANK, RANK } from '../../fields/rank.ts'
import type { CollectionModel } from '../../model/model.ts'
import { unknownName } from '../../nearest.ts'
import { isUuidShaped } from '../../slugs.ts'
import type { Reader } from '../../store/reads/reader.ts'
import type { StoredEntry } from '../../store/rows.ts'
import type { Writer } from '../../store/writes/writer.ts'
import type { FieldRights } from '../access/field-access.ts'
import type { Values } from '../documents/document.ts'
import { StoredRevision } from '../documents/row.ts'
import type { Preconditions } from '../reads/etags.ts'
import type { EntryResponse } from '../reads/response.ts'
import type { WriteContext } from './context.ts'
import { EntryTarget } from './entry-target.ts'
import type { PreparedWrite } from './pipeline.ts'
import { findPlace, type Place, rankBetween, spreadRanks, type Target } from './ranks.ts'
import { type NextRevision, parseUpdate, prepareUpdate, type UpdateBody } from './update.ts'

/** The position to which an entry moves: an end of the order, or beside another entry. */
export type Position =
  | { readonly position: 'first' | 'last' }
  | { readonly before: string }
  | { readonly after: string }

/** The body of a move, validated without the store. */
export interface MoveBody {
  readonly position: Position
  /** The change of the parent; without fields if the parent stays. */
  readonly update: UpdateBody
}

const PLACES = ['before', 'after', 'position'] as const
const ENDS: readonly unknown[] = ['first', 'last']

/** Returns the schema of the body of a move. */
export function moveSchema({ key, parent }: CollectionModel): JsonSchema {
  const id = { type: 'string', format: 'uuid' }
  const properties = {
    before: { ...id, description: `The entry of ${key} before which it is moved.` },
    after: { ...id, description: `The entry of ${key} after which it is moved.` },
    position: { enum: ENDS, description: 'An end of the order.' },
    ...(parent === undefined
      ? {}
      : { parent: { type: ['string', 'null'], format: 'uuid', description: 'The new parent; null for a root.' } }),
  }
  return {
    type: 'object',
    properties,
    minProperties: 1,
    additionalProperties: false,
    examples: [{ position: 'first' }],
  }
}

/**
 * Parses the body of a move: one of `before`, `after` and `position`, and `parent` in a tree. A new parent alone moves the entry to the end.
 *
 * @throws VALIDATION_ERROR
 */
export function parseMove(context: WriteContext, collection: CollectionModel, body: unknown): MoveBody {
  const { parent } = collection
  const keys = [...PLACES, ...(parent === undefined ? [] : ['parent'])]
  if (!isRecord(body)) throw validationErrorAt('/', 'type', 'must be an object', { types: ['object'] })
  const unknown = Object.keys(body).find((key) => !keys.includes(key))
  if (unknown !== undefined) {
    const message = `${unknownName('field', unknown.slice(0, 64))} Use ${keys.join(' or ')}.`
    throw validationErrorAt(`/${unknown.slice(0, 64)}`, 'unknown_field', message, { values: keys })
  }
  const hasParent = parent !== undefined && body.parent !== undefined
  const fields = hasParent ? { [parent]: body.parent } : {}
  return { position: readPosition(body, hasParent), update: parseUpdate(context, collection, fields) }
}

function readPosition(body: Readonly<Record<string, unknown>>, isOptional: boolean): Position {
  const [place, other] = PLACES.filter((name) => body[name] !== undefined)
  if (place === undefined) {
    if (isOptional) return { position: 'last' }
    throw validationErrorAt('/position', 'required', 'is required, unless there is before or after')
  }
  if (other !== undefined)
    throw validationErrorAt(`/${other}`, 'exclusive', `is not allowed together with ${place}. Leave one of them out.`, {
      with: place,
    })
  const value = body[place]
  if (place === 'position') {
    if (value === 'first' || value === 'last') return { position: value }
    throw validationErrorAt('/position', 'enum', 'must be first or last', { values: ENDS })
  }
  if (typeof value !== 'string' || !isUuidShaped(value))
    throw validationErrorAt(`/${place}`, 'format', 'must be the id of an entry', { format: 'uuid' })
  const id = value.toLowerCase()
  return place === 'before' ? { before: id } : { after: id }
}

/**
 * Prepares to move an entry in the order by hand. The neighbours are read in the transaction, so moves to the same place get different ranks.
 *
 * @throws as updates of entries do; VALIDATION_ERROR if the neighbour does not exist
 */
export function prepareMove(
  context: WriteContext,
  collection: CollectionModel,
  id: string,
  { position, update }: MoveBody,
  options: Preconditions = {},
): Promise<PreparedWrite<EntryResponse>> {
  return prepareUpdate(context, new MoveTarget(context, collection, id, position), update, options)
}

/** An entry that is moved, and updated if its parent changes. */
class MoveTarget extends EntryTarget {
  readonly #context: WriteContext
  readonly #position: Position
  #place: Place | undefined

  /** @throws VALIDATION_ERROR if the entry is to be its own neighbour */
  constructor(context: WriteContext, collection: CollectionModel, id: string, position: Position) {
    super(context, collection, id)
    this.#context = context
    this.#position = position
    const [place, neighbour] = Object.entries(position)[0] ?? []
    if (neighbour === this.id)
      throw validationErrorAt(`/${place}`, 'neighbour', 'must be another entry', { id: this.id })
  }

  override async derive(read: Reader, values: Values, before: StoredRevision<StoredEntry>): Promise<Values> {
    const derived = await super.derive(read, values, before)
    const place = await findPlace(read, this.document, await this.#findTarget(read), this.id)
    this.#place = place
    return { ...derived, [RANK]: isAt(place, derived[RANK]) ? derived[RANK] : rankBetween(place) }
  }

  override async store(
    writer: Writer,
    revision: StoredRevision<StoredEntry>,
    next: NextRevision,
    rights: FieldRights,
  ): Promise<EntryResponse> {
    const { canonical, patch } = next
    const chosen = String(canonical.values[RANK])
    const isLong = chosen.length > LONG_RANK && chosen !== revision.values[RANK] && this.#place !== undefined
    const rank =
      isLong && this.#place ? await spreadRanks(this.#context, writer, this.document, this.#place, this.id) : chosen
    const ranked = { ...canonical, values: { ...canonical.values, [RANK]: rank } }
    return super.store(writer, revision, { ...next, canonical: ranked, patch: { ...patch, [RANK]: rank } }, rights)
  }

  /** @throws VALIDATION_ERROR if the neighbour does not exist for the caller */
  async #findTarget(read: Reader): Promise<Target> {
    const position = this.#position
    if ('position' in position) return position
    const [place, id] =
      'before' in position ? (['before', position.before] as const) : (['after', position.after] as const)
    const { content } = this.#context
    const neighbour = await this.findVisible(read, id)
    const rank = neighbour && new StoredRevision(content.model, this.document, neighbour).values[RANK]
    if (typeof rank !== 'string') {
      const { key } = this.document
      const message = `refers to the entry ${id} of ${key}, which does not exist`
      throw validationErrorAt(`/${place}`, 'reference', message, { collection: key, id })
    }
    return place === 'before' ? { before: rank } : { after: rank }
  }
}

/** True if a rank is between the neighbours of a place. */
const isAt = ({ previous, next }: Place, rank: unknown): boolean =>
  typeof rank === 'string' && (previous === undefined || previous < rank) && (next === undefined || rank < next)
