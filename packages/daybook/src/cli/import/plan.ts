import { FULL_RIGHTS } from '../../content/access/field-access.ts'
import type { Values } from '../../content/documents/document.ts'
import { checkBody } from '../../content/writes/index.ts'
import type { Field } from '../../fields/field.ts'
import type { CollectionModel, Model } from '../../model/model.ts'
import { isRequiredOnCreate } from '../../model/schema.ts'
import { slugify } from '../../slugs.ts'
import type { Store } from '../../store/store.ts'
import { type CommonOptions, UsageError } from '../command.ts'
import { convertValue, getSchema, type TargetField, toTarget } from './field-values.ts'
import { FileError, formatFileError } from './file-error.ts'
import { readYamlValue } from './front-matter.ts'
import type { Relations } from './relations.ts'

/** The options of `daybook import DIR`. */
export interface ImportOptions extends CommonOptions {
  readonly collection?: string
  /** `KEY=FIELD`, each. */
  readonly map?: readonly string[]
  /** `FIELD=VALUE`, each. */
  readonly set?: readonly string[]
  readonly key?: string
  readonly body?: string
  readonly localeFolders?: boolean
  readonly dryRun?: boolean
}

/** The rules by which files become entries of a collection. */
export interface ImportPlan {
  readonly collection: CollectionModel
  /** The field that gets the text. */
  readonly body: string
  /** True if that field holds Markdown, so that the images of the text are imported. */
  readonly isRendered: boolean
  /** The field that identifies an entry that exists already. */
  readonly key: string
  /** The field that gets the heading of the text, unless the front matter fills it. */
  readonly title: string | undefined
  /** The front-matter keys of the time of creation, in order of preference. */
  readonly createdAt: readonly string[]
  readonly fields: ReadonlyMap<string, TargetField>
  /** The values of fields that are the same in every entry. */
  readonly settings: Values
  /** Returns the fields that a front-matter key fills. */
  findTargets(key: string): readonly TargetField[]
  /** Makes a slug of a text; `undefined` without letters and digits. */
  toSlug(text: string): string | undefined
}

const CREATED_AT = 'createdAt'

/**
 * Checks the options against the model.
 *
 * @throws {UsageError} if they name a collection or a field that does not exist
 */
export function makeImportPlan(model: Model, options: ImportOptions): ImportPlan {
  const collection = findCollection(model, options.collection)
  const fields = new Map(collection.fields.map(({ key, field }) => [key, toTarget(model, key, field)]))
  const mapped = readMap(collection, options.map ?? [])
  const targets = new Map([...mapped].map(([key, names]) => [key, names.flatMap((name) => fields.get(name) ?? [])]))
  const times = [...mapped].filter(([, names]) => names.includes(CREATED_AT)).map(([key]) => key)
  const isSlug = makeSlugCheck(collection)
  const [body, key] = [findBody(collection, options.body), findKey(collection, options.key)]
  return {
    collection,
    fields,
    body,
    isRendered: collection.fieldMap[body]?.type.generated !== undefined,
    key,
    settings: readSettings(collection, options.set ?? [], fields, [body, key, collection.slug?.key]),
    title: findTitle(collection),
    createdAt: times.length > 0 ? times : [CREATED_AT, 'date'],
    findTargets: (key) => targets.get(key) ?? [fields.get(key) ?? []].flat(),
    toSlug: (text) => (isSlug(text) ? text.normalize('NFC') : slugify(text) || undefined),
  }
}

function findCollection({ collections }: Model, key: string | undefined): CollectionModel {
  const keys = [...collections.keys()].join(', ')
  if (key === undefined) throw new UsageError(`--collection is required. Use one of: ${keys}.`)
  const collection = collections.get(key)
  if (!collection) throw new UsageError(`The collection "${key}" does not exist. Use one of: ${keys}.`)
  return collection
}

function readMap(collection: CollectionModel, pairs: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const map = new Map<string, readonly string[]>()
  for (const pair of pairs) {
    const at = pair.indexOf('=')
    if (at < 1) throw new UsageError(`--map must be KEY=FIELD, such as --map title=headline, not "${pair}".`)
    const [key, field] = [pair.slice(0, at), pair.slice(at + 1)]
    if (field !== CREATED_AT) requireField(collection, '--map', field)
    map.set(key, [...(map.get(key) ?? []), field])
  }
  return map
}

function requireField({ key, fields, fieldMap }: CollectionModel, option: string, name: string): Field {
  const field = Object.hasOwn(fieldMap, name) ? fieldMap[name] : undefined
  if (field) return field
  const keys = fields.map((present) => present.key).join(', ')
  throw new UsageError(`${option} names the unknown field "${name}" of ${key}. Use one of: ${keys}.`)
}

function findBody(collection: CollectionModel, option: string | undefined): string {
  if (option !== undefined) {
    const { type } = getSchema(requireField(collection, '--body', option))
    if (type !== 'string') throw new UsageError(`--body must be a text field, but "${option}" is not.`)
    return option
  }
  // Only rendered text fields have a generated value.
  const rendered = collection.fields.filter(({ field }) => field.type.generated).map(({ key }) => key)
  const [first, ...rest] = rendered
  if (rendered.includes('body')) return 'body'
  if (first !== undefined && rest.length === 0) return first
  const markdownFields = first === undefined ? 'no Markdown field' : `several (${rendered.join(', ')})`
  throw new UsageError(`--body is required, because ${collection.key} has ${markdownFields}. Write --body FIELD.`)
}

function findKey(collection: CollectionModel, option: string | undefined): string {
  const { key, slug, filterableFields } = collection
  const name = option ?? slug?.key
  if (name === undefined) {
    throw new UsageError(
      `--key is required, because ${key} has no slug. Write --key FIELD with the field that identifies entries.`,
    )
  }
  const { type } = requireField(collection, '--key', name)
  const isText = filterableFields.get(name)?.scalar === 'text' && !type.references && type.role !== 'status'
  if (!isText) throw new UsageError(`--key must be an indexed text field, but "${name}" is not.`)
  return name
}

/** Finds the required text field that the slug is made from, by default `title`. */
function findTitle({ slug, fieldMap }: CollectionModel): string | undefined {
  const key = slug?.from ?? 'title'
  const field = Object.hasOwn(fieldMap, key) ? fieldMap[key] : undefined
  return field && isRequiredOnCreate(field) && getSchema(field).type === 'string' ? key : undefined
}

function makeSlugCheck({ slug, fieldMap, validators }: CollectionModel): (text: string) => boolean {
  const field = slug && fieldMap[slug.key]
  if (!field) return () => false
  const validate = validators.make(getSchema(field))
  return (text) => validate(text.normalize('NFC')).length === 0
}

/**
 * Reads the values that `--set` gives every entry. Relations may still hold names.
 *
 * @param pairs `FIELD=VALUE`, each
 * @param varying the fields whose values differ from file to file
 * @throws {UsageError} if a field cannot hold its value, or the same value in every entry
 */
function readSettings(
  collection: CollectionModel,
  pairs: readonly string[],
  fields: ReadonlyMap<string, TargetField>,
  varying: readonly (string | undefined)[],
): Values {
  const settings: Values = {}
  for (const pair of pairs) {
    const at = pair.indexOf('=')
    if (at < 1) throw new UsageError(`--set must be FIELD=VALUE, such as --set status=published, not "${pair}".`)
    const [name, text] = [pair.slice(0, at), pair.slice(at + 1)]
    requireField(collection, '--set', name)
    if (Object.hasOwn(settings, name)) throw new UsageError(`--set names "${name}" twice. Leave one of them out.`)
    if (varying.includes(name) || isUnique(collection, name)) {
      throw new UsageError(`--set is not allowed for "${name}", because its value differs from file to file.`)
    }
    settings[name] = readSetting(collection, fields.get(name) as TargetField, text)
  }
  return settings
}

const isUnique = ({ fieldMap }: CollectionModel, name: string): boolean => {
  const field = fieldMap[name]
  return field?.type.isUnique?.(field.options) === true
}

function readSetting(collection: CollectionModel, target: TargetField, text: string): unknown {
  const { key } = target
  try {
    const value = convertValue(key, target, readYamlValue(text, target.schema.type === 'string' && !target.refersTo))
    // Names are resolved to ids once the store is open.
    if (!target.refersTo) checkBody(collection, 'update', { [key]: value }, FULL_RIGHTS)
    return value
  } catch (error) {
    throw makeSettingError(key, text, error)
  }
}

const makeSettingError = (key: string, text: string, error: unknown): UsageError =>
  new UsageError(`--set ${key}=${text} is invalid. ${formatFileError(error)}`)

/**
 * Replaces the names in the settings of a plan with ids. Missing entries are created if a name is enough for that.
 *
 * @throws {UsageError} if a relation cannot hold its value
 */
export async function resolveSettings(plan: ImportPlan, relations: Relations, { read }: Store): Promise<ImportPlan> {
  const settings: Values = { ...plan.settings }
  for (const [key, value] of Object.entries(settings)) {
    const target = plan.fields.get(key)
    if (!target?.refersTo) continue
    try {
      settings[key] = await relations.resolve(target, value)
      const { [key]: ids } = checkBody(plan.collection, 'update', { [key]: settings[key] }, FULL_RIGHTS)
      for (const id of [ids].flat()) await requireEntry(target.refersTo, read, id)
    } catch (error) {
      throw makeSettingError(key, String(value), error)
    }
  }
  return { ...plan, settings }
}

async function requireEntry(collection: CollectionModel, read: Store['read'], id: unknown): Promise<void> {
  if (typeof id !== 'string' || (await read.entries.stored(collection, id.toLowerCase()))) return
  throw new FileError(`The entry ${id} of ${collection.key} does not exist.`)
}
