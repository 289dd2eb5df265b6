import { isRecord } from '../../fields/field.ts'

/** An operation of a JSON Patch (RFC 6902, section 4). */
export type PatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }

/**
 * Creates the JSON Patch that turns one JSON value into another (RFC 6902). It omits equal items at the start and the end of lists. Its
 * time is proportional to the size and the depth of both values.
 */
export function createPatch(before: unknown, after: unknown, path = ''): readonly PatchOperation[] {
  if (Array.isArray(before) && Array.isArray(after)) return diffLists(before, after, path)
  if (isRecord(before) && isRecord(after)) return diffObjects(before, after, path)
  return isEqual(before, after) ? [] : [{ op: 'replace', path, value: after }]
}

type JsonObject = Readonly<Record<string, unknown>>

function diffObjects(before: JsonObject, after: JsonObject, path: string): readonly PatchOperation[] {
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(after, key))
  return [
    ...removed.map((key) => ({ op: 'remove', path: appendSegment(path, key) }) as const),
    ...Object.entries(after).flatMap(([key, value]): readonly PatchOperation[] =>
      Object.hasOwn(before, key)
        ? createPatch(before[key], value, appendSegment(path, key))
        : [{ op: 'add', path: appendSegment(path, key), value }],
    ),
  ]
}

function diffLists(before: readonly unknown[], after: readonly unknown[], path: string): readonly PatchOperation[] {
  const shorter = Math.min(before.length, after.length)
  const start = countEqual(shorter, (index) => [before[index], after[index]])
  const end = countEqual(shorter - start, (index) => [before.at(-1 - index), after.at(-1 - index)])
  const old = before.slice(start, before.length - end)
  const next = after.slice(start, after.length - end)
  const changed = next.slice(0, old.length)
  return [
    ...changed.flatMap((value, index) => createPatch(old[index], value, appendSegment(path, start + index))),
    // Each removal shifts the later items.
    ...old
      .slice(changed.length)
      .map(() => ({ op: 'remove', path: appendSegment(path, start + changed.length) }) as const),
    ...next
      .slice(changed.length)
      .map(
        (value, index) => ({ op: 'add', path: appendSegment(path, start + changed.length + index), value }) as const,
      ),
  ]
}

function countEqual(most: number, pairAt: (index: number) => readonly [unknown, unknown]): number {
  let count = 0
  while (count < most && isEqual(...pairAt(count))) count += 1
  return count
}

/** Equality of JSON values (RFC 6902, section 4.6), which ignores the order of keys. */
function isEqual(a: unknown, b: unknown): boolean {
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => isEqual(item, b[index]))
  }
  if (!isRecord(a)) return a === b
  if (!isRecord(b)) return false
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key], b[key]))
}

/** Appends a segment to a JSON Pointer (RFC 6901, section 3). */
const appendSegment = (path: string, key: string | number): string =>
  `${path}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`
