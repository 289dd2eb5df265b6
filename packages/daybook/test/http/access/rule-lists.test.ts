import { type AccessWhere, type Caller, defineCollection, defineConfig, f, type Identity, SYSTEM } from 'daybook'
import { describe, expect, test } from 'vitest'
import { STORES } from '../../support/stores/stores.ts'

const CATEGORIES = ['release', 'event', 'wg', null]
const COUNT = 60

/** Rules with every operator that a list can filter by. */
const RULES: readonly AccessWhere[] = [
  { status: { eq: 'published' } },
  { status: { in: ['published', 'archived'] } },
  { status: { ne: 'draft' }, category: { eq: 'release' } },
  { or: [{ status: { eq: 'draft' } }, { status: { eq: 'archived' } }] },
  { or: [{ status: { eq: 'draft' } }, { category: { eq: 'wg' } }] },
  { not: { status: { exists: true } } },
  { category: { eq: 'release' } },
  { category: { ne: 'release' } },
  { category: { exists: false } },
  { category: { in: ['event', 'wg'] } },
  { title: { contains: '7' } },
  { featured: { eq: true } },
  { minutes: { lt: 9 } },
  { minutes: { gte: 3 }, category: { eq: 'event' }, featured: { ne: true } },
  { 'seo.rank': { eq: 1 } },
  { 'seo.rank': { gt: 0 }, not: { minutes: { lt: 2 } } },
  { or: [{ category: { eq: 'wg' } }, { minutes: { lt: 2 } }] },
  { labels: { in: ['red'] } },
  { labels: { nin: ['red'] }, minutes: { lt: 12 } },
  { next: { exists: true }, minutes: { lt: 12 } },
  { 'next.category': { eq: 'release' } },
]

const QUERIES = [
  '',
  'sort=-day',
  'sort=minutes,-title',
  'sort=-createdAt',
  'q=word',
  'q=word&sort=title',
  'status=draft,published',
]

/** A collection that sessions read as a whole, and the public by the current rule. */
function configWith(rule: () => AccessWhere) {
  const articles = defineCollection({
    fields: {
      title: f.text({ required: true }),
      status: f.status(),
      category: f.text(),
      minutes: f.integer(),
      day: f.date(),
      featured: f.boolean(),
      labels: f.select({ options: ['red', 'green'], many: true }),
      seo: f.group({ rank: f.integer() }),
      next: f.relation('articles'),
    },
    indexes: [
      ['category', '-day'],
      ['category', 'featured', 'minutes'],
    ],
    access: { read: ({ identity }) => identity?.actorType === 'service' || rule() },
  })
  return defineConfig({ collections: { articles } })
}

interface Listed {
  readonly total: number
  readonly items: readonly { readonly id: string }[]
  readonly nextCursor: string | null
}

type Service = Awaited<ReturnType<(typeof STORES)[number]['open']>>

const MEMBER: Caller = { principal: { id: 'ann' }, identity: { ...(SYSTEM.identity as Identity), actorType: 'human' } }

async function fill({ content }: Service): Promise<void> {
  const ids: string[] = []
  for (let n = 0; n < COUNT; n++) {
    const entry = {
      title: `Word ${n}`,
      status: ['published', 'draft', 'published', 'archived', 'published'][n % 5],
      category: CATEGORIES[n % 4],
      minutes: n % 7 === 0 ? null : n % 13,
      day: `2026-01-${String(1 + (n % 28)).padStart(2, '0')}`,
      featured: n % 3 === 0,
      labels: n % 2 === 0 ? ['red'] : [],
      seo: { rank: n % 4 },
      next: ids[n - 5] ?? null,
    }
    ids.push((await content.create('articles', entry)).id as string)
  }
}

async function list({ content }: Service, caller: Caller, query: Record<string, unknown>): Promise<Listed> {
  return (await content.as(caller).list('articles', query)) as unknown as Listed
}

async function paged(service: Service, caller: Caller, query: Record<string, unknown>): Promise<readonly string[]> {
  const ids: string[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: Listed = await list(service, caller, { ...query, limit: 17, ...(cursor ? { cursor } : {}) })
    ids.push(...page.items.map(({ id }) => id))
    cursor = page.nextCursor
  }
  return ids
}

describe.each(STORES)('a list with an access rule on $name', (store) => {
  test('has the same entries as with an equal where, at once and page by page', { timeout: 240_000 }, async () => {
    let rule: AccessWhere = {}
    await using service = (await store.open(configWith(() => rule))) as unknown as Service
    await fill(service)
    for (rule of RULES) {
      for (const text of QUERIES) {
        const query = Object.fromEntries(new URLSearchParams(text))
        const want = await list(service, SYSTEM, { ...query, where: rule, limit: 100 })
        const ids = want.items.map(({ id }) => id)
        const have = await list(service, MEMBER, { ...query, limit: 100 })
        const actual = { total: have.total, ids: have.items.map(({ id }) => id) }
        expect({ rule, text, ...actual }).toEqual({ rule, text, total: want.total, ids })
        expect({ rule, text, paged: await paged(service, MEMBER, query) }).toEqual({ rule, text, paged: ids })
      }
    }
  })
})
