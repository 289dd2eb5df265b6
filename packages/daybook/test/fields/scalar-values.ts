import { f } from 'daybook'
import { type FieldCases, POINT, TEXT_REFUSES } from './field-case.ts'

export const SCALAR_VALUES = {
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
} satisfies Partial<FieldCases>

function nested(levels: number): unknown {
  return levels === 0 ? 'the ground' : [nested(levels - 1)]
}
