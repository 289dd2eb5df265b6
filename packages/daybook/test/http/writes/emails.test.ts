import { defineCollection, defineConfig, f } from 'daybook'
import { runScenarios } from '../../support/scenarios/scenario.ts'
import { create, get, put } from '../../support/scenarios/steps.ts'

const config = defineConfig({
  collections: { people: defineCollection({ fields: { mail: f.email({ unique: true }), other: f.email() } }) },
})
const MAIL_TAKEN = { status: 409, body: { code: 'CONFLICT', details: { field: 'mail' } } }

runScenarios('e-mail addresses', [
  {
    name: 'are unique regardless of case, and have a domain in lower case',
    config,
    steps: [
      create('people', { mail: 'Ann.Lee@Example.ORG', other: 'x@EXAMPLE.org' }, { keep: { id: '/id' } }),
      get('/api/people/{id}', { body: { mail: 'Ann.Lee@example.org', other: 'x@example.org' } }),
      create('people', { mail: 'ann.lee@example.org' }, MAIL_TAKEN),
      create('people', { mail: 'ben@example.org', other: 'x@example.org' }, { keep: { ben: '/id' } }),
      put('/api/people/{ben}', { mail: 'ANN.LEE@EXAMPLE.ORG' }, MAIL_TAKEN),
      put('/api/people/{id}', { mail: 'ann.lee@example.org' }, { body: { mail: 'ann.lee@example.org' } }),
      get('/api/people?where[mail][eq]=ann.lee@EXAMPLE.org', { body: { total: 1 } }),
      get('/api/people?where[mail][eq]=ANN.LEE@example.org', { body: { total: 0 } }),
      get('/api/people?where[mail][ieq]=ANN.LEE@example.org', { body: { total: 1 } }),
    ],
  },
])
