import { as } from '../../support/auth/people.ts'
import { notebook as config } from '../../support/configs/notebook.ts'
import { runPolicyScenarios } from '../../support/scenarios/scenario.ts'
import { get, refused } from '../../support/scenarios/steps.ts'

const PERMISSIONS = '/api/cms/auth/permissions'
const PRIVATE = { 'Cache-Control': 'private, no-store', Vary: 'Authorization, Cookie, Origin' } as const

const none = { create: false, update: false, delete: false, restore: false, fields: {} } as const
const all = { read: true, create: true, update: true, delete: true, restore: true, fields: {} } as const
const closed = { read: true, write: false } as const

runPolicyScenarios('permissions', [
  {
    name: 'are readable without a session, and reveal nothing hidden',
    config,
    steps: [
      get(PERMISSIONS, {
        responseHeaders: PRIVATE,
        exactly: {
          collections: {
            notes: { read: 'some', ...none, fields: { rank: closed } },
            pages: { read: true, ...none },
            teams: { read: true, ...none },
            boards: { read: 'some', ...none },
            plans: { read: true, ...none },
            assets: { read: true, ...none },
          },
          globals: { site: { read: true, update: false, fields: { motto: closed } } },
        },
        lacks: ['ledgers', 'letters', 'internal', 'vault', 'secret'],
      }),
      get(PERMISSIONS, { method: 'HEAD' }),
      refused(`${PERMISSIONS}?role=admin`, 'role'),
    ],
  },
  {
    name: 'depend on the role, with "some" if they depend on the entry',
    config,
    steps: [
      as(
        'ann',
        get(PERMISSIONS, {
          exactly: {
            collections: {
              notes: {
                read: 'some',
                create: 'some',
                update: 'some',
                delete: 'some',
                restore: false,
                fields: { rank: closed },
              },
              pages: all,
              teams: { ...all, delete: 'some' },
              boards: { ...all, read: 'some', restore: false },
              plans: { ...all, update: 'some', delete: 'some', restore: false },
              assets: all,
            },
            globals: {
              site: { read: true, update: true, fields: { motto: closed } },
              internal: { read: true, update: true, fields: {} },
            },
          },
          lacks: ['ledgers', 'vault', 'secret'],
        }),
      ),
      as(
        'ada',
        get(PERMISSIONS, {
          body: {
            collections: { notes: all, ledgers: all, letters: all, boards: all },
            globals: { site: { read: true, update: true, fields: {} } },
          },
        }),
      ),
      get(PERMISSIONS, {
        headers: { Authorization: 'Bearer nobody' },
        body: { collections: { pages: { create: false } } },
      }),
    ],
  },
])
