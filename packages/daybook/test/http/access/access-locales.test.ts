import { defineCollection, defineConfig, f, hasRole } from 'daybook'
import { People } from '../../support/auth/people.ts'
import { LOCALES } from '../../support/configs/locales.ts'
import { runPolicyScenarios, type Step } from '../../support/scenarios/scenario.ts'
import { create, get, put } from '../../support/scenarios/steps.ts'

const people = new People({ ann: ['editor'] })

/** Entries are visible while the English title begins with "Open", in every locale. */
const config = defineConfig({
  auth: people.adapter,
  locales: LOCALES,
  collections: {
    pages: defineCollection({
      fields: {
        title: f.text({ required: true, localized: true }),
        slug: f.slug({ from: 'title', localized: true }),
        next: f.relation('pages'),
        topic: f.text(),
      },
      access: {
        read: (request) => hasRole('service')(request) || { title: { startsWith: 'Open' } },
      },
    }),
    topics: defineCollection({
      fields: { title: f.text({ localized: true }), topic: f.text() },
      access: { read: (request) => hasRole('service')(request) || { topic: { eq: 'open' } } },
    }),
  },
})

const PAGES: readonly Step[] = [
  create('pages', { title: 'Open page' }, { keep: { open: '/id' } }),
  create('pages', { title: 'Shut page', next: '{open}' }, { keep: { shut: '/id' } }),
  put('/api/pages/{open}', { title: 'Zu', next: '{shut}' }, { path: '/api/pages/{open}?locale=de' }),
  put('/api/pages/{shut}', { title: 'Open auf Deutsch' }, { path: '/api/pages/{shut}?locale=de' }),
]

const missing = { status: 404 } as const

runPolicyScenarios('a rule about a localized field', [
  {
    name: 'applies to the default locale, so that an entry is visible in all locales or in none',
    config,
    steps: [
      ...PAGES,
      get('/api/pages', { body: { total: 1, items: [{ title: 'Open page' }] } }),
      get('/api/pages?locale=de', { body: { total: 1, items: [{ title: 'Zu' }] } }),
      get('/api/pages?locale=fr&limit=0', { body: { total: 1 } }),
      get('/api/pages?locale=de-ch', { body: { total: 1, items: [{ title: 'Zu' }] } }),
      get('/api/pages?locale=de&fallbackLocale=none', { body: { total: 1 } }),
      get('/api/pages?locale=de&q=deutsch', { body: { total: 0 } }),
      get('/api/pages?locale=de&where[title][startsWith]=Open', { body: { total: 0 } }),
      get('/api/pages?locale=de&where[next.title][startsWith]=Open', { body: { total: 0 } }),
      get('/api/pages/zu?locale=de', { body: { id: '{open}' } }),
      get('/api/pages/open-auf-deutsch?locale=de', missing),
      get('/api/pages/{shut}?locale=de', missing),
      get('/api/pages/{open}?locale=de&depth=1', { body: { next: null }, lacks: ['{shut}'] }),
      get('/api/pages/{shut}?locale=all', { headers: { Authorization: 'Bearer ann' }, ...missing }),
      get('/api/pages?locale=all', {
        headers: { Authorization: 'Bearer ann' },
        body: { total: 1 },
        lacks: ['Deutsch'],
      }),
      get('/api/pages?locale=de', { auth: true, body: { total: 2 } }),
    ],
  },
  {
    name: 'applies to the requested locale if the field is not localized',
    config,
    steps: [
      create('topics', { title: 'A', topic: 'open' }, { keep: { a: '/id' } }),
      create('topics', { title: 'B', topic: 'shut' }, { keep: { b: '/id' } }),
      get('/api/topics?locale=de', { body: { total: 1, items: [{ id: '{a}' }] } }),
      get('/api/topics/{b}?locale=de', missing),
      get('/api/topics/{a}?locale=de-ch', { body: { title: 'A' } }),
    ],
  },
])
