import { basename, dirname, extname } from 'node:path'
import type { Values } from '../../content/documents/document.ts'
import { convertValue, namesSeveral, readTime } from './field-values.ts'
import { FileError } from './file-error.ts'
import { findFirstHeading, type SourceFile } from './front-matter.ts'
import type { ImportPlan } from './plan.ts'

export interface FileEntry {
  /** The value of the key field, which identifies the entry. */
  readonly keyValue: string
  /** The values of the file's fields. Relations may still hold names. */
  readonly values: Values
  /** Values that apply only to a new entry. */
  readonly initialValues: Values
  /** ISO 8601. */
  readonly createdAt: string | undefined
  /** The front-matter keys without a field. */
  readonly unusedKeys: readonly string[]
  /** The fields for a single relation whose text seems to name several entries. */
  readonly ambiguous: readonly string[]
}

/**
 * Converts a file to an entry.
 *
 * @param path relative to the imported folder
 * @throws {FileError} if the entry has no value of the key field, or an invalid time of creation
 */
export function toEntry(plan: ImportPlan, path: string, source: SourceFile): FileEntry {
  const { fieldValues, unusedKeys, ambiguous } = fillFields(plan, source)
  const values = { ...fieldValues, ...plan.settings }
  const createdAt = findCreatedAt(plan, source)
  addStatus(plan, source, fieldValues, values)
  if (source.body.trim() !== '' || isBlankValue(values[plan.body])) values[plan.body] = source.body
  if (plan.title !== undefined && isBlankValue(values[plan.title])) {
    const heading = findFirstHeading(source.body)
    if (heading !== undefined) values[plan.title] = heading
  }
  const initialValues = addSlug(plan, path, values)
  return {
    keyValue: getKeyValue(plan, values),
    values,
    initialValues,
    createdAt,
    unusedKeys: unusedKeys.filter((key) => !plan.createdAt.includes(key) && !isDraftMark(plan, key)),
    ambiguous,
  }
}

interface FrontMatterFields extends Pick<FileEntry, 'unusedKeys' | 'ambiguous'> {
  readonly fieldValues: Values
}

function fillFields(plan: ImportPlan, { texts, typed }: SourceFile): FrontMatterFields {
  const fieldValues: Values = {}
  const unusedKeys: string[] = []
  const ambiguous: string[] = []
  for (const [key, text] of Object.entries(texts)) {
    const targets = plan.findTargets(key)
    if (targets.length === 0) unusedKeys.push(key)
    for (const target of targets) {
      if (Object.hasOwn(plan.settings, target.key)) continue
      fieldValues[target.key] = convertValue(key, target, { text, typed: () => typed()[key] })
      if (namesSeveral(key, target, text)) ambiguous.push(target.key)
    }
  }
  return { fieldValues, unusedKeys, ambiguous }
}

const isBlankValue = (value: unknown): boolean => value === undefined || value === null || value === ''

function findCreatedAt(plan: ImportPlan, { texts }: SourceFile): string | undefined {
  const key = plan.createdAt.find((name) => Object.hasOwn(texts, name) && !isBlankValue(texts[name]))
  if (key === undefined) return undefined
  const text = texts[key]
  const time = typeof text === 'string' ? readTime(text) : undefined
  // The key may belong to a field of the collection, with another meaning.
  if (time || plan.findTargets(key).length > 0) return time?.moment
  throw new FileError('must be a date or a time, such as 2026-11-20 or 2026-11-20T08:30:00Z', { path: `/${key}` })
}

const isDraftMark = ({ collection, findTargets }: ImportPlan, key: string): boolean =>
  key === 'draft' && findTargets(key).length === 0 && collection.status?.values.includes('draft') === true

/** Sets the status of a file with `draft: true`, with which many generators mark drafts. `--set` must not publish them. */
function addStatus(plan: ImportPlan, { texts }: SourceFile, fieldValues: Values, values: Values): void {
  const { status } = plan.collection
  if (
    status &&
    isBlankValue(fieldValues[status.key]) &&
    isDraftMark(plan, 'draft') &&
    /^true$/i.test(String(texts.draft))
  ) {
    values[status.key] = 'draft'
  }
}

/** Adds the slug of the front matter, or else that of the file name. The latter does not change an entry that another key identifies. */
function addSlug({ collection, key, toSlug }: ImportPlan, path: string, values: Values): Values {
  const { slug } = collection
  if (!slug) return {}
  const slugText = values[slug.key]
  delete values[slug.key]
  const explicitSlug = typeof slugText === 'string' ? toSlug(getLastSegment(slugText)) : undefined
  const value = explicitSlug ?? toSlug(getFileName(path))
  if (value === undefined)
    throw new FileError("is required, because it cannot be derived from the file's name", { path: `/${slug.key}` })
  if (explicitSlug === undefined && key !== slug.key) return { [slug.key]: value }
  values[slug.key] = value
  return {}
}

/** Some front matters contain slugs as paths or URLs: `/blog/2026/hello/`. */
const getLastSegment = (slug: string): string => /([^/]+)\/*$/.exec(slug.trim().replace(/[?#].*$/, ''))?.[1] ?? ''

/** Returns the name of a file; for `hello/index.md` that of its folder. */
function getFileName(path: string): string {
  const name = basename(path, extname(path))
  const folder = basename(dirname(path))
  return name === 'index' && folder !== '' && folder !== '.' ? folder : name
}

function getKeyValue({ key }: ImportPlan, values: Values): string {
  const value = values[key]
  if (typeof value === 'string' && value !== '') return value
  throw new FileError('is required, because it identifies the entry', { path: `/${key}` })
}
