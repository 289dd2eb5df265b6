import type { Values } from '../../content/document.ts'
import type { Field } from '../../fields/field.ts'
import type { CollectionModel, Model } from '../../model/model.ts'
import { mustBeNamed } from '../../model/schema.ts'
import { slugify } from '../../slugs.ts'
import { type CommonOptions, UsageError } from '../command.ts'
import { schemaOf } from './fit.ts'
import { readSettings } from './settings.ts'
import { type TargetField, toTarget } from './target-field.ts'

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

/** How files become entries of one collection; made once, before the first file. */
export interface ImportPlan {
  readonly collection: CollectionModel
  /** The field that the text goes to. */
  readonly body: string
  /** Whether that field holds Markdown, so that the images of the text come along. */
  readonly isRendered: boolean
  /** The field that tells whether an entry is there already. */
  readonly key: string
  /** The field that a heading of the text fills where the front matter does not. */
  readonly title: string | undefined
  /** Front-matter keys that say when an entry was first written, the first one first. */
  readonly createdAt: readonly string[]
  readonly fields: ReadonlyMap<string, TargetField>
  /** Fields that have the same value in every entry. */
  readonly settings: Values
  /** Where a front-matter key goes; nowhere: there is no such field. */
  targetsOf(key: string): readonly TargetField[]
  /** A slug out of a text; `undefined` when it has neither letters nor digits. */
  toSlug(text: string): string | undefined
}

const CREATED_AT = 'createdAt'

/**
 * Checks what the command line asks for against the model.
 *
 * @throws {UsageError} when it names what is not there
 */
export function makePlan(model: Model, options: ImportOptions): ImportPlan {
  const collection = findCollection(model, options.collection)
  const fields = new Map(collection.fields.map(({ key, field }) => [key, toTarget(model, key, field)]))
  const mapped = readMap(collection, options.map ?? [])
  const targets = new Map([...mapped].map(([key, names]) => [key, names.flatMap((name) => fields.get(name) ?? [])]))
  const times = [...mapped].filter(([, names]) => names.includes(CREATED_AT)).map(([key]) => key)
  const isSlug = slugCheck(collection)
  const [body, key] = [findBody(collection, options.body), findKey(collection, options.key)]
  const targetOf = (name: string): TargetField => {
    requireField(collection, '--set', name)
    return fields.get(name) as TargetField
  }
  return {
    collection,
    fields,
    body,
    isRendered: collection.fieldMap[body]?.type.generated !== undefined,
    key,
    settings: readSettings(collection, options.set ?? [], targetOf, [body, key, collection.slug?.key]),
    title: findTitle(collection),
    createdAt: times.length > 0 ? times : [CREATED_AT, 'date'],
    targetsOf: (key) => targets.get(key) ?? [fields.get(key) ?? []].flat(),
    toSlug: (text) => (isSlug(text) ? text.normalize('NFC') : slugify(text) || undefined),
  }
}

function findCollection({ collections }: Model, key: string | undefined): CollectionModel {
  const known = [...collections.keys()].join(', ')
  if (key === undefined) throw new UsageError(`Name the collection to fill with --collection KEY: ${known}.`)
  const found = collections.get(key)
  if (!found) throw new UsageError(`There is no collection "${key}". There are: ${known}.`)
  return found
}

function readMap(collection: CollectionModel, pairs: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const map = new Map<string, readonly string[]>()
  for (const pair of pairs) {
    const at = pair.indexOf('=')
    if (at < 1) throw new UsageError(`--map takes KEY=FIELD, such as --map title=headline, not "${pair}".`)
    const [key, field] = [pair.slice(0, at), pair.slice(at + 1)]
    if (field !== CREATED_AT) requireField(collection, '--map', field)
    map.set(key, [...(map.get(key) ?? []), field])
  }
  return map
}

function requireField({ key, fields, fieldMap }: CollectionModel, option: string, name: string): Field {
  const field = Object.hasOwn(fieldMap, name) ? fieldMap[name] : undefined
  if (field) return field
  const known = fields.map((one) => one.key).join(', ')
  throw new UsageError(`${option} names a field that ${key} does not have: "${name}". There are: ${known}.`)
}

function findBody(collection: CollectionModel, named: string | undefined): string {
  if (named !== undefined) {
    const { type } = schemaOf(requireField(collection, '--body', named))
    if (type !== 'string') throw new UsageError(`--body takes a field that holds text, and "${named}" does not.`)
    return named
  }
  // Only long text that is rendered makes another value of its own.
  const rendered = collection.fields.filter(({ field }) => field.type.generated).map(({ key }) => key)
  const [first, ...others] = rendered
  if (rendered.includes('body')) return 'body'
  if (first !== undefined && others.length === 0) return first
  const which = first === undefined ? 'no markdown field' : `several (${rendered.join(', ')})`
  throw new UsageError(`The text of a file needs a field, and ${collection.key} has ${which}. Name one: --body FIELD.`)
}

function findKey(collection: CollectionModel, named: string | undefined): string {
  const { key, slug, comparables } = collection
  const found = named ?? slug?.key
  if (found === undefined) {
    throw new UsageError(`${key} has no slug; name the field that tells entries apart with --key FIELD.`)
  }
  const { type } = requireField(collection, '--key', found)
  const isText = comparables.get(found)?.scalar === 'text' && !type.references && type.role !== 'status'
  if (!isText) throw new UsageError(`--key takes an indexed field that holds text, and "${found}" is none.`)
  return found
}

/** A required field that the slug would be made from, or one of that name. */
function findTitle({ slug, fieldMap }: CollectionModel): string | undefined {
  const key = slug?.from ?? 'title'
  const field = Object.hasOwn(fieldMap, key) ? fieldMap[key] : undefined
  return field && mustBeNamed(field) && schemaOf(field).type === 'string' ? key : undefined
}

function slugCheck({ slug, fieldMap, validators }: CollectionModel): (text: string) => boolean {
  const field = slug && fieldMap[slug.key]
  if (!field) return () => false
  const validate = validators.make(schemaOf(field))
  return (text) => validate(text.normalize('NFC')).length === 0
}
