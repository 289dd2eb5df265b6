import { f } from 'daybook'

/** A valid value, with its stored form if that differs. */
export type Accepted = readonly [given: unknown, stored?: unknown]
/** An invalid value, with the code of the issue, and its path inside the field; `*`: any. */
export type Refused = readonly [given: unknown, code: string, path?: string]

/** One field of a config, with valid and invalid values. */
export interface FieldCase {
  readonly name: string
  readonly field: ReturnType<(typeof f)[keyof typeof f]>
  readonly accepts: readonly Accepted[]
  readonly refuses: readonly Refused[]
  /** The value that `null` stores; `'refused'` if the field is required. @default null */
  readonly empty?: unknown
  /** The value of a new entry without the field. @default the same as `empty` */
  readonly unnamed?: unknown
}

/** An entry that relations of the suite refer to, and a missing one. */
export const TARGET = '0198c0de-1111-7000-8000-00000000000a'
export const NOBODY = '0198c0de-1111-7000-8000-00000000000b'
/** The placeholder for the id of the entry that relations refer to. */
export const ID = '<id>'
export const SHOUTED_ID = '<ID>'
/** The placeholder for the id of a plain text file. */
export const FILE = '<file>'

const emoji = '\u{1F600}'
const LONG_SLUG = 'a'.repeat(200)

/** Invalid values of every type whose values are texts. */
const TEXT_REFUSES: readonly Refused[] = [
  [5, 'type'],
  [true, 'type'],
  [['a'], 'type'],
  [{ a: 1 }, 'type'],
  ['with \0 in it', 'character'],
  ['half a pair \ud83d', 'character'],
  ['the other half \ude00', 'character'],
]

const POINT = {
  type: 'object',
  properties: { x: { $ref: '#/$defs/coordinate' } },
  required: ['x'],
  $defs: { coordinate: { type: 'number', maximum: 9 } },
} as const

/** Every builder with its valid and invalid values. A new type without cases does not compile. */
export const FIELDS: Readonly<Record<keyof typeof f, readonly FieldCase[]>> = {
  text: [
    {
      name: 'left alone',
      field: f.text(),
      accepts: [[''], ['a'], [' as it came '], ['two\nlines'], ['e\u0301'], [emoji.repeat(512)], ['</script>']],
      refuses: [...TEXT_REFUSES, ['a'.repeat(513), 'maxLength']],
    },
    {
      name: 'with bounds',
      field: f.text({ minLength: 2, maxLength: 3, pattern: '^\\p{Lu}' }),
      accepts: [['Äb'], [`A${emoji}`], ['ABC']],
      refuses: [
        ['A', 'minLength'],
        [`A${emoji.repeat(3)}`, 'maxLength'],
        ['ab', 'pattern'],
      ],
    },
    {
      name: 'without an index',
      field: f.text({ index: false }),
      accepts: [['a'.repeat(100_000)]],
      refuses: [['a'.repeat(100_001), 'maxLength']],
    },
    {
      name: 'required',
      field: f.text({ required: true }),
      accepts: [['a']],
      refuses: [
        ['', 'required'],
        [' \n\u00a0\u3000', 'required'],
      ],
      empty: 'refused',
    },
    {
      name: 'required, with a default',
      field: f.text({ required: true, default: 'none' }),
      accepts: [['a']],
      refuses: [
        ['', 'required'],
        [' \n\u00a0\u3000', 'required'],
      ],
      empty: 'refused',
      unnamed: 'none',
    },
    {
      name: 'with a default',
      field: f.text({ default: 'none' }),
      accepts: [[''], ['a']],
      refuses: [],
      unnamed: 'none',
    },
  ],
  markdown: [
    {
      name: 'left alone',
      field: f.markdown(),
      accepts: [[''], ['# Title\n\n- *one*'], ['a'.repeat(1_000_000)]],
      refuses: [...TEXT_REFUSES, ['a'.repeat(1_000_001), 'maxLength']],
    },
    {
      name: 'with a bound, a default and no HTML',
      field: f.markdown({ maxLength: 5, default: '*new*', html: false }),
      accepts: [['12345']],
      refuses: [['123456', 'maxLength']],
      unnamed: '*new*',
    },
    {
      name: 'required',
      field: f.markdown({ required: true }),
      accepts: [['a']],
      refuses: [
        ['', 'required'],
        [' \n\u00a0\u3000', 'required'],
      ],
      empty: 'refused',
    },
  ],
  number: [
    {
      name: 'left alone',
      field: f.number(),
      accepts: [[0], [-0, 0], [0.1], [-1.5e-300], [Number.MAX_VALUE], [Number.MIN_VALUE], [2 ** 53]],
      refuses: [
        ['1', 'type'],
        [true, 'type'],
        [[1], 'type'],
        [Number.NaN, 'type'],
        [Number.POSITIVE_INFINITY, 'type'],
      ],
    },
    {
      name: 'with bounds and a default',
      field: f.number({ min: 0, max: 1, default: 0.5 }),
      accepts: [[0], [1], [-0, 0]],
      refuses: [
        [-Number.MIN_VALUE, 'minimum'],
        [1.0000000000000002, 'maximum'],
      ],
      unnamed: 0.5,
    },
    { name: 'required', field: f.number({ required: true }), accepts: [[0], [-0, 0]], refuses: [], empty: 'refused' },
  ],
  integer: [
    {
      name: 'left alone',
      field: f.integer(),
      accepts: [[0], [-0, 0], [7], [Number.MAX_SAFE_INTEGER], [Number.MIN_SAFE_INTEGER]],
      refuses: [
        [0.5, 'type'],
        ['1', 'type'],
        [2 ** 53, 'maximum'],
        [-(2 ** 53), 'minimum'],
        [1e300, 'maximum'],
        [Number.NaN, 'type'],
      ],
    },
    {
      name: 'with bounds and a default',
      field: f.integer({ min: 1, max: 3, default: 2 }),
      accepts: [[1], [3]],
      refuses: [
        [0, 'minimum'],
        [4, 'maximum'],
      ],
      unnamed: 2,
    },
  ],
  boolean: [
    {
      name: 'left alone',
      field: f.boolean(),
      accepts: [[true], [false]],
      refuses: [
        ['true', 'type'],
        [1, 'type'],
        [0, 'type'],
      ],
    },
    { name: 'with a default', field: f.boolean({ default: false }), accepts: [[true]], refuses: [], unnamed: false },
    { name: 'required', field: f.boolean({ required: true }), accepts: [[false]], refuses: [], empty: 'refused' },
  ],
  date: [
    {
      name: 'left alone',
      field: f.date(),
      accepts: [['2026-11-20'], ['2024-02-29'], ['2000-02-29'], ['0001-01-01'], ['9999-12-31']],
      refuses: [
        ...TEXT_REFUSES,
        ['2026-02-30', 'format'],
        ['2026-02-29', 'format'],
        ['1900-02-29', 'format'],
        ['2026-13-01', 'format'],
        ['2026-00-10', 'format'],
        ['2026-1-1', 'format'],
        ['20.11.2026', 'format'],
        [' 2026-11-20', 'format'],
        ['', 'format'],
        ['2026-11-20T00:00:00Z', 'format'],
      ],
    },
    {
      name: 'with a default',
      field: f.date({ default: '2026-01-01' }),
      accepts: [],
      refuses: [],
      unnamed: '2026-01-01',
    },
  ],
  datetime: [
    {
      name: 'left alone',
      field: f.datetime(),
      accepts: [
        ['2026-11-20T10:00:00.000Z'],
        ['2026-11-20T10:00:00Z', '2026-11-20T10:00:00.000Z'],
        ['2026-11-20T10:00:00+02:00', '2026-11-20T08:00:00.000Z'],
        ['2026-11-20T00:30:00.5-09:30', '2026-11-20T10:00:00.500Z'],
        ['2026-01-01T00:30:00+01:00', '2025-12-31T23:30:00.000Z'],
        ['2026-11-20T10:00:00.123999Z', '2026-11-20T10:00:00.123Z'],
      ],
      refuses: [
        ...TEXT_REFUSES,
        ['2026-11-20T10:00:00', 'format'],
        ['2026-11-20', 'format'],
        ['2026-02-30T10:00:00Z', 'format'],
        ['2026-11-20T25:00:00Z', 'format'],
        ['2026-11-20T10:60:00Z', 'format'],
        ['2016-12-31T23:59:60Z', 'format'],
        ['2026-11-20T10:00:00+99:00', 'format'],
        ['Fri, 20 Nov 2026 10:00:00 GMT', 'format'],
        [1_795_000_000_000, 'type'],
        ['', 'format'],
        // In UTC these lie outside the years that RFC 3339 can write.
        ['0000-01-01T00:00:00+14:00', 'format'],
        ['9999-12-31T23:59:59-01:00', 'format'],
      ],
    },
    {
      name: 'with a default',
      field: f.datetime({ default: '2026-01-01T00:00:00+01:00' }),
      accepts: [],
      refuses: [],
      unnamed: '2025-12-31T23:00:00.000Z',
    },
  ],
  select: [
    {
      name: 'one',
      field: f.select({ options: ['news', 'how to', 'Ü'] }),
      accepts: [['news'], ['how to'], ['Ü']],
      refuses: [
        ['blue', 'enum'],
        ['News', 'enum'],
        ['', 'enum'],
        [['news'], 'enum'],
        [1, 'enum'],
      ],
    },
    {
      name: 'one, with a default',
      field: f.select({ options: ['a', 'b'], default: 'b' }),
      accepts: [['a']],
      refuses: [],
      unnamed: 'b',
    },
    {
      name: 'one, required',
      field: f.select({ options: ['a'], required: true }),
      accepts: [['a']],
      refuses: [],
      empty: 'refused',
    },
    {
      name: 'many',
      field: f.select({ options: ['a', 'b', 'c'], many: true }),
      accepts: [[[]], [['c', 'a']]],
      refuses: [
        ['a', 'type'],
        [['a', 'a'], 'uniqueItems'],
        [['a', 'x'], 'enum', '/1'],
        [[null], 'enum', '/0'],
        [{ 0: 'a' }, 'type'],
      ],
      empty: [],
    },
    {
      name: 'many, required',
      field: f.select({ options: ['a'], many: true, required: true }),
      accepts: [[['a']]],
      refuses: [[[], 'required']],
      empty: 'refused',
    },
    {
      name: 'many, with a default',
      field: f.select({ options: ['a', 'b'], many: true, default: ['b'] }),
      accepts: [[[]]],
      refuses: [],
      empty: [],
      unnamed: ['b'],
    },
  ],
  email: [
    {
      name: 'left alone',
      field: f.email(),
      accepts: [['ines@example.org'], ['Ines.Prado+blog@mail.example.org'], ["o'neil@example.org"]],
      refuses: [
        ...TEXT_REFUSES,
        ['', 'format'],
        ['ines', 'format'],
        ['ines@', 'format'],
        ['@example.org', 'format'],
        ['ines@@example.org', 'format'],
        ['ines@example..org', 'format'],
        ['ines prado@example.org', 'format'],
        ['Inés <ines@example.org>', 'format'],
        ['ines@example.org\nBcc: all@example.org', 'format'],
        [`${'a'.repeat(310)}@example.org`, 'maxLength'],
      ],
    },
  ],
  url: [
    {
      name: 'left alone',
      field: f.url(),
      accepts: [
        ['https://example.org'],
        ['http://example.org:8080/a/b?c=d&e=%20#f'],
        ['https://[2001:db8::1]/'],
        ['https://xn--exmple-cua.org/'],
      ],
      refuses: [
        ...TEXT_REFUSES,
        ['javascript:alert(1)', 'url'],
        ['JaVaScRiPt:alert(1)', 'url'],
        ['data:text/html,<script>', 'url'],
        ['ftp://example.org', 'url'],
        ['file:///etc/hosts', 'url'],
        ['//example.org', 'url'],
        ['/about', 'url'],
        ['example.org', 'url'],
        [' https://example.org', 'url'],
        ['javascript:alert(1)//\nhttps://example.org', 'url'],
        ['https://example.org/a b', 'format'],
        ['https://example.org/"onclick="alert(1)', 'format'],
        ['https://', 'url'],
        ['https:///path', 'url'],
        [`https://example.org/${'a'.repeat(2000)}`, 'maxLength'],
      ],
    },
  ],
  slug: [
    {
      name: 'left alone',
      field: f.slug(),
      accepts: [
        ['a'],
        ['release-1.2_final'],
        ['Größe'],
        ['日本語'],
        ['2026'],
        [LONG_SLUG],
        // Decomposed letters and marks, which are stored composed.
        ['cafe\u0301', 'caf\u00e9'],
        ['\u1112\u1161\u11ab', '\ud55c'],
      ],
      refuses: [
        ...TEXT_REFUSES,
        ['', 'minLength'],
        [`${LONG_SLUG}a`, 'maxLength'],
        ['two words', 'slug'],
        ['-a', 'slug'],
        ['a-', 'slug'],
        ['a--b', 'slug'],
        ['a/b', 'slug'],
        ['..', 'slug'],
        ['a%2fb', 'slug'],
        ['a?b', 'slug'],
        [emoji, 'slug'],
        ['a\n', 'slug'],
        [TARGET, 'id_shape'],
        [TARGET.toUpperCase(), 'id_shape'],
      ],
      empty: 'refused',
    },
    {
      name: 'from another field',
      field: f.slug({ from: 'title' }),
      accepts: [['own']],
      refuses: [],
      empty: 'the-title',
    },
  ],
  status: [
    {
      name: 'left alone',
      field: f.status(),
      accepts: [['draft'], ['published'], ['archived']],
      refuses: [
        ['review', 'enum'],
        ['Draft', 'enum'],
        ['', 'enum'],
        [1, 'enum'],
      ],
      empty: 'published',
    },
    {
      name: 'with values of its own',
      field: f.status({ options: ['idea', 'published'], default: 'idea' }),
      accepts: [['published']],
      refuses: [['draft', 'enum']],
      empty: 'idea',
    },
  ],
  json: [
    {
      name: 'left alone',
      field: f.json(),
      accepts: [
        [{}],
        [[]],
        [''],
        [false],
        [0],
        ['text'],
        [{ a: [1, { b: null }], '': 'empty key', 'a b': 'ü', toString: 'own' }],
        [nested(60)],
      ],
      refuses: [
        [JSON.parse('{"__proto__":{"admin":true}}'), 'unknown_field', '/__proto__'],
        [{ a: [{ constructor: 1 }] }, 'unknown_field', '/a/0/constructor'],
        [{ prototype: 1 }, 'unknown_field', '/prototype'],
        [{ a: 'with \0 in it' }, 'character', '/a'],
        [{ 'a\0': 1 }, 'character', '*'],
        [['half \ud83d'], 'character', '/0'],
        [nested(100), 'depth', '*'],
      ],
    },
    {
      name: 'with a schema that refers to itself',
      field: f.json({ schema: POINT }),
      accepts: [[{ x: 9 }], [{ x: 1, more: true }]],
      refuses: [
        [{ x: 10 }, 'maximum', '/x'],
        [{}, 'required', '/x'],
        [[], 'type'],
        ['x', 'type'],
      ],
    },
    {
      name: 'with a schema of one value',
      field: f.json({ schema: { type: 'string', const: 'only' } }),
      accepts: [['only']],
      refuses: [['other', 'const']],
    },
    {
      name: 'with a schema of types',
      field: f.json({ schema: { type: ['string', 'number'] }, default: 5 }),
      accepts: [['a'], [1]],
      refuses: [[true, 'type']],
      unnamed: 5,
    },
    {
      name: 'required',
      field: f.json({ required: true }),
      accepts: [[false], [0], [{}]],
      refuses: [],
      empty: 'refused',
    },
  ],
  asset: [
    {
      name: 'one',
      field: f.asset(),
      accepts: [[FILE]],
      refuses: [
        [ID, 'reference'],
        [NOBODY, 'reference'],
        ['note.txt', 'format'],
        [5, 'type'],
        [[FILE], 'type'],
      ],
    },
    {
      name: 'many',
      field: f.asset({ many: true }),
      accepts: [[[]], [[FILE]]],
      refuses: [
        [FILE, 'type'],
        [[FILE, NOBODY], 'reference'],
        [[FILE, FILE], 'uniqueItems'],
      ],
      empty: [],
    },
    {
      name: 'texts, or images',
      field: f.asset({ accept: ['text/plain', 'image/*'], maxBytes: 9 }),
      accepts: [[FILE]],
      refuses: [[NOBODY, 'reference']],
    },
    {
      name: 'images',
      field: f.asset({ accept: ['image/*'] }),
      accepts: [],
      refuses: [[FILE, 'accept']],
    },
    {
      name: 'shorter',
      field: f.asset({ maxBytes: 8 }),
      accepts: [],
      refuses: [[FILE, 'accept']],
    },
  ],
  relation: [
    {
      name: 'one',
      field: f.relation('targets'),
      accepts: [[ID], [SHOUTED_ID, ID]],
      refuses: [
        [NOBODY, 'reference'],
        ['the-slug', 'format'],
        ['', 'format'],
        [5, 'type'],
        [[ID], 'type'],
        [{ id: ID }, 'type'],
      ],
    },
    {
      name: 'one, required',
      field: f.relation('targets', { required: true }),
      accepts: [[ID]],
      refuses: [],
      empty: 'refused',
    },
    {
      name: 'many',
      field: f.relation('targets', { many: true }),
      accepts: [[[]], [[ID]], [[SHOUTED_ID], [ID]], [[ID, SHOUTED_ID], [ID]]],
      refuses: [
        [ID, 'type'],
        [[ID, NOBODY], 'reference'],
        [[ID, ID], 'uniqueItems'],
        [['x'], 'format', '/0'],
        [[null], 'type', '/0'],
      ],
      empty: [],
    },
    {
      name: 'one, in several collections',
      field: f.relation(['targets', 'others']),
      accepts: [
        [{ collection: 'targets', id: ID }],
        [
          { id: SHOUTED_ID, collection: 'targets' },
          { collection: 'targets', id: ID },
        ],
      ],
      refuses: [
        [{ collection: 'others', id: ID }, 'reference'],
        [{ collection: 'nothing', id: ID }, 'reference'],
        [{ collection: 'targets', id: NOBODY }, 'reference'],
        [{ collection: 'targets', id: 'the-slug' }, 'format', '/id'],
        [{ collection: 'targets' }, 'required', '/id'],
        [{ id: ID }, 'required', '/collection'],
        [{ collection: 'targets', id: ID, title: 'T' }, 'unknown_field', '/title'],
        [{ collection: 5, id: ID }, 'type', '/collection'],
        [ID, 'type'],
        [[], 'type'],
      ],
    },
    {
      name: 'many, in several collections',
      field: f.relation(['targets', 'others'], { many: true }),
      accepts: [
        [[]],
        [[{ collection: 'targets', id: ID }]],
        [
          [
            { collection: 'targets', id: ID },
            { collection: 'targets', id: SHOUTED_ID },
          ],
          [{ collection: 'targets', id: ID }],
        ],
      ],
      refuses: [
        [{ collection: 'targets', id: ID }, 'type'],
        [[ID], 'type', '/0'],
        [[{ collection: 'targets', id: NOBODY }], 'reference'],
      ],
      empty: [],
    },
  ],
  // Nothing is stored: see test/http/lists/reverse.test.ts.
  reverse: [],
  group: [
    {
      name: 'with fields of every sort',
      field: f.group({
        name: f.text({ required: true }),
        size: f.integer({ default: 3 }),
        tags: f.select({ options: ['a', 'b'], many: true }),
        at: f.datetime(),
        inner: f.group({ rank: f.number({ default: 1 }), note: f.text() }),
      }),
      accepts: [
        [{ name: 'A' }, { name: 'A', size: 3, tags: [], at: null, inner: null }],
        [
          { inner: {}, at: '2026-11-20T10:00:00+01:00', size: null, name: 'A' },
          { name: 'A', size: null, tags: [], at: '2026-11-20T09:00:00.000Z', inner: { rank: 1, note: null } },
        ],
      ],
      refuses: [
        [{}, 'required', '/name'],
        [{ name: null }, 'type', '/name'],
        [{ name: 'A', nmae: 'B' }, 'unknown_field', '/nmae'],
        [{ name: 'A', inner: { rank: '1' } }, 'type', '/inner/rank'],
        [{ name: 'A', inner: { id: 1 } }, 'unknown_field', '/inner/id'],
        [{ name: 'A', at: 'now' }, 'format', '/at'],
        ['A', 'type'],
        [[{ name: 'A' }], 'type'],
      ],
    },
    {
      name: 'with a required field that has a default',
      field: f.group({ size: f.integer({ required: true, default: 3 }) }),
      accepts: [[{}, { size: 3 }], [{ size: 4 }]],
      refuses: [[{ size: null }, '*', '/size']],
    },
    {
      name: 'with required texts and lists',
      field: f.group({
        name: f.text({ required: true }),
        tags: f.select({ options: ['a'], many: true, required: true }),
      }),
      accepts: [[{ name: 'A', tags: ['a'] }]],
      refuses: [
        [{ name: '', tags: ['a'] }, '*', '/name'],
        [{ name: 'A', tags: [] }, '*', '/tags'],
      ],
    },
    {
      name: 'with Markdown',
      field: f.group({ text: f.markdown() }),
      accepts: [
        [{ text: '*a*' }, { text: '*a*', textHtml: '<p><em>a</em></p>' }],
        [
          { text: '*a*', textHtml: '<script>' },
          { text: '*a*', textHtml: '<p><em>a</em></p>' },
        ],
        [{}, { text: null, textHtml: null }],
      ],
      refuses: [],
    },
    {
      name: 'required',
      field: f.group({ a: f.text() }, { required: true }),
      accepts: [[{}, { a: null }]],
      refuses: [],
      empty: 'refused',
    },
  ],
  list: [
    {
      name: 'of texts',
      field: f.list(f.text({ maxLength: 3 }), { min: 1, max: 2 }),
      accepts: [[['a']], [['a', 'a']]],
      refuses: [
        [[], 'minItems'],
        [['a', 'b', 'c'], 'maxItems'],
        [['abcd'], 'maxLength', '/0'],
        [['a', null], 'type', '/1'],
        [['a\0'], 'character', '/0'],
        ['a', 'type'],
        [{ 0: 'a' }, 'type'],
      ],
      empty: [],
    },
    {
      name: 'of groups, with a default',
      field: f.list(f.group({ name: f.text({ required: true }), rank: f.integer({ default: 1 }) }), {
        default: [{ name: 'first' }],
      }),
      accepts: [
        [[]],
        [
          [{ name: 'A' }, { rank: -0, name: 'B' }],
          [
            { name: 'A', rank: 1 },
            { name: 'B', rank: 0 },
          ],
        ],
      ],
      refuses: [
        [[{ name: 'A' }, {}], 'required', '/1/name'],
        [[{ name: 'A', x: 1 }], 'unknown_field', '/0/x'],
      ],
      empty: [],
      unnamed: [{ name: 'first', rank: 1 }],
    },
    {
      name: 'of moments',
      field: f.list(f.datetime()),
      accepts: [[['2026-11-20T10:00:00+01:00'], ['2026-11-20T09:00:00.000Z']]],
      refuses: [[['2026-11-20'], 'format', '/0']],
      empty: [],
    },
    {
      name: 'of lists',
      field: f.list(f.list(f.number(), { max: 2 })),
      accepts: [
        [
          [[], [1, -0]],
          [[], [1, 0]],
        ],
      ],
      refuses: [[[[1, 2, 3]], 'maxItems', '/0']],
      empty: [],
    },
    {
      name: 'of JSON with a schema',
      field: f.list(f.json({ schema: POINT })),
      accepts: [[[{ x: 1 }]]],
      refuses: [[[{ x: 10 }], 'maximum', '/0/x']],
      empty: [],
    },
    {
      name: 'as long as it may be',
      field: f.list(f.integer()),
      accepts: [[Array.from({ length: 1000 }, (_, index) => index)]],
      refuses: [[Array.from({ length: 1001 }, () => 0), 'maxItems']],
      empty: [],
    },
  ],
  blocks: [
    {
      name: 'of two kinds',
      field: f.blocks(
        {
          quote: { text: f.text({ required: true }), by: f.text({ default: 'nobody' }) },
          prose: { text: f.markdown() },
        },
        { max: 3 },
      ),
      accepts: [
        [[]],
        [
          [{ text: 'A', _type: 'quote' }, { _type: 'prose', text: '*a*' }, { _type: 'prose' }],
          [
            { _type: 'quote', text: 'A', by: 'nobody' },
            { _type: 'prose', text: '*a*', textHtml: '<p><em>a</em></p>' },
            { _type: 'prose', text: null, textHtml: null },
          ],
        ],
      ],
      refuses: [
        [[{ _type: 'table', text: 'A' }], 'discriminator', '/0'],
        [[{ text: 'A' }], 'required', '/0/_type'],
        [[{ _type: 5, text: 'A' }], 'discriminator', '/0'],
        [[{ _type: 'constructor' }], 'discriminator', '/0'],
        [[{ _type: 'quote' }], 'required', '/0/text'],
        [[{ _type: 'prose', by: 'A' }], 'unknown_field', '/0/by'],
        [[{ _type: 'prose', text: 5 }], 'type', '/0/text'],
        [[null], 'type', '/0'],
        [['prose'], 'type', '/0'],
        [{ _type: 'prose' }, 'type'],
        [Array.from({ length: 4 }, () => ({ _type: 'prose' })), 'maxItems'],
      ],
      empty: [],
    },
    {
      name: 'inside blocks',
      field: f.blocks({ row: { cells: f.blocks({ cell: { rank: f.integer({ default: 1 }) } }) } }),
      accepts: [
        [
          [{ _type: 'row', cells: [{ _type: 'cell' }] }, { _type: 'row' }],
          [
            { _type: 'row', cells: [{ _type: 'cell', rank: 1 }] },
            { _type: 'row', cells: [] },
          ],
        ],
      ],
      refuses: [[[{ _type: 'row', cells: [{ _type: 'row' }] }], 'discriminator', '/0/cells/0']],
      empty: [],
    },
  ],
}

/** A value with a depth of nesting. */
function nested(levels: number): unknown {
  return levels === 0 ? 'the ground' : [nested(levels - 1)]
}
