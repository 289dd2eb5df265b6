import { ANONYMOUS, f } from 'daybook'
import { createTestService } from 'daybook/testing'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { kitchen } from '../../support/configs/configs.ts'
import { parseBody } from '../../support/scenarios/client.ts'
import { Pair } from '../../support/stores/pair.ts'
import { STORES } from '../../support/stores/stores.ts'

vi.mock('uuid', async () => ({ v7: (await import('../../support/stores/fixed-ids.ts')).fixedId }))

/** JSON texts of sort keys by type: values that a stored entry may have, and values that none has. */
const KINDS = {
  text: { right: ['""', '"zz"', '"é \\\\u0000"'], wrong: ['1', '0', '1.5', '1e308'] },
  number: { right: ['0', '1.5', '-7', '1e+308', '9007199254740992'], wrong: ['"1"', '""', '"NaN"', '1e400'] },
  boolean: { right: ['0', '1'], wrong: ['1.5', '0.5', '2', '-1', '1e+308', '9007199254740992', '"1"', '"true"'] },
  id: {
    right: ['"01a1f9d5-ddca-7255-9a37-e7bf8ce09df2"'],
    wrong: ['""', '"x"', '1', '"01A1F9D5-DDCA-7255-9A37-E7BF8CE09DF2"'],
  },
  time: {
    right: ['"2026-01-02T03:04:05.678Z"'],
    wrong: ['""', '"x"', '1', '"2026-01-02"', '"2026-02-30T03:04:05.678Z"', '"2026-01-02T03:04:05.678+00:00"'],
  },
} as const

/** JSON texts that are never sort keys. */
const NEVER = ['true', 'false', '[]', '{}', '[1]', '"\\u0000"', '"a\\u0000b"', '"\\ud800"', '"\\udc00a"', 'NaN', '-0']

/** Every sort key of a collection that has each type of field. A new type of field without a row fails the test. */
const THINGS: Readonly<Record<string, keyof typeof KINDS>> = {
  id: 'id',
  // Ids are in the order of creation.
  createdAt: 'id',
  updatedAt: 'time',
  title: 'text',
  slug: 'text',
  status: 'text',
  code: 'text',
  amount: 'number',
  count: 'number',
  flag: 'boolean',
  day: 'text',
  moment: 'text',
  kind: 'text',
  mail: 'text',
  link: 'text',
  parent: 'text',
  'seo.title': 'text',
  'seo.inner.rank': 'number',
}
/** Sort keys that every entry has. */
const FILLED = ['id', 'createdAt', 'updatedAt', 'slug', 'status']

const toCursor = (parts: readonly string[]): string => Buffer.from(`[${parts.join()}]`).toString('base64url')
const partsOf = (cursor: string): readonly string[] =>
  JSON.parse(Buffer.from(cursor, 'base64url').toString()).map((part: unknown) => JSON.stringify(part))

const REFUSED = {
  code: 'VALIDATION_ERROR',
  details: { issues: [{ path: 'cursor', code: 'cursor' }] },
}

describe('a tampered cursor on both stores', () => {
  let pair: Pair
  beforeAll(async () => {
    pair = await Pair.open(kitchen)
    for (const [title, flag, amount] of [
      ['One', true, 1.5],
      ['Two', false, -3],
      ['Three', null, null],
    ]) {
      const json = {
        title,
        flag,
        amount,
        count: amount === null ? 3 : 1,
        mail: 'a@example.org',
        link: 'https://a.example',
      }
      await pair.same('/api/things', { method: 'POST', json })
    }
  })
  afterAll(() => pair[Symbol.asyncDispose]())

  /** Returns the parts of a cursor after the first entry. */
  async function readCursorParts(query: string): Promise<readonly string[]> {
    const { nextCursor } = parseBody(await pair.same(`/api/things?limit=1&${query}`))
    return partsOf(String(nextCursor))
  }

  async function expectRefused(query: string, cursor: string): Promise<void> {
    const response = await pair.same(`/api/things?limit=1&${query}&cursor=${encodeURIComponent(cursor)}`)
    const shown = `${query} ${Buffer.from(cursor, 'base64url')}`
    expect(response.status, shown).toBe(400)
    expect(parseBody(response), shown).toMatchObject(REFUSED)
  }

  async function expectTaken(query: string, cursor: string): Promise<void> {
    const response = await pair.same(`/api/things?limit=1&${query}&cursor=${cursor}`)
    expect(response.status, `${query} ${Buffer.from(cursor, 'base64url')}`).toBe(200)
  }

  test('is tested for every sort key', async () => {
    await using service = await createTestService(kitchen)
    const { model } = service
    expect([...(model.collections.get('things')?.filterableFields.keys() ?? [])].sort()).toEqual(
      Object.keys(THINGS).sort(),
    )
  })

  test.each(Object.entries(THINGS))(
    'with another value of %s continues if an entry may have the value, and is rejected otherwise',
    async (path, kind) => {
      const isFilled = FILLED.includes(path)
      const right = [...KINDS[kind].right, ...(isFilled ? [] : ['null'])]
      const wrong = [...KINDS[kind].wrong, ...NEVER, ...(isFilled ? ['null'] : [])]
      for (const query of [`sort=${path}`, `sort=-${path}`]) {
        const [fingerprint = '', , ...rest] = await readCursorParts(query)
        for (const value of wrong) await expectRefused(query, toCursor([fingerprint, value, ...rest]))
        for (const value of right) await expectTaken(query, toCursor([fingerprint, value, ...rest]))
      }
    },
  )

  test.each(['sort=title', 'sort=flag,-amount', '', 'q=t&sort=count', 'q=t'])(
    'with another number of values is rejected: %s',
    async (query) => {
      const parts = await readCursorParts(query)
      await expectRefused(query, toCursor(parts.slice(0, -1)))
      await expectRefused(query, toCursor([...parts, '1']))
      await expectRefused(query, toCursor([...parts, 'null']))
      await expectRefused(query, toCursor([...parts, ...Array(600).fill('"x"')]))
      await expectRefused(query, toCursor([]))
      await expectRefused(query, toCursor(['null', ...parts.slice(1)]))
    },
  )

  test('with another rank is rejected unless a match may have the rank', async () => {
    const [fingerprint = ''] = await readCursorParts('q=t')
    for (const rank of ['-1', '1.5', '1e400', '1e+308', '9007199254740992', '"1"', 'null', ...NEVER])
      await expectRefused('q=t', toCursor([fingerprint, rank]))
    for (const rank of ['0', '1', '1000', '9007199254740991']) await expectTaken('q=t', toCursor([fingerprint, rank]))
  })

  test('in another spelling is rejected', async () => {
    const parts = await readCursorParts('sort=title')
    const cursor = toCursor(parts)
    const [fingerprint = '', title = '', id = ''] = parts
    for (const other of [
      `${cursor}=`,
      ` ${cursor}`,
      `${cursor}.`,
      toCursor([fingerprint, ` ${title}`, id]),
      toCursor([fingerprint, title.replace('O', '\\u004f'), id]),
    ])
      await expectRefused('sort=title', other)
  })

  test('with another character is rejected or continues, with the same response on both stores', async () => {
    const cursor = toCursor(await readCursorParts('sort=amount,-flag'))
    await fc.assert(
      fc.asyncProperty(fc.nat(cursor.length - 1), fc.constantFrom(...'abcXYZ019-_=+/.'), async (at, letter) => {
        const changed = encodeURIComponent(cursor.slice(0, at) + letter + cursor.slice(at + 1))
        const response = await pair.same(`/api/things?sort=amount,-flag&cursor=${changed}`)
        if (response.status !== 200) expect([response.status, parseBody(response)]).toMatchObject([400, REFUSED])
      }),
      { numRuns: 200 },
    )
  })

  test('with arbitrary changes is rejected or continues, with the same response on both stores', async () => {
    const value = fc.oneof(
      fc.constantFrom(...NEVER, ...Object.values(KINDS).flatMap(({ right, wrong }) => [...right, ...wrong])),
      fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value)),
    )
    const key = fc
      .tuple(fc.constantFrom('', '-'), fc.constantFrom(...Object.keys(THINGS)))
      .map((parts) => parts.join(''))
    const keys = fc.uniqueArray(key, { minLength: 1, maxLength: 3, selector: (name) => name.replace('-', '') })
    await fc.assert(
      fc.asyncProperty(
        keys,
        fc.array(fc.tuple(fc.nat(5), value), { minLength: 1, maxLength: 3 }),
        async (sort, changes) => {
          const query = `sort=${sort.join()}`
          const parts = [...(await readCursorParts(query))]
          for (const [at, changed] of changes) parts[1 + (at % (parts.length - 1))] = changed
          const response = await pair.same(`/api/things?${query}&cursor=${toCursor(parts)}`)
          if (response.status !== 200) expect([response.status, parseBody(response)]).toMatchObject([400, REFUSED])
        },
      ),
      { numRuns: 150 },
    )
  })
})

describe.each(STORES)('an original cursor on $name', (store) => {
  test('continues at a value that only an older config accepted, which is read and sorted as empty', async () => {
    const config = (rank: object) => ({ collections: { posts: { fields: { rank } } } })
    const place = await store.at()
    try {
      await place.serve(config(f.number()), async (service) => {
        for (const rank of [0.5, 1, 1.5, 2]) await service.content.create('posts' as never, { rank } as never)
      })
      await place.serve(config(f.integer()), async (service) => {
        const seen: unknown[] = []
        for (let cursor: string | null | undefined; cursor !== null; ) {
          const page: { readonly items: readonly object[]; readonly nextCursor: string | null } = await service.content
            .as(ANONYMOUS)
            .list('posts' as never, { sort: 'rank', limit: 1, ...(cursor ? { cursor } : {}) } as never)
          seen.push(...page.items.map((item) => (item as { readonly rank: unknown }).rank))
          cursor = page.nextCursor
        }
        expect(seen).toEqual([null, null, 1, 2])
      })
    } finally {
      await place[Symbol.asyncDispose]()
    }
  })
})
