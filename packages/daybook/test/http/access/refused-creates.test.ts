import { type AccessWhere, defineCollection, defineConfig, f, hasRole } from 'daybook'
import { as, People } from '../../support/auth/people.ts'
import { CANARY } from '../../support/scenarios/sane.ts'
import { runPolicyScenarios, type Step } from '../../support/scenarios/scenario.ts'
import { batch, create } from '../../support/scenarios/steps.ts'

/** The entries that the rule lets each caller create. */
const ALLOWED: Readonly<Record<string, AccessWhere>> = {
  one: { category: { eq: 'news' } },
  several: { category: { in: ['news', 'howto'] }, rank: { gte: 3 }, not: { title: { startsWith: 'X' } } },
  hidden: { category: { eq: 'news' }, secret: { eq: CANARY } },
  either: { or: [{ category: { eq: 'news' } }, { rank: { exists: true } }] },
  mixed: { or: [{ category: { eq: 'news' } }, { secret: { eq: CANARY } }] },
  related: { 'team.name': { eq: 'Desk' }, labels: { in: ['a'] } },
  closed: { 'vault.code': { eq: CANARY } },
  person: { createdBy: { eq: 'somebody' } },
}
const people = new People(Object.fromEntries(Object.keys(ALLOWED).map((name) => [name, []])))

const config = defineConfig({
  auth: people.adapter,
  collections: {
    articles: defineCollection({
      fields: {
        title: f.text(),
        category: f.select({ options: ['news', 'howto', 'other'] }),
        rank: f.integer(),
        labels: f.select({ options: ['a', 'b'], many: true }),
        secret: f.text({ access: { read: hasRole('admin') } }),
        team: f.relation('teams'),
        vault: f.relation('vaults'),
      },
      access: { create: ({ identity }) => identity !== null && (ALLOWED[identity.subject] ?? false) },
    }),
    teams: defineCollection({ fields: { name: f.text() } }),
    vaults: defineCollection({ fields: { code: f.text() }, access: { read: () => false } }),
  },
})

const NEWS = ['/category', 'category must be news.', { operator: 'eq', values: ['news'] }] as const
const PLAIN = 'You are signed in, but the access rules do not allow this for that entry of articles'

/** A rejected entry, and its issues. */
const says = (
  name: string,
  data: object,
  ...issues: readonly (readonly [path: string, message: string, params?: object])[]
): Step => {
  const sentences = issues.map(([, message]) => ` ${message}`).join('')
  return as(
    name,
    create('articles', data, {
      status: 403,
      body: {
        code: 'FORBIDDEN',
        message: `${PLAIN}.${sentences}`,
        details:
          issues.length === 0
            ? {}
            : {
                issues: issues.map(([path, message, params]) => ({
                  path,
                  code: 'access',
                  ...(params ? { params } : {}),
                  message,
                })),
              },
      },
    }),
  )
}

runPolicyScenarios('a create rule that rejects an entry', [
  {
    name: 'lists the required values of fields that the caller may read',
    config,
    steps: [
      says('one', { category: 'other' }, NEWS),
      as('one', create('articles', { category: 'news' })),
      says(
        'several',
        { category: 'other' },
        ['/category', 'category must be one of: news, howto.', { operator: 'in', values: ['news', 'howto'] }],
        ['/rank', 'rank must be at least 3.', { operator: 'gte', values: [3] }],
        ['/title', 'title must not begin with X.', { operator: 'startsWith', values: ['X'], negated: true }],
      ),
      says('either', { category: 'other' }, ['/', 'Required: category must be news or rank must have a value.']),
      says(
        'related',
        {},
        ['/team/name', 'team.name must be Desk.', { operator: 'eq', values: ['Desk'] }],
        ['/labels', 'labels must contain one of: a.', { operator: 'in', values: ['a'] }],
      ),
      says('person', {}, ['/createdBy', 'createdBy must be somebody.', { operator: 'eq', values: ['somebody'] }]),
      as(
        'one',
        batch([{ op: 'create', collection: 'articles', data: {} }], {
          status: 403,
          body: {
            details: {
              operation: 0,
              issues: [{ path: '/operations/0/data/category', message: 'category must be news.' }],
            },
          },
        }),
      ),
    ],
  },
  {
    name: 'reveals nothing about fields that the caller may not read',
    config,
    steps: [
      says('hidden', { category: 'other' }, NEWS),
      says('hidden', { category: 'news' }, NEWS),
      says('mixed', { category: 'other' }),
      says('closed', {}),
      create('articles', { category: 'other' }, { auth: false, status: 401, body: { details: {} } }),
    ],
  },
])
