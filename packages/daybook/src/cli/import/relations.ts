import { SYSTEM } from '../../auth/adapter.ts'
import { Access } from '../../content/access/access.ts'
import type { ContentContext } from '../../content/context.ts'
import type { Values } from '../../content/documents/document.ts'
import { createWriteContext, execute, parseCreate, prepareCreate } from '../../content/writes/index.ts'
import { foldText } from '../../fold.ts'
import type { CollectionModel } from '../../model/model.ts'
import { isRequiredOnCreate } from '../../model/schema.ts'
import { isUuidShaped, slugify } from '../../slugs.ts'
import type { TargetField } from './field-values.ts'
import { FileError, formatFileError } from './file-error.ts'

/** The largest number of new entries of a collection that are printed. */
const MAX_NAMED = 20

interface CreatedEntries {
  readonly count: number
  readonly names: readonly string[]
}

/** Resolves names in relation fields to ids, and creates missing entries. */
export class Relations {
  /** The new entries by collection. */
  readonly created: Map<string, CreatedEntries> = new Map()
  readonly #context: ContentContext
  /** The ids by collection and folded name. They are promises, so that concurrent files share one. */
  readonly #ids = new Map<string, Promise<string>>()

  constructor(context: ContentContext) {
    this.#context = context
  }

  /**
   * Replaces the names in a value with ids.
   *
   * @throws {FileError} if a name has no entry, and none can be created from it
   */
  async resolve({ key, refersTo }: TargetField, value: unknown): Promise<unknown> {
    if (!refersTo) return value
    if (Array.isArray(value)) {
      const ids: unknown[] = []
      for (const item of value) ids.push(await this.#toId(key, refersTo, item))
      return [...new Set(ids)]
    }
    return this.#toId(key, refersTo, value)
  }

  async #toId(field: string, target: CollectionModel, value: unknown): Promise<unknown> {
    const name = typeof value === 'string' ? value.trim() : value
    if (name === '') return null
    if (typeof name !== 'string' || isUuidShaped(name)) return name
    const key = `${target.key} ${foldName(name)}`
    const id = this.#ids.get(key) ?? this.#findOrCreate(target, name)
    this.#ids.set(key, id)
    try {
      return await id
    } catch (error) {
      this.#ids.delete(key)
      throw new FileError(formatFileError(error), { path: `/${field}` })
    }
  }

  async #findOrCreate(target: CollectionModel, name: string): Promise<string> {
    return (await this.#find(target, name)) ?? this.#create(target, name)
  }

  async #find(target: CollectionModel, name: string): Promise<string | undefined> {
    const { slug } = target
    if (!slug) throw new FileError(`refers to "${name}", but entries of ${target.key} have no slug. Write ids.`)
    const { read } = this.#context.store
    const rowByName = slug.from === undefined ? undefined : await read.entries.storedByValue(target, slug.from, name)
    if (rowByName) return rowByName.id
    const rowBySlug = await read.entries.storedByValue(target, 'slug', slugify(name))
    return rowBySlug && isSameName(rowBySlug, slug.from, name) ? rowBySlug.id : undefined
  }

  async #create(target: CollectionModel, name: string): Promise<string> {
    const from = target.slug?.from
    const requiredKeys = target.fields
      .filter(({ key, field }) => key !== from && isRequiredOnCreate(field))
      .map(({ key }) => key)
    if (from === undefined || requiredKeys.length > 0) {
      const reason =
        from === undefined ? 'its slug is not derived from a field' : `it also requires ${requiredKeys.join(', ')}`
      throw new FileError(
        `refers to "${name}", which does not exist in ${target.key} and cannot be created from a name, because ${reason}. Create it first.`,
      )
    }
    try {
      const writeContext = await createWriteContext(this.#context, new Access(this.#context.model, SYSTEM))
      const body = parseCreate(writeContext, target, { [from]: name })
      const { id } = await execute(writeContext, () => prepareCreate(writeContext, target, body))
      const { count, names } = this.created.get(target.key) ?? { count: 0, names: [] }
      this.created.set(target.key, { count: count + 1, names: count < MAX_NAMED ? [...names, name] : names })
      return id
    } catch (error) {
      throw new FileError(`refers to "${name}", which cannot be created in ${target.key}. ${formatFileError(error)}`)
    }
  }
}

/** True if an entry of the same slug has the same name: `C++` and `C#` share the slug `c`. */
function isSameName(
  row: { readonly doc: string; readonly slug: string | null },
  from: string | undefined,
  name: string,
): boolean {
  if (from === undefined || name === row.slug) return true
  const { [from]: storedName } = JSON.parse(row.doc) as Values
  return typeof storedName === 'string' && foldName(storedName) === foldName(name)
}

/** Folds a name, so that case, Latin accents and the characters between words do not matter. */
function foldName(name: string): string {
  return foldText(name)
    .replace(/['’]/g, '')
    .replace(/[\s\-_./,:;]+/g, ' ')
    .trim()
}
