import fc from 'fast-check'

/** Generates plain objects, as JSON.parse returns them. */
export const record = <T>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> =>
  fc.record(fields, { noNullPrototype: true }) as fc.Arbitrary<T>

/** Values of fields of every kind. There are few, so that a guess is often right. */
export const target = fc.constantFrom('{target0}', '{target1}', '{shut}', null)
export const label = fc.constantFrom('a', 'b', '', null)
const KINDS: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  Text: fc.constantFrom('a', 'b', 'zebra', null),
  Note: fc.constantFrom('*a*', 'b zebra', null),
  Rank: fc.constantFrom(1, 2, null),
  Flag: fc.constantFrom(true, false, null),
  Kind: fc.constantFrom('x', 'y', null),
  Kinds: fc.subarray(['x', 'y']),
  Data: fc.constantFrom({ a: 1 }, { b: 2, c: 3 }, 'a', null),
  Group: fc.constantFrom({ code: 'a' }, { code: 'b', size: 1 }, null),
  Rows: fc.array(record({ who: fc.constantFrom('{target0}', '{target1}', null), label }), { maxLength: 2 }),
  Parts: fc.constantFrom([], [{ _type: 'quote', words: 'a' }], [{ _type: 'prose', text: 'zebra' }]),
  Label: label,
  Ref: target,
  Refs: fc.subarray(['{target0}', '{target1}', '{shut}']),
  Must: fc.constantFrom('a', 'b'),
}

/** Invalid values, by kind of field. */
const WRONG: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  Rank: fc.constantFrom(-1, 'a'),
  Data: fc.constantFrom({ a: 1, b: 2, c: 3 }, 5, { a: null }),
  Group: fc.constantFrom({ size: 1 }, { code: null }, {}),
  Must: fc.constantFrom('', null),
}

const fieldsOf = (prefix: string, kinds: Readonly<Record<string, fc.Arbitrary<unknown>>>) =>
  Object.fromEntries(Object.entries(kinds).map(([kind, values]) => [`${prefix}${kind}`, values]))

/** The values in which the two worlds differ: all that the caller may not read. */
export const secrets = record({ ...fieldsOf('sealed', KINDS), ...fieldsOf('blind', KINDS) })
export const plain = {
  title: fc.constantFrom('A', 'B', 'zebra'),
  body: fc.constantFrom('*a*', null),
  tagline: fc.constantFrom('a', 'b', null),
  seo: fc.constantFrom({ words: 'a' }, { weight: 1 }, null),
  link: target,
  links: fc.subarray(['{target0}', '{shut}', '{gone}']),
}

/** A few of the fields. A write with most of them would rarely be accepted. */
export const someOf = (
  fields: Readonly<Record<string, fc.Arbitrary<unknown>>>,
  maxKeys: number,
): fc.Arbitrary<Readonly<Record<string, unknown>>> =>
  fc
    .subarray(Object.keys(fields), { maxLength: maxKeys })
    .chain((keys) => record(Object.fromEntries(keys.map((key) => [key, fields[key] as fc.Arbitrary<unknown>]))))

/** Data that the caller sends: for fields that they read, for fields that they may only write, and now and then for sealed ones. */
export const body = fc
  .tuple(
    someOf(plain, 2),
    someOf(fieldsOf('blind', KINDS), 2),
    fc.oneof(
      { weight: 8, arbitrary: fc.constant({}) },
      { weight: 1, arbitrary: someOf(fieldsOf('blind', WRONG), 1) },
      { weight: 1, arbitrary: someOf(fieldsOf('sealed', { ...KINDS, ...WRONG }), 1) },
    ),
  )
  .map((parts): Readonly<Record<string, unknown>> => Object.assign({}, ...parts))
