import { defineCollection, defineConfig, f } from 'daybook'
import { runPolicyScenarios, type Step } from '../../support/scenarios/scenario.ts'
import { create, get, put } from '../../support/scenarios/steps.ts'

const config = defineConfig({
  collections: {
    posts: defineCollection({
      fields: {
        title: f.text({ required: true, localized: true, pattern: '^[^<]*$' }),
        slug: f.slug({ from: 'title' }),
        status: f.status(),
        lead: f.text(),
        seo: f.group({ words: f.text({ required: true }) }),
        rows: f.list(f.group({ name: f.text({ required: true }) })),
        parts: f.blocks({ quote: { text: f.markdown({ required: true }) } }),
      },
    }),
  },
  locales: { default: 'en', available: ['en', 'de'], fallback: { de: ['en'] } },
})

const rejected = (...paths: readonly string[]): Partial<Step> => ({
  status: 400,
  body: { code: 'VALIDATION_ERROR', details: { issues: paths.map((path) => ({ path, code: 'required' })) } },
})

runPolicyScenarios('text of only white space', [
  {
    name: 'does not satisfy a required field, at any depth',
    config,
    steps: [
      create('posts', { title: ' \t' }, rejected('/title')),
      create(
        'posts',
        {
          title: 'A',
          seo: { words: '\u00a0' },
          rows: [{ name: 'a' }, { name: '\u3000' }],
          parts: [{ _type: 'quote', text: '\n' }],
        },
        rejected('/seo/words', '/rows/1/name', '/parts/0/text'),
      ),
      create('posts', { title: 'A', lead: ' ' }, { keep: { id: '/id' }, body: { lead: ' ' } }),
      put('/api/posts/{id}', { title: '\u2003' }, rejected('/title')),
      get('/api/posts/{id}', { body: { title: 'A' } }),
    ],
  },
  {
    name: 'does not satisfy a required field in another locale',
    config,
    steps: [
      create('posts', { title: 'A' }, { keep: { id: '/id' } }),
      put('/api/posts/{id}?locale=de', { title: ' ' }, rejected('/title')),
      get('/api/posts/{id}?locale=de', { body: { title: 'A' } }),
    ],
  },
  {
    name: 'may be saved in a draft, which cannot be published',
    config,
    steps: [
      create('posts', { title: 'A' }, { keep: { id: '/id' } }),
      put('/api/posts/{id}?draft=true', { title: ' ' }, { body: { title: ' ' } }),
      { method: 'POST', path: '/api/posts/{id}/publish', auth: true, json: {}, ...rejected('/title') } as Step,
      get('/api/posts/{id}', { body: { title: 'A' } }),
    ],
  },
])
