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
  if (Array.isArray(before) && Array.isArray(after)) return listDifference(before, after, path)
  if (isRecord(before) && isRecord(after)) return objectDifference(before, after, path)
  return isSame(before, after) ? [] : [{ op: 'replace', path, value: after }]
}

type JsonObject = Readonly<Record<string, unknown>>

function objectDifference(before: JsonObject, after: JsonObject, path: string): readonly PatchOperation[] {
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(after, key))
  return [
    ...removed.map((key) => ({ op: 'remove', path: pathTo(path, key) }) as const),
    ...Object.entries(after).flatMap(([key, value]): readonly PatchOperation[] =>
      Object.hasOwn(before, key)
        ? createPatch(before[key], value, pathTo(path, key))
        : [{ op: 'add', path: pathTo(path, key), value }],
    ),
  ]
}

function listDifference(
  before: readonly unknown[],
  after: readonly unknown[],
  path: string,
): readonly PatchOperation[] {
  const shorter = Math.min(before.length, after.length)
  const start = countSame(shorter, (index) => [before[index], after[index]])
  const end = countSame(shorter - start, (index) => [before.at(-1 - index), after.at(-1 - index)])
  const old = before.slice(start, before.length - end)
  const next = after.slice(start, after.length - end)
  const changed = next.slice(0, old.length)
  return [
    ...changed.flatMap((value, index) => createPatch(old[index], value, pathTo(path, start + index))),
    // Each removal shifts the later items.
    ...old.slice(changed.length).map(() => ({ op: 'remove', path: pathTo(path, start + changed.length) }) as const),
    ...next
      .slice(changed.length)
      .map((value, index) => ({ op: 'add', path: pathTo(path, start + changed.length + index), value }) as const),
  ]
}

function countSame(most: number, pairAt: (index: number) => readonly [unknown, unknown]): number {
  let count = 0
  while (count < most && isSame(...pairAt(count))) count += 1
  return count
}

/** Equality of JSON values (RFC 6902, section 4.6), which ignores the order of keys. */
function isSame(one: unknown, other: unknown): boolean {
  if (Array.isArray(one)) {
    return Array.isArray(other) && one.length === other.length && one.every((item, index) => isSame(item, other[index]))
  }
  if (!isRecord(one)) return one === other
  if (!isRecord(other)) return false
  const keys = Object.keys(one)
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isSame(one[key], other[key]))
  )
}

/** Appends a segment to a JSON Pointer (RFC 6901, section 3). */
const pathTo = (path: string, key: string | number): string =>
  `${path}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`
