import { f } from 'daybook'
import { FILE, type FieldCases, ID, NOBODY, POINT, SHOUTED_ID } from './field-case.ts'

export const STRUCTURE_VALUES = {
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
  parent: [
    {
      name: 'of an entry of the same collection',
      field: f.parent(),
      accepts: [],
      refuses: [
        [NOBODY, 'reference'],
        [ID, 'reference'],
        ['the-slug', 'format'],
        [[ID], 'type'],
      ],
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
} satisfies Partial<FieldCases>
