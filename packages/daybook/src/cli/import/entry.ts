import { basename, dirname, extname } from 'node:path'
import type { Values } from '../../content/document.ts'
import { FileError } from './file-error.ts'
import type { ImportPlan } from './plan.ts'
import type { SourceFile } from './source/front-matter.ts'
import { firstHeading } from './source/heading.ts'
import { readTime } from './time.ts'
import { fitField, namesSeveral } from './written-lists.ts'

/** The content of a file as an entry. */
export interface FileEntry {
  /** The value of the key field: one entry has it, or none yet. */
  readonly keyValue: string
  /** The fields that the file names; relations may still hold names. */
  readonly values: Values
  /** Fields that an entry takes only when it is made. */
  readonly forNew: Values
  /** ISO 8601. */
  readonly createdAt: string | undefined
  /** Front-matter keys that no field has. */
  readonly unused: readonly string[]
  /** Fields for one related entry whose text names several. */
  readonly several: readonly string[]
}

/**
 * Makes of a file what the collection's fields hold.
 *
 * @param path relative to the folder that is brought in
 * @throws {FileError} when it cannot be told which entry this is, or when it was written
 */
export function toEntry(plan: ImportPlan, path: string, source: SourceFile): FileEntry {
  const { named, unused, several } = fillFields(plan, source)
  const values = { ...named, ...plan.settings }
  const createdAt = findCreatedAt(plan, source)
  addStatus(plan, source, named, values)
  if (source.body.trim() !== '' || isBlankValue(values[plan.body])) values[plan.body] = source.body
  if (plan.title !== undefined && isBlankValue(values[plan.title])) {
    const heading = firstHeading(source.body)
    if (heading !== undefined) values[plan.title] = heading
  }
  const forNew = addSlug(plan, path, values)
  return {
    keyValue: keyValueOf(plan, values),
    values,
    forNew,
    createdAt,
    unused: unused.filter((key) => !plan.createdAt.includes(key) && !isDraftMark(plan, key)),
    several,
  }
}

/** What the front matter says. */
interface NamedFields extends Pick<FileEntry, 'unused' | 'several'> {
  readonly named: Values
}

function fillFields(plan: ImportPlan, { texts, typed }: SourceFile): NamedFields {
  const named: Values = {}
  const unused: string[] = []
  const several: string[] = []
  for (const [key, text] of Object.entries(texts)) {
    const targets = plan.targetsOf(key)
    if (targets.length === 0) unused.push(key)
    for (const target of targets) {
      if (Object.hasOwn(plan.settings, target.key)) continue
      named[target.key] = fitField(key, target, { text, typed: () => typed()[key] })
      if (namesSeveral(key, target, text)) several.push(target.key)
    }
  }
  return { named, unused, several }
}

const isBlankValue = (value: unknown): boolean => value === undefined || value === null || value === ''

function findCreatedAt(plan: ImportPlan, { texts }: SourceFile): string | undefined {
  const key = plan.createdAt.find((one) => Object.hasOwn(texts, one) && !isBlankValue(texts[one]))
  if (key === undefined) return undefined
  const text = texts[key]
  const time = typeof text === 'string' ? readTime(text) : undefined
  // A field of the collection may mean something else by it.
  if (time || plan.targetsOf(key).length > 0) return time?.moment
  throw new FileError('is neither a day nor a time, such as 2026-11-20 or 2026-11-20T08:30:00Z', { path: `/${key}` })
}

const isDraftMark = ({ collection, targetsOf }: ImportPlan, key: string): boolean =>
  key === 'draft' && targetsOf(key).length === 0 && collection.status?.values.includes('draft') === true

/** Many generators mark drafts with `draft: true`; bringing one in must not publish it, whatever `--set` gives the others. */
function addStatus(plan: ImportPlan, { texts }: SourceFile, named: Values, values: Values): void {
  const { status } = plan.collection
  if (status && isBlankValue(named[status.key]) && isDraftMark(plan, 'draft') && /^true$/i.test(String(texts.draft))) {
    values[status.key] = 'draft'
  }
}

/** The slug that the front matter names, or the file's name; the latter leaves an entry found by another key alone. */
function addSlug({ collection, key, toSlug }: ImportPlan, path: string, values: Values): Values {
  const { slug } = collection
  if (!slug) return {}
  const named = values[slug.key]
  delete values[slug.key]
  const own = typeof named === 'string' ? toSlug(lastSegment(named)) : undefined
  const made = own ?? toSlug(nameOfFile(path))
  if (made === undefined) throw new FileError("cannot be made of this file's name; name one", { path: `/${slug.key}` })
  if (own === undefined && key !== slug.key) return { [slug.key]: made }
  values[slug.key] = made
  return {}
}

/** Front matters also give slugs as paths and addresses: `/blog/2026/hello/`. */
const lastSegment = (slug: string): string => /([^/]+)\/*$/.exec(slug.trim().replace(/[?#].*$/, ''))?.[1] ?? ''

/** A file's name; for `hello/index.md` that of its folder. */
function nameOfFile(path: string): string {
  const name = basename(path, extname(path))
  const folder = basename(dirname(path))
  return name === 'index' && folder !== '' && folder !== '.' ? folder : name
}

function keyValueOf({ key }: ImportPlan, values: Values): string {
  const value = values[key]
  if (typeof value === 'string' && value !== '') return value
  throw new FileError('is required, because it tells whether the entry is there already', { path: `/${key}` })
}
