import type { TestService } from 'daybook/testing'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { kitchen } from '../../support/configs/configs.ts'
import { parseBody, sendRequest } from '../../support/scenarios/client.ts'
import { expectQuietProcess } from '../../support/scenarios/sane.ts'
import type { TestResponse } from '../../support/scenarios/transports.ts'
import { POLICY_STORES } from '../../support/stores/stores.ts'

describe.each(POLICY_STORES)('a hostile body on $name', (store) => {
  let service: TestService
  beforeAll(async () => {
    service = await store.open(kitchen)
  })
  afterAll(async () => {
    await service.close()
    await expectQuietProcess()
  })

  const post = (raw: string | Uint8Array): Promise<TestResponse> =>
    sendRequest(service, '/api/things', { method: 'POST', raw })
  const total = async (): Promise<unknown> =>
    parseBody(await sendRequest(service, '/api/things?limit=0', { auth: true })).total

  /** Sends raw JSON text as the value of the JSON field. */
  const postData = (text: string): Promise<TestResponse> => post(`{"title":"t","data":${text}}`)

  describe('that is not JSON is 400', () => {
    const texts: readonly (readonly [string, string | Uint8Array])[] = [
      ['nothing', ''],
      ['spaces', '  '],
      ['a byte order mark', '\ufeff{"title":"t"}'],
      ['an open object', '{"title":"t"'],
      ['an open text', '{"title":"t}'],
      ['a trailing comma', '{"title":"t",}'],
      ['a comma too many', '{"title":"t",,"body":"x"}'],
      ['no comma', '{"title":"t" "body":"x"}'],
      ['no colon', '{"title" "t"}'],
      ['a second value', '{"title":"t"}{"title":"u"}'],
      ['trailing letters', '{"title":"t"}x'],
      ['a trailing NUL', '{"title":"t"}\0'],
      ['single quotes', "{'title':'t'}"],
      ['a bare key', '{title:"t"}'],
      ['a comment', '{"title":"t"/* c */}'],
      ['NaN', '{"title":"t","amount":NaN}'],
      ['Infinity', '{"title":"t","amount":-Infinity}'],
      ['undefined', '{"title":undefined}'],
      ['a leading zero', '{"title":"t","amount":01}'],
      ['a plus', '{"title":"t","amount":+1}'],
      ['a bare point', '{"title":"t","amount":.5}'],
      ['a hanging point', '{"title":"t","amount":5.}'],
      ['a hanging exponent', '{"title":"t","amount":5e}'],
      ['hexadecimal', '{"title":"t","amount":0x10}'],
      ['True', '{"title":"t","flag":True}'],
      ['a raw line end in a text', '{"title":"a\nb"}'],
      ['a raw tab in a text', '{"title":"a\tb"}'],
      ['a raw NUL in a text', '{"title":"a\0b"}'],
      ['a wrong escape', '{"title":"\\x41"}'],
      ['a short escape', '{"title":"\\u00"}'],
      ['bytes that are no UTF-8', Buffer.from('{"title":"\xff\xfe"}', 'latin1')],
      ['an overlong slash', Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xc0, 0xaf, 0x22, 0x7d])],
      ['a surrogate in UTF-8', Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x7d])],
      ['UTF-16', Buffer.from('{"title":"t"}', 'utf16le')],
      ['only brackets', '['.repeat(100_000)],
      ['only objects', '{"a":'.repeat(100_000)],
    ]
    test.each(texts)('%s', async (_name, raw) => {
      const response = await post(raw)
      expect(response.status).toBe(400)
      expect(parseBody(response)).toMatchObject({ code: 'VALIDATION_ERROR', details: { issues: [{ path: 'body' }] } })
    })

    test('and valid JSON is never called malformed', async () => {
      const seeds = [
        '{"title":"t","data":[1,-0.5e3,"\\u00e9",null,{"a":true}]}',
        ' { "title" : "t" } ',
        '"text"',
        '[]',
        '1e9',
      ]
      const pieces = [
        '"',
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        '\\',
        '\\u',
        'e',
        '-',
        '0',
        ' ',
        '\n',
        'null',
        '\ufeff',
        '\u2028',
      ]
      const mutated = fc
        .tuple(
          fc.constantFrom(...seeds),
          fc.array(fc.tuple(fc.nat(60), fc.nat(3), fc.constantFrom(...pieces)), { maxLength: 4 }),
        )
        .map(([seed, edits]) =>
          edits.reduce((text, [at, cut, piece]) => text.slice(0, at) + piece + text.slice(at + cut), seed),
        )
      await fc.assert(
        fc.asyncProperty(mutated, async (raw) => {
          const response = await post(raw)
          const issues = JSON.stringify(parseBody(response).details ?? {})
          expect(response.status === 400 && issues.includes('"code":"json"')).toBe(!isJson(raw))
        }),
        { numRuns: 300 },
      )
    })
  })

  describe('that is deeply nested is 400, without a stack overflow', () => {
    const deep = (levels: number, open: string, close: string): string => open.repeat(levels) + close.repeat(levels)
    test.each([
      ['a list of 100,000 lists', deep(100_000, '[', ']')],
      ['a field of 100,000 lists', `{"title":"t","data":${deep(100_000, '[', ']')}}`],
      ['a field of 50,000 objects', `{"title":"t","data":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}`],
      ['a group of 10,000 groups', `{"title":"t","seo":${'{"inner":'.repeat(10_000)}1${'}'.repeat(10_000)}}`],
    ])('%s', async (_name, raw) => {
      expect((await post(raw)).status).toBe(400)
    })

    test('and 20 levels are accepted', async () => {
      expect((await postData(deep(20, '[', ']'))).status).toBe(201)
    })
  })

  describe('with keys that reach a prototype is 400, at any depth', () => {
    const key = fc.constantFrom('__proto__', 'constructor', 'prototype')
    const wrap = fc.array(fc.constantFrom('{"a":#}', '[#]', '[1,#]', '{"b":null,"c":#}', '[{"d":#}]'), { maxLength: 8 })
    const inner = fc.constantFrom('{"polluted":true}', '"x"', 'null', '[]', '{"prototype":{"polluted":true}}')
    const nested = fc
      .tuple(wrap, key, inner)
      .map(([wraps, name, value]) =>
        wraps.reduceRight((text, wrap) => wrap.replace('#', () => text), `{"${name}":${value}}`),
      )

    test('in a JSON field, a group, a list or a block', async () => {
      const place = fc.constantFrom(
        '"data":#',
        '"seo":#',
        '"seo":{"inner":#}',
        '"rows":[#]',
        '"parts":[#]',
        '"point":#',
      )
      await fc.assert(
        fc.asyncProperty(place, nested, async (where, value) => {
          const response = await post(`{"title":"t",${where.replace('#', () => value)}}`)
          expect(response.status).toBe(400)
          expect(({} as Record<string, unknown>).polluted).toBeUndefined()
        }),
        { numRuns: 150 },
      )
    })

    test.each(['__proto__', 'constructor', 'prototype', '__pro\\u0074o__'])('at the top: %s', async (name) => {
      const raw = `{"title":"t","${name}":{"polluted":true}}`
      expect((await post(raw)).status).toBe(400)
      const global = await sendRequest(service, '/api/globals/wall', {
        method: 'PUT',
        raw: `{"${name}":{"polluted":true}}`,
      })
      expect(global.status).toBe(400)
      expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    })

    test('and similar names are data', async () => {
      const data = {
        proto: 1,
        _proto_: 2,
        hasOwnProperty: 3,
        toString: 4,
        valueOf: null,
        length: 5,
        toJSON: 7,
      }
      const created = await sendRequest(service, '/api/things', { method: 'POST', json: { title: 't', data } })
      expect(parseBody(created).data).toEqual(data)
    })
  })

  test('with a repeated key means the last one, for validation and for the store', async () => {
    const first = parseBody(await post('{"title":5,"title":"twice","title":"thrice"}'))
    expect(first.title).toBe('thrice')
    expect(parseBody(await sendRequest(service, `/api/things/${first.id}`)).title).toBe('thrice')
    expect((await post('{"title":"thrice","title":5}')).status).toBe(400)
  })

  describe('with values that JSON allows and a store might change', () => {
    test.each([
      ['NUL', '"a\\u0000b"'],
      ['a high surrogate alone', '"\\ud800"'],
      ['a low surrogate alone', '"a\\udc00"'],
      ['surrogates in the wrong order', '"\\udc00\\ud800"'],
      ['NUL in a key', '{"a\\u0000":1}'],
      ['a surrogate in a key', '{"\\ud800":1}'],
      ['a number beyond all doubles', '1e400'],
      ['one deep inside', '[{"a":[-1e999]}]'],
    ])('%s is 400', async (_name, text) => {
      const before = await total()
      expect((await postData(text)).status).toBe(400)
      expect(await total()).toBe(before)
    })

    test('numbers that a field cannot store exactly are rejected', async () => {
      for (const number of ['9007199254740993', '9007199254740992', '-9007199254740992', '1e400', '1e16', '0.1']) {
        expect((await post(`{"title":"t","count":${number}}`)).status, number).toBe(400)
      }
      expect((await post('{"title":"t","amount":1e400}')).status).toBe(400)
      expect(parseBody(await post('{"title":"t","count":-0,"amount":-0}'))).toMatchObject({ count: 0, amount: 0 })
      expect(parseBody(await post('{"title":"t","count":1e3,"amount":1.0}'))).toMatchObject({ count: 1000, amount: 1 })
    })

    test('every other JSON value is returned as it was sent', async () => {
      const value = fc.jsonValue({ maxDepth: 6 }).filter((candidate) => candidate !== null && isStorable(candidate))
      await fc.assert(
        fc.asyncProperty(value, async (data) => {
          const sent = JSON.stringify(data)
          const created = parseBody(await postData(sent))
          expect(JSON.stringify(created.data)).toBe(sent)
          const { id } = created
          expect(JSON.stringify(parseBody(await sendRequest(service, `/api/things/${id}`)).data)).toBe(sent)
        }),
        { numRuns: 100 },
      )
    })

    test('every well-formed text without NUL is returned as it was sent', async () => {
      const nasty = fc.constantFrom(
        "'",
        '"',
        '\\',
        '--',
        ';',
        ']',
        '$1',
        '?',
        '%',
        '_',
        '\u2028',
        '\u202e',
        '\ufeff',
        '🎉',
        'é',
        'e\u0301',
        '\r\n',
        '\u0001',
        '\u007f',
        '$&',
        '{{x}}',
        '</script>',
      )
      const text = fc.oneof(
        fc.string({ unit: 'binary', maxLength: 40 }),
        fc.array(nasty, { maxLength: 20 }).map((parts) => parts.join('')),
      )
      await fc.assert(
        fc.asyncProperty(text, async (long) => {
          const response = await sendRequest(service, '/api/things', {
            method: 'POST',
            json: { title: 't', long, body: long, data: [long], rows: [{ name: `x${long}` }] },
          })
          const isKept = !long.includes('\0') && long.isWellFormed()
          expect(response.status).toBe(isKept ? 201 : 400)
          if (!isKept) return
          const read = parseBody(await sendRequest(service, `/api/things/${parseBody(response).id}`))
          expect(read).toMatchObject({ long, body: long, data: [long], rows: [{ name: `x${long}` }] })
        }),
        { numRuns: 150 },
      )
    })
  })

  describe('with many issues lists at most 100', () => {
    const unknown = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`k${index}`, index]))
    test.each([
      ['100,000 unknown fields', { title: 't', ...unknown }],
      ['100,000 unknown fields in a group', { title: 't', seo: unknown }],
      ['100,000 wrong rows', { title: 't', rows: Array(100_000).fill({ size: 'x' }) }],
      ['1,000 wrong rows', { title: 't', rows: Array(1000).fill({ size: 'x', nope: 1 }) }],
      ['100,000 wrong words', { title: 't', words: Array(100_000).fill(5) }],
      ['100,000 wrong blocks', { title: 't', parts: Array(100_000).fill({ _type: 'nope' }) }],
      [
        '100,000 references to nothing',
        { title: 't', friends: Array.from({ length: 100_000 }, (_, index) => `${index}`) },
      ],
      [
        '1,000 references to nothing',
        {
          title: 't',
          friends: Array.from({ length: 1000 }, (_, n) => `01a1f9d5-ddca-7255-9a37-${String(n).padStart(12, '0')}`),
        },
      ],
    ])('%s', async (_name, json) => {
      const before = await total()
      const response = await sendRequest(service, '/api/things', { method: 'POST', json })
      expect(response.status).toBe(400)
      const { issues } = parseBody(response).details as { issues: readonly { path: string }[] }
      expect(issues.length).toBeGreaterThan(0)
      expect(issues.length).toBeLessThanOrEqual(100)
      for (const { path } of issues) expect(path).toMatch(/^\//)
      expect(response.text.length).toBeLessThan(64 * 1024)
      expect(await total()).toBe(before)
    })
  })

  test('of exactly the limit is accepted, and one byte more is 413', async () => {
    const limit = 4 * 1024 * 1024
    const padded = (size: number): string => '{"title":"t"}'.padEnd(size)
    expect((await post(padded(limit))).status).toBe(201)
    expect((await post(padded(limit + 1))).status).toBe(413)
  })

  test('that is compressed is 415, whatever the coding', async () => {
    for (const coding of ['gzip', 'br', 'deflate', 'gzip, gzip', 'zstd']) {
      const response = await sendRequest(service, '/api/things', {
        method: 'POST',
        raw: '{}',
        headers: { 'Content-Encoding': coding },
      })
      expect(response.status).toBe(415)
    }
  })
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Returns true if a value contains nothing that is rejected on purpose. */
function isStorable(value: unknown): boolean {
  const text = JSON.stringify(value)
  return !text.includes('\\u0000') && !/__proto__|constructor|prototype/.test(text) && isWellFormed(value)
}

function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed()
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([key, inner]) => key.isWellFormed() && isWellFormed(inner))
}
