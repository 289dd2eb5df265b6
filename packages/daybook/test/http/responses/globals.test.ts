import { kitchen } from '../../support/configs/configs.ts'
import { CANARY } from '../../support/scenarios/sane.ts'
import { runPolicyScenarios } from '../../support/scenarios/scenario.ts'
import { get, put } from '../../support/scenarios/steps.ts'

runPolicyScenarios('a global', [
  {
    name: 'is read with its key and its fields',
    steps: [
      get('/api/globals/site', {
        exactly: { key: 'site', siteName: 'The Daybook blog', siteUrl: 'https://blog.example.org' },
        responseHeaders: {
          ETag: /^"[^"]+"$/,
          'Cache-Control': 'public, max-age=0, must-revalidate',
          Vary: 'Authorization, Cookie, Origin, Accept-Encoding',
        },
      }),
      get('/api/globals/site', { auth: true, responseHeaders: { 'Cache-Control': 'private, no-store' } }),
      get('/api/globals/site', { method: 'HEAD' }),
    ],
  },
  {
    name: 'is updated field by field',
    steps: [
      get('/api/globals/site', { auth: true, keep: { tag: 'ETag' } }),
      put(
        '/api/globals/site',
        { siteName: 'Renamed' },
        {
          exactly: {
            key: 'site',
            siteName: 'Renamed',
            siteUrl: 'https://blog.example.org',
            createdBy: 'system',
            updatedBy: 'service',
          },
          responseHeaders: { 'Daybook-Seq': /^\d+$/, ETag: /^"[^"]+"$/ },
          keep: { next: 'ETag' },
        },
      ),
      get('/api/globals/site', {
        auth: true,
        headers: { 'If-None-Match': '{tag}' },
        responseHeaders: { ETag: '{next}' },
        body: { siteName: 'Renamed' },
      }),
      put(
        '/api/globals/site',
        { key: 'other', siteName: 'Renamed' },
        { body: { key: 'site' }, responseHeaders: { ETag: '{next}' } },
      ),
    ],
  },
  {
    name: 'rejects values that its fields reject',
    steps: [
      put(
        '/api/globals/site',
        { siteName: null },
        { status: 400, body: { details: { issues: [{ path: '/siteName' }] } } },
      ),
      put(
        '/api/globals/site',
        { siteUrl: 'ftp://x' },
        { status: 400, body: { details: { issues: [{ path: '/siteUrl' }] } } },
      ),
      put(
        '/api/globals/site',
        { nope: 1 },
        { status: 400, body: { details: { issues: [{ path: '/nope', code: 'unknown_field' }] } } },
      ),
      put('/api/globals/site', [], { status: 400 }),
      put('/api/globals/nope', {}, { status: 404 }),
      put('/api/globals/site', { siteName: 'x' }, { auth: false, status: 401 }),
    ],
  },
  {
    name: 'that was never written has empty fields, and its first write must set the required ones',
    config: kitchen,
    steps: [
      get('/api/globals/banner', { exactly: { key: 'banner', text: null } }),
      get('/api/globals/site', { exactly: { key: 'site', siteName: null, about: null, aboutHtml: null } }),
      put(
        '/api/globals/site',
        { about: 'x' },
        { status: 400, body: { details: { issues: [{ path: '/siteName', code: 'required' }] } } },
      ),
      put('/api/globals/site', { siteName: 'a', about: '*x*' }, { body: { aboutHtml: '<p><em>x</em></p>' } }),
    ],
  },
  {
    name: 'is created only once with If-None-Match: *',
    config: kitchen,
    steps: [
      put('/api/globals/banner', { text: 'a' }, { headers: { 'If-None-Match': '*' }, keep: { tag: 'ETag' } }),
      put(
        '/api/globals/banner',
        { text: 'b' },
        { headers: { 'If-None-Match': '*' }, status: 412, body: { details: { current: '{tag}' } } },
      ),
    ],
  },
  {
    name: 'that requires If-Match has a tag before its first write',
    config: kitchen,
    steps: [
      put('/api/globals/banner', { text: 'a' }, { status: 428 }),
      put('/api/globals/banner', { text: 'a' }, { headers: { 'If-Match': '*' }, status: 412 }),
      get('/api/globals/banner', { keep: { blank: 'ETag' } }),
      put('/api/globals/banner', { text: 'a' }, { headers: { 'If-Match': '{blank}' }, keep: { tag: 'ETag' } }),
      put(
        '/api/globals/banner',
        { text: 'b' },
        { headers: { 'If-Match': '{blank}' }, status: 412, body: { details: { current: '{tag}' } } },
      ),
      put('/api/globals/banner', { text: 'b' }, { headers: { 'If-Match': '{tag}' } }),
    ],
  },
  {
    name: 'obeys its access rules',
    config: kitchen,
    steps: [
      get('/api/globals/internal', { status: 401 }),
      get('/api/globals/internal', {
        auth: true,
        exactly: { key: 'internal', text: null, createdBy: null, updatedBy: null },
      }),
      put('/api/globals/internal', { text: CANARY }),
      get('/api/globals/internal', { status: 401, headers: { 'If-None-Match': '*' } }),
      put('/api/globals/wall', { text: 'from anyone' }, { auth: false }),
      get('/api/globals/wall', { body: { text: 'from anyone' } }),
    ],
  },
  {
    name: 'hides fields from callers without a session',
    config: kitchen,
    steps: [
      put('/api/globals/site', { siteName: 'a', secret: CANARY }, { body: { secret: CANARY } }),
      get('/api/globals/site', { exactly: { key: 'site', siteName: 'a', about: null, aboutHtml: null } }),
      get('/api/globals/site', { auth: true, body: { secret: CANARY } }),
    ],
  },
])
