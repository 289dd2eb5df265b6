import { SYSTEM } from '../../auth/adapter.ts'
import { Access } from '../../content/access/access.ts'
import type { Values } from '../../content/document.ts'
import type { Engine } from '../../content/engine.ts'
import { writeContext } from '../../content/writes/context.ts'
import { prepareCreate } from '../../content/writes/entries.ts'
import { carryOut } from '../../content/writes/prepared.ts'
import { foldText } from '../../fold.ts'
import type { CollectionModel } from '../../model/model.ts'
import { mustBeNamed } from '../../model/schema.ts'
import { isUuidShaped, slugify } from '../../slugs.ts'
import { FileError, fileErrorReason } from './file-error.ts'
import type { TargetField } from './target-field.ts'

/** The most new entries of a collection that are named. */
const MAX_NAMED = 20

/** Entries that were made of a name. */
interface CreatedEntries {
  readonly count: number
  /** Of the first ones. */
  readonly names: readonly string[]
}

/** Turns the names in relation fields into ids of entries, and makes the entries that are not there. */
export class Relations {
  /** By collection. */
  readonly created: Map<string, CreatedEntries> = new Map()
  readonly #engine: Engine
  /** By collection and folded name; a promise, so that files that run together share one. */
  readonly #ids = new Map<string, Promise<string>>()

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /**
   * The same value with ids in place of names.
   *
   * @throws {FileError} when a name is not there and cannot be made an entry
   */
  async resolve({ key, refersTo }: TargetField, value: unknown): Promise<unknown> {
    if (!refersTo) return value
    if (Array.isArray(value)) {
      const ids: unknown[] = []
      for (const one of value) ids.push(await this.#one(key, refersTo, one))
      return [...new Set(ids)]
    }
    return this.#one(key, refersTo, value)
  }

  async #one(field: string, target: CollectionModel, value: unknown): Promise<unknown> {
    const name = typeof value === 'string' ? value.trim() : value
    if (name === '') return null
    if (typeof name !== 'string' || isUuidShaped(name)) return name
    const key = `${target.key} ${foldName(name)}`
    const known = this.#ids.get(key) ?? this.#look(target, name)
    this.#ids.set(key, known)
    try {
      return await known
    } catch (error) {
      this.#ids.delete(key)
      throw new FileError(fileErrorReason(error), { path: `/${field}` })
    }
  }

  async #look(target: CollectionModel, name: string): Promise<string> {
    return (await this.#find(target, name)) ?? this.#make(target, name)
  }

  async #find(target: CollectionModel, name: string): Promise<string | undefined> {
    const { slug } = target
    if (!slug) throw new FileError(`${target.key} has no slug to find "${name}" by; write ids`)
    const { read } = this.#engine.store
    const named = slug.from === undefined ? undefined : await read.entries.storedBy(target, slug.from, name)
    if (named) return named.id
    const found = await read.entries.storedBy(target, 'slug', slugify(name))
    return found && isSameName(found, slug.from, name) ? found.id : undefined
  }

  async #make(target: CollectionModel, name: string): Promise<string> {
    const from = target.slug?.from
    const needed = target.fields.filter(({ key, field }) => key !== from && mustBeNamed(field)).map(({ key }) => key)
    if (from === undefined || needed.length > 0) {
      const lack = from === undefined ? 'its slug is made from no field' : `it needs ${needed.join(', ')}`
      throw new FileError(`there is no "${name}" in ${target.key}, and none can be made of a name alone: ${lack}`)
    }
    try {
      const context = await writeContext(this.#engine, new Access(this.#engine.model, SYSTEM))
      const { id } = await carryOut(context, () => prepareCreate(context, target, { [from]: name }))
      const { count, names } = this.created.get(target.key) ?? { count: 0, names: [] }
      this.created.set(target.key, { count: count + 1, names: count < MAX_NAMED ? [...names, name] : names })
      return id
    } catch (error) {
      throw new FileError(`"${name}" cannot be made an entry of ${target.key}: ${fileErrorReason(error)}`)
    }
  }
}

/** An entry found by its slug: `C++` and `C#` share the slug `c`, and are not the same. */
function isSameName(
  found: { readonly doc: string; readonly slug: string | null },
  from: string | undefined,
  name: string,
) {
  if (from === undefined || name === found.slug) return true
  const { [from]: own } = JSON.parse(found.doc) as Values
  return typeof own === 'string' && foldName(own) === foldName(name)
}

/** Returns the common form of all spellings of a name: case, Latin accents and the signs between words do not count. */
function foldName(name: string): string {
  return foldText(name)
    .replace(/['’]/g, '')
    .replace(/[\s\-_./,:;]+/g, ' ')
    .trim()
}
