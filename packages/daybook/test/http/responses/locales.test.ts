import { expect } from 'vitest'
import { posts } from '../../support/configs/configs.ts'
import { multilingual as config } from '../../support/configs/locales.ts'
import { runScenarios, type Step } from '../../support/scenarios/scenario.ts'
import { create, get, patch, put, refused, remove, slugs } from '../../support/scenarios/steps.ts'

/** A page in English, German and French. */
const ABOUT: readonly Step[] = [
  create(
    'pages',
    { title: 'About us', body: 'We *write*.', rank: 1 },
    { keep: { id: '/id' }, body: { slug: 'about-us' } },
  ),
  put(
    '/api/pages/{id}?locale=de',
    { title: 'Über uns', body: 'Wir *schreiben*.' },
    {
      body: { title: 'Über uns', slug: 'uber-uns', bodyHtml: '<p>Wir <em>schreiben</em>.</p>', rank: 1 },
    },
  ),
  put(
    '/api/pages/{id}?locale=fr',
    { title: 'À propos' },
    { body: { title: 'À propos', slug: 'a-propos', body: null } },
  ),
]

runScenarios('a localized collection', [
  {
    name: 'is read in the default locale, in the requested one, and with its fallback',
    config,
    steps: [
      ...ABOUT,
      get('/api/pages/about-us', { body: { title: 'About us', bodyHtml: '<p>We <em>write</em>.</p>' } }),
      get('/api/pages/about-us?locale=en', { body: { title: 'About us' } }),
      get('/api/pages/uber-uns?locale=de', { body: { title: 'Über uns', body: 'Wir *schreiben*.' } }),
      get('/api/pages/{id}?locale=fr', { body: { title: 'À propos', body: null, bodyHtml: null, rank: 1 } }),
      // Swiss German has no values: it falls back to German, then to English.
      get('/api/pages/{id}?locale=de-ch', { body: { title: 'Über uns', slug: 'uber-uns' } }),
      get('/api/pages/uber-uns?locale=de-ch', { body: { title: 'Über uns' } }),
    ],
  },
  {
    name: 'finds a slug only in its locale',
    config,
    steps: [
      ...ABOUT,
      get('/api/pages/about-us?locale=de', { status: 404 }),
      get('/api/pages/uber-uns', { status: 404 }),
      get('/api/pages/uber-uns?locale=fr', { status: 404 }),
      create('pages', { title: 'Contact' }),
      // Without a German slug, the English one applies.
      get('/api/pages/contact?locale=de', { body: { title: 'Contact' } }),
      // French falls back to nothing: its page has no slug, and no title.
      get('/api/pages/contact?locale=fr', { status: 404 }),
    ],
  },
  {
    name: 'accepts another fallback, or none, for one request',
    config,
    steps: [
      ...ABOUT,
      put('/api/pages/{id}', { keywords: ['ledger'] }),
      get('/api/pages/{id}?locale=fr&fallbackLocale=de', {
        body: { title: 'À propos', body: 'Wir *schreiben*.', keywords: [] },
      }),
      get('/api/pages/{id}?locale=fr&fallbackLocale=en', { body: { body: 'We *write*.', keywords: ['ledger'] } }),
      get('/api/pages/{id}?locale=de&fallbackLocale=none', { body: { title: 'Über uns', keywords: [] } }),
      get('/api/pages/{id}?locale=de', { body: { keywords: ['ledger'] } }),
      get('/api/pages/{id}?fallbackLocale=none', { body: { title: 'About us' } }),
      get('/api/pages?locale=fr&fallbackLocale=en', { body: { items: [{ title: 'À propos', body: 'We *write*.' }] } }),
    ],
  },
  {
    name: 'returns all locales at once to a session',
    config,
    steps: [
      ...ABOUT,
      get('/api/pages/{id}?locale=all', {
        auth: true,
        body: {
          title: { en: 'About us', de: 'Über uns', fr: 'À propos' },
          slug: { en: 'about-us', de: 'uber-uns', fr: 'a-propos' },
          bodyHtml: { en: '<p>We <em>write</em>.</p>', de: '<p>Wir <em>schreiben</em>.</p>' },
          keywords: {},
          rank: 1,
        },
      }),
      get('/api/pages?locale=all', { auth: true, body: { items: [{ title: { de: 'Über uns' } }] } }),
      get('/api/pages/{id}?locale=all', { status: 401 }),
      get('/api/pages?locale=all', { status: 401 }),
      refused('/api/pages?locale=all&fallbackLocale=de', 'fallbackLocale', { auth: true }),
      { method: 'PUT', path: '/api/pages/{id}?locale=all', auth: true, json: {}, status: 400 },
    ],
  },
  {
    name: 'rejects an unknown locale',
    config,
    steps: [
      ...ABOUT,
      ...['../../x', 'zz', '', 'EN', 'en,de', "de'", 'de--'].flatMap((locale) => {
        const value = encodeURIComponent(locale)
        return [
          refused(`/api/pages?locale=${value}`, 'locale'),
          refused(`/api/pages/about-us?locale=${value}`, 'locale'),
          refused(`/api/pages?locale=de&fallbackLocale=${value}`, 'fallbackLocale'),
          refused(`/api/pages?locale=${value}`, 'locale', { method: 'POST', auth: true, json: { title: 'x' } }),
        ]
      }),
      refused('/api/pages?locale=de&locale=fr', 'locale'),
      refused('/api/pages?fallbackLocale=none&fallbackLocale=de', 'fallbackLocale'),
    ],
  },
  {
    name: 'writes one locale and leaves the others unchanged',
    config,
    steps: [
      ...ABOUT,
      put(
        '/api/pages/{id}?locale=de',
        { title: 'Wir', rank: 2 },
        { body: { title: 'Wir', slug: 'uber-uns', rank: 2 } },
      ),
      get('/api/pages/{id}', { body: { title: 'About us', slug: 'about-us', rank: 2 } }),
      get('/api/pages/{id}?locale=fr', { body: { title: 'À propos', rank: 2 } }),
      put('/api/pages/{id}', { title: 'About' }, { body: { title: 'About' } }),
      get('/api/pages/{id}?locale=de', { body: { title: 'Wir' } }),
      // An emptied translation falls back.
      put('/api/pages/{id}?locale=de', { title: null }, { body: { title: 'About' } }),
      get('/api/pages/{id}?locale=de-ch', { body: { title: 'About' } }),
      patch(
        '/api/pages/{id}?locale=fr',
        { seo: { title: 'Nous' } },
        { body: { seo: { title: 'Nous', noindex: null } } },
      ),
      get('/api/pages/{id}', { body: { seo: { title: null } } }),
    ],
  },
  {
    name: 'distinguishes an empty value of a locale from a missing one',
    config,
    steps: [
      create(
        'pages',
        { title: 'Words', body: 'Text', keywords: ['a'], parts: [{ _type: 'quote', words: 'x', by: 'Ines' }] },
        { keep: { id: '/id' } },
      ),
      get('/api/pages/{id}?locale=de', { body: { body: 'Text', keywords: ['a'] } }),
      put('/api/pages/{id}?locale=de', { body: '', keywords: [] }, { body: { body: '', bodyHtml: '', keywords: [] } }),
      get('/api/pages/{id}?locale=de-ch', { body: { body: '', keywords: [] } }),
      get('/api/pages/{id}', { body: { body: 'Text', keywords: ['a'] } }),
      get('/api/pages/{id}?locale=all', {
        auth: true,
        body: { body: { de: '', en: 'Text' }, keywords: { de: [], en: ['a'] } },
      }),
      get('/api/pages?locale=de&where[body][exists]=true', { status: 400 }),
      put('/api/pages/{id}?locale=de', { body: null, keywords: null }, { body: { body: 'Text', keywords: ['a'] } }),
      put(
        '/api/pages/{id}?locale=de',
        { parts: [{ _type: 'quote', words: '', by: 'Ines' }] },
        { body: { parts: [{ words: '' }] } },
      ),
      put('/api/pages/{id}?locale=de', { title: '' }, { status: 400 }),
      // A list without a value in any locale reads as empty; written back, it still falls back.
      put('/api/pages/{id}', { keywords: null }, { body: { keywords: [] } }),
      put('/api/pages/{id}?locale=de', { keywords: [] }, { body: { keywords: [] } }),
      put('/api/pages/{id}', { keywords: ['b'] }),
      get('/api/pages/{id}?locale=de', { body: { keywords: ['b'] } }),
    ],
  },
  {
    name: 'may be created in another locale than the default',
    config,
    steps: [
      {
        method: 'POST',
        path: '/api/pages?locale=fr',
        auth: true,
        json: { title: 'Bonjour' },
        status: 201,
        responseHeaders: { Location: '/api/pages/bonjour?locale=fr' },
        body: { title: 'Bonjour', slug: 'bonjour' },
        keep: { id: '/id' },
      },
      get('/api/pages/{id}', { body: { title: null, slug: null } }),
      get('/api/pages/bonjour', { status: 404 }),
      put('/api/pages/{id}', { title: 'Hello' }, { body: { title: 'Hello', slug: 'hello' } }),
      get('/api/pages/bonjour?locale=fr', { body: { title: 'Bonjour' } }),
    ],
  },
  {
    name: 'checks required fields with fallbacks applied',
    config,
    steps: [
      ...ABOUT,
      put('/api/pages/{id}?locale=fr', { title: null }, { status: 400 }),
      put('/api/pages/{id}?locale=de', { title: null }),
      put('/api/pages/{id}', { title: null }, { status: 400 }),
    ],
  },
  {
    name: 'has unique slugs in each locale',
    config,
    steps: [
      ...ABOUT,
      create('pages', { title: 'Über uns' }, { body: { slug: 'uber-uns' }, keep: { other: '/id' } }),
      put(
        '/api/pages/{other}?locale=de',
        { slug: 'uber-uns' },
        {
          status: 409,
          body: { code: 'CONFLICT', details: { field: 'slug' } },
        },
      ),
      put('/api/pages/{other}?locale=de', { title: 'Über uns' }, { body: { slug: 'uber-uns-2' } }),
      // An entry with the slug itself takes precedence over a fallback slug, whichever is created first.
      create('pages', { title: 'Kontakt' }, { keep: { third: '/id' } }),
      get('/api/pages/kontakt?locale=de', { body: { id: '{third}' }, keep: { tag: 'ETag' } }),
      put('/api/pages/{other}?locale=de', { slug: 'kontakt' }),
      get('/api/pages/kontakt?locale=de', { body: { id: '{other}' } }),
      get('/api/pages/kontakt', { body: { id: '{third}' } }),
      get('/api/pages/{third}?locale=de', { headers: { 'If-None-Match': '{tag}' }, body: { slug: 'kontakt-2' } }),
      get('/api/pages/kontakt-2?locale=de', { body: { id: '{third}', title: 'Kontakt' } }),
      create('pages', { title: 'Uber uns' }, { body: { slug: 'uber-uns-2' } }),
      create('pages', { title: 'Later', slug: 'spater' }, { keep: { later: '/id' } }),
      put('/api/pages/{later}?locale=de', { title: 'Zuerst', slug: 'zuerst' }),
      create('pages', { title: 'Zuerst' }, { body: { slug: 'zuerst' }, keep: { last: '/id' } }),
      get('/api/pages/zuerst?locale=de', { body: { id: '{later}' } }),
      get('/api/pages/zuerst-2?locale=de', { body: { id: '{last}' } }),
      get('/api/pages/zuerst-2?locale=de-ch', { body: { id: '{last}' } }),
      get('/api/pages?locale=de&where[title][eq]=Zuerst&sort=slug', {
        body: { items: [{ slug: 'zuerst' }, { slug: 'zuerst-2' }] },
      }),
    ],
  },
  {
    name: 'sorts, filters and searches with fallbacks applied',
    config,
    steps: [
      create('pages', { title: 'Alpha', body: 'common english' }, { keep: { a: '/id' } }),
      create('pages', { title: 'Beta', body: 'common english' }, { keep: { b: '/id' } }),
      create('pages', { title: 'Gamma', body: 'common english' }, { keep: { c: '/id' } }),
      put('/api/pages/{a}?locale=de', { title: 'Zulu', body: 'gemeinsam deutsch' }),
      put('/api/pages/{b}?locale=de', { title: 'Mike', seo: { title: 'unten' } }),
      get('/api/pages?sort=title', { body: slugs('alpha', 'beta', 'gamma') }),
      get('/api/pages?sort=title&locale=de', {
        body: { items: [{ title: 'Gamma' }, { title: 'Mike' }, { title: 'Zulu' }] },
      }),
      get('/api/pages?sort=-title&locale=de&limit=1', {
        body: { items: [{ title: 'Zulu' }] },
        keep: { next: '/nextCursor' },
      }),
      get('/api/pages?sort=-title&locale=de&limit=1&cursor={next}', { body: { items: [{ title: 'Mike' }] } }),
      refused('/api/pages?sort=-title&limit=1&cursor={next}', 'cursor'),
      get('/api/pages?where[title][eq]=Zulu', { body: { total: 0 } }),
      get('/api/pages?where[title][eq]=Zulu&locale=de', { body: { total: 1 } }),
      get('/api/pages?where[title][startsWith]=G&locale=de', { body: { total: 1 } }),
      get('/api/pages?where[seo.title][eq]=unten&locale=de', { body: { total: 1 } }),
      get('/api/pages?where[seo.title][eq]=unten', { body: { total: 0 } }),
      // Words of another locale are not found, those of a fallback are.
      get('/api/pages?q=deutsch', { body: { total: 0 } }),
      get('/api/pages?q=deutsch&locale=de', { body: { total: 1, items: [{ title: 'Zulu' }] } }),
      get('/api/pages?q=english&locale=de', { body: { total: 2 } }),
      get('/api/pages?q=english&locale=fr', { body: { total: 0 } }),
      get('/api/pages?locale=fr', { body: { total: 3 } }),
    ],
  },
  {
    name: 'has translations at any depth, which stay with their items',
    config,
    steps: [
      create(
        'pages',
        {
          title: 'Deep',
          parts: [
            { _type: 'prose', text: '*one*', wide: true },
            { _type: 'quote', words: 'two', by: 'Ines' },
            { _type: 'prose', text: 'three' },
          ],
          links: [
            { label: 'first', url: 'https://a.example' },
            { label: 'second', url: 'https://b.example' },
          ],
        },
        { keep: { id: '/id' } },
      ),
      patch('/api/pages/{id}?locale=de', {
        parts: [
          { _type: 'prose', text: '*eins*', wide: true },
          { _type: 'quote', words: 'zwei', by: 'Ines' },
          { _type: 'prose', text: 'drei', wide: null },
        ],
        links: [
          { label: 'erster', url: 'https://a.example' },
          { label: 'zweiter', url: 'https://b.example' },
        ],
      }),
      get('/api/pages/{id}?locale=de', {
        body: {
          parts: [{ textHtml: '<p><em>eins</em></p>', wide: true }, { words: 'zwei', by: 'Ines' }, { text: 'drei' }],
          links: [{ label: 'erster' }, { label: 'zweiter' }],
        },
      }),
      get('/api/pages/{id}', {
        body: {
          parts: [{ textHtml: '<p><em>one</em></p>' }, { words: 'two' }, { text: 'three' }],
          links: [{ label: 'first' }, { label: 'second' }],
        },
      }),
      // Reordered in the default locale, with one item added in front and one removed.
      put('/api/pages/{id}', {
        parts: [
          { _type: 'quote', words: 'new', by: null },
          { _type: 'prose', text: 'three', wide: null },
          { _type: 'prose', text: '*one*', wide: true },
        ],
        links: [
          { label: 'second', url: 'https://b.example' },
          { label: 'first', url: 'https://a.example' },
        ],
      }),
      get('/api/pages/{id}?locale=de', {
        body: {
          parts: [{ by: null }, { text: 'drei' }, { text: '*eins*', textHtml: '<p><em>eins</em></p>' }],
          links: [
            { label: 'zweiter', url: 'https://b.example' },
            { label: 'erster', url: 'https://a.example' },
          ],
        },
      }),
    ],
  },
  {
    name: 'includes related documents in the same locale',
    config,
    steps: [
      create('people', { name: 'Ines', role: 'editor' }, { keep: { ines: '/id' } }),
      put('/api/people/{ines}?locale=de', { role: 'Redakteurin' }),
      create('people', { name: 'Jan', role: 'writer' }, { keep: { jan: '/id' } }),
      create('pages', { title: 'Team', author: '{ines}', editor: '{ines}' }, { keep: { id: '/id' } }),
      put('/api/pages/{id}?locale=de', { editor: '{jan}' }),
      get('/api/pages/team?include=author,editor', { body: { author: { role: 'editor' }, editor: { name: 'Ines' } } }),
      get('/api/pages/team?include=author,editor&locale=de', {
        body: { author: { role: 'Redakteurin' }, editor: { name: 'Jan', role: 'writer' } },
      }),
      get('/api/pages/team?include=author&locale=de&fallbackLocale=none&select=title,author.role', {
        exactly: { id: '{id}', title: null, author: { id: '{ines}', role: 'Redakteurin' } },
      }),
      get('/api/pages/{id}?include=author&locale=fr&fallbackLocale=de&select=author.role', {
        exactly: { id: '{id}', author: { id: '{ines}', role: 'Redakteurin' } },
      }),
      get('/api/pages/{id}?include=editor&locale=all', {
        auth: true,
        body: { editor: { en: { name: 'Ines' }, de: { name: 'Jan', role: { en: 'writer' } } } },
      }),
      get('/api/pages?where[author.role][eq]=Redakteurin&locale=de', { body: { total: 1 } }),
      get('/api/pages?where[author.role][eq]=Redakteurin', { body: { total: 0 } }),
      // A reference in any locale counts.
      get('/api/people/{jan}/references', { auth: true, body: { total: 1 } }),
      remove('/api/people/{jan}'),
      get('/api/pages/{id}?locale=de', { body: { editor: '{ines}' } }),
      get('/api/pages/{id}?locale=all', { auth: true, body: { editor: { en: '{ines}' } } }),
    ],
  },
  {
    name: 'has one revision for all locales, and a tag for each',
    config,
    steps: [
      create('pages', { title: 'One' }, { keep: { id: '/id', first: 'ETag' } }),
      get('/api/pages/{id}?locale=de', { keep: { german: 'ETag' } }),
      get('/api/pages/{id}?locale=de', { headers: { 'If-None-Match': '{german}' }, status: 304 }),
      get('/api/pages/{id}', { headers: { 'If-None-Match': '{german}' } }),
      put('/api/pages/{id}?locale=de', { title: 'Eins' }, { headers: { 'If-Match': '{german}' } }),
      put('/api/pages/{id}', { title: 'Uno' }, { headers: { 'If-Match': '{first}' }, status: 412 }),
      get('/api/pages?locale=de', { keep: { list: 'ETag' } }),
      get('/api/pages?locale=de', { headers: { 'If-None-Match': '{list}' }, status: 304 }),
      get('/api/pages', { headers: { 'If-None-Match': '{list}' } }),
      put('/api/pages/{id}?locale=fr', { title: 'Un' }),
      get('/api/pages?locale=de', { headers: { 'If-None-Match': '{list}' } }),
    ],
  },
  {
    name: 'hides unpublished entries in every locale',
    config,
    steps: [
      create('pages', { title: 'Hidden', status: 'draft' }, { keep: { id: '/id' } }),
      put('/api/pages/{id}?locale=de', { title: 'Verborgen', body: 'geheim' }),
      get('/api/pages/verborgen?locale=de', { status: 404 }),
      get('/api/pages?locale=de&q=geheim', { body: { total: 0 } }),
      get('/api/pages?locale=de&where[title][eq]=Verborgen', { body: { total: 0 } }),
      put('/api/pages/{id}', { status: 'published' }),
      get('/api/pages/verborgen?locale=de', { body: { title: 'Verborgen' } }),
      get('/api/pages?locale=de&q=geheim', { body: { total: 1 } }),
      remove('/api/pages/{id}'),
      get('/api/pages?locale=de&q=geheim', { body: { total: 0 } }),
      get('/api/pages/{id}?locale=de', { status: 404 }),
      get('/api/pages?locale=de', { body: { total: 0 } }),
    ],
  },
  {
    name: 'is written in a locale by batch, by PATCH, and once with an Idempotency-Key',
    config,
    steps: [
      {
        method: 'POST',
        path: '/api/cms/batch?locale=fr',
        auth: true,
        json: { operations: [{ op: 'create', collection: 'pages', data: { title: 'Lot' } }] },
        status: 200,
        body: { results: [{ entry: { title: 'Lot', slug: 'lot' } }] },
        keep: { id: '/results/0/id' },
      },
      get('/api/pages/{id}', { body: { title: null } }),
      create('pages', { title: 'Key' }, { path: '/api/pages?locale=de', headers: { 'Idempotency-Key': 'k1' } }),
      create(
        'pages',
        { title: 'Key' },
        { path: '/api/pages?locale=fr', headers: { 'Idempotency-Key': 'k1' }, status: 422 },
      ),
      create(
        'pages',
        { title: 'Key' },
        {
          path: '/api/pages?locale=de',
          headers: { 'Idempotency-Key': 'k1' },
          responseHeaders: { 'Idempotency-Replayed': 'true' },
        },
      ),
    ],
  },
  {
    name: 'accepts its own response as an update, and stores nothing new',
    config,
    steps: [
      ...ABOUT,
      get('/api/pages/{id}?locale=de', { keep: { tag: 'ETag', updatedAt: '/updatedAt' } }),
      put(
        '/api/pages/{id}?locale=de',
        { title: 'Über uns', body: 'Wir *schreiben*.' },
        { body: { updatedAt: '{updatedAt}' } },
      ),
    ],
  },
])

runScenarios('a localized global', [
  {
    name: 'is read and written in a locale, and expands its relations',
    config,
    steps: [
      put(
        '/api/globals/site?locale=de',
        { name: 'Tagebuch', founded: 2020 },
        { body: { name: 'Tagebuch', founded: 2020 } },
      ),
      get('/api/globals/site', { body: { name: null, founded: 2020 } }),
      put('/api/globals/site', { name: 'Daybook' }),
      get('/api/globals/site?locale=de-ch', { body: { name: 'Tagebuch' } }),
      get('/api/globals/site?locale=de-ch&fallbackLocale=none', { body: { name: null } }),
      get('/api/globals/site?locale=all', { auth: true, body: { name: { en: 'Daybook', de: 'Tagebuch' } } }),
      get('/api/globals/site?locale=all', { status: 401 }),
      refused('/api/globals/site?locale=xx', 'locale'),
      refused('/api/globals/site?limit=1', 'limit'),
      create('people', { name: 'Ines', role: 'editor' }, { keep: { ines: '/id' } }),
      put('/api/people/{ines}?locale=de', { role: 'Redakteurin' }),
      put('/api/globals/site', { lead: '{ines}' }),
      get('/api/globals/site?include=lead', {
        body: { lead: { name: 'Ines', role: 'editor' } },
        keep: { tag: 'ETag' },
      }),
      get('/api/globals/site?include=lead&locale=de&select=name,lead', {
        exactly: { key: 'site', name: 'Tagebuch', lead: expect.objectContaining({ role: 'Redakteurin' }) },
      }),
      put('/api/people/{ines}', { role: 'lead' }),
      get('/api/globals/site?include=lead', {
        headers: { 'If-None-Match': '{tag}' },
        body: { lead: { role: 'lead' } },
      }),
      refused('/api/globals/site?include=nobody', 'include'),
    ],
  },
])

runScenarios('a service without locales', [
  {
    name: 'rejects every locale',
    steps: [
      refused('/api/posts?locale=en', 'locale'),
      refused('/api/posts?fallbackLocale=none', 'fallbackLocale'),
      refused('/api/posts?locale=en', 'locale', { method: 'POST', auth: true, json: { title: 'x' } }),
    ],
    config: posts,
  },
])
