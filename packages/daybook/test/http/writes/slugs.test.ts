import { expect } from 'vitest'
import { kitchen, posts } from '../../support/configs/configs.ts'
import { runScenarios, type Step } from '../../support/scenarios/scenario.ts'
import { create, get, put, remove } from '../../support/scenarios/steps.ts'

const createPost = (title: string, slug: string | object): Step => create('posts', { title }, { body: { slug } })
const SLUG_TAKEN = { status: 409, body: { code: 'CONFLICT', details: { field: 'slug' } } } as const

runScenarios('a slug that is left out', [
  {
    name: 'is generated from the configured field',
    config: posts,
    steps: [
      createPost('Hello, World!', 'hello-world'),
      createPost('  --Crème   brûlée, twice-- ', 'creme-brulee-twice'),
      createPost('C’est l’été', 'cest-lete'),
      createPost('東京 タワー', '東京-タワー'),
      createPost('Привет, мир', 'привет-мир'),
      createPost('हिन्दी लेख', 'हिन्दी-लेख'),
      createPost('ที่เที่ยว น้ำตก', 'ที่เที่ยว-น้ำตก'),
      createPost('ଓଡ଼ିଆ, தமிழ், ខ្មែរ', 'ଓଡ଼ିଆ-தமிழ்-ខ្មែរ'.normalize('NFC')),
      createPost('עִבְרִית', 'עִבְרִית'.normalize('NFC')),
      createPost('Αθήνα και Λόγος', 'αθήνα-και-λόγος'),
      createPost('Straße in Łódź, Iğdır, Đà Nẵng, Ærø', 'strasse-in-lodz-igdir-da-nang-aero'),
      createPost('1️⃣ co\u00adoperate', '1-cooperate'),
      createPost('2026', '2026'),
      createPost('a/b\\c?d#e%f', 'a-b-c-d-e-f'),
      createPost('<script>alert(1)</script>', 'script-alert-1-script'),
    ],
  },
  {
    name: 'gets -2, -3 and so on if it is taken, also with gaps',
    config: posts,
    steps: [
      createPost('Same', 'same'),
      create('posts', { title: 'Same' }, { body: { slug: 'same-2' }, keep: { second: '/id' } }),
      createPost('Same', 'same-3'),
      createPost('SAME!', 'same-4'),
      remove('/api/posts/{second}'),
      create('posts', { title: 'Same' }, { body: { slug: expect.stringMatching(/^same-[25]$/) } }),
    ],
  },
  {
    name: 'of the longest title has at most 200 characters, with or without a number',
    config: kitchen,
    steps: [
      ...[1, 2, 3].map(() =>
        create(
          'few',
          { title: 'long '.repeat(100) },
          { body: { slug: expect.stringMatching(/^.{1,200}$/) }, keep: { slug: '/slug' } },
        ),
      ),
      get('/api/few/{slug}', {}),
    ],
  },
  {
    name: 'of a title without letters is still usable',
    config: posts,
    steps: ['!!!', '🎉🎉', '- - -', '\u0301'].flatMap((title) => [
      create(
        'posts',
        { title },
        {
          body: { slug: expect.stringMatching(/^[a-z]+(?:-[0-9]+)?$/) },
          keep: { slug: '/slug', id: '/id' },
        },
      ),
      get('/api/posts/{slug}', { body: { id: '{id}' } }),
    ]),
  },
  {
    name: 'never has the shape of a UUID',
    config: posts,
    steps: [
      create(
        'posts',
        { title: '01A1F9D5 ddca 7255 9a37 e7bf8ce09df2' },
        { keep: { slug: '/slug', id: '/id' }, lacks: ['"01a1f9d5-ddca-7255-9a37-e7bf8ce09df2"'] },
      ),
      get('/api/posts/{slug}', { body: { id: '{id}' } }),
    ],
  },
  {
    name: 'stays when the title changes, and is regenerated when it is cleared',
    config: posts,
    steps: [
      create('posts', { title: 'First' }, { keep: { id: '/id' } }),
      put('/api/posts/{id}', { title: 'Second' }, { body: { slug: 'first' } }),
      put('/api/posts/{id}', { slug: null }, { body: { slug: 'second' } }),
      get('/api/posts/first', { status: 404 }),
      get('/api/posts/second', { body: { id: '{id}' } }),
    ],
  },
  {
    name: 'is required if no field is configured to generate it from',
    config: kitchen,
    steps: [
      create(
        'pages',
        { title: 'x' },
        { status: 400, body: { details: { issues: [{ path: '/slug', code: 'required' }] } } },
      ),
    ],
  },
])

runScenarios('a slug in the body', [
  {
    name: 'is stored as it is, in any script, normalized to NFC',
    config: posts,
    steps: [
      'a',
      '1',
      'A-b_c.d',
      'über',
      '東京',
      'Ωmega-3',
      'हिन्दी-लेख',
      'ที่เที่ยว.น้ำตก',
      'x'.repeat(200),
      'n-01a1f9d5-ddca-7255-9a37-e7bf8ce09df2',
    ].flatMap((slug) => [
      create(
        'posts',
        { title: 't', slug },
        { body: { slug }, responseHeaders: { Location: `/api/posts/${encodeURIComponent(slug)}` } },
      ),
      get(`/api/posts/${encodeURIComponent(slug)}`, { body: { slug } }),
    ]),
  },
  {
    name: 'is rejected if it is invalid',
    config: posts,
    steps: [
      ...[
        '',
        ' ',
        'a b',
        '-a',
        'a-',
        'a--b',
        'a-_b',
        '_a',
        '.a',
        '.',
        '..',
        'a/b',
        'a\\b',
        '../x',
        'a%20b',
        'a?b',
        'a#b',
        '🎉',
        '\u0301a',
        'a-\u0301b',
        'x'.repeat(201),
        '<b>',
        "a'b",
        'a\nb',
        'a\u202eb',
      ].map((slug) => create('posts', { title: 't', slug }, { status: 400 })),
      ...[5, true, ['a'], { a: 1 }].map((slug) => create('posts', { title: 't', slug }, { status: 400 })),
    ],
  },
  {
    name: 'with the shape of a UUID is rejected, in upper and lower case',
    config: posts,
    steps: [
      '01a1f9d5-ddca-7255-9a37-e7bf8ce09df2',
      '01A1F9D5-DDCA-7255-9A37-E7BF8CE09DF2',
      '00000000-0000-0000-0000-000000000000',
    ].map((slug) => create('posts', { title: 't', slug }, { status: 400 })),
  },
  {
    name: 'that is taken is a conflict, on create and on update',
    config: posts,
    steps: [
      create('posts', { title: 'a', slug: 'mine' }, { keep: { a: '/id' } }),
      create('posts', { title: 'b', slug: 'mine' }, SLUG_TAKEN),
      create('posts', { title: 'b', slug: 'other' }, { keep: { b: '/id' } }),
      put('/api/posts/{b}', { slug: 'mine' }, SLUG_TAKEN),
      put('/api/posts/{a}', { slug: 'mine', title: 'still a' }),
      put('/api/posts/{a}', { slug: 'moved' }, { body: { slug: 'moved' } }),
      get('/api/posts/mine', { status: 404 }),
      put('/api/posts/{b}', { slug: 'mine' }, { body: { slug: 'mine' } }),
    ],
  },
  {
    name: 'is also taken by an unpublished entry',
    config: posts,
    steps: [
      create('posts', { title: 'a', slug: 'mine', status: 'draft' }),
      create('posts', { title: 'b', slug: 'mine' }, SLUG_TAKEN),
    ],
  },
  {
    name: 'conflicts with the same slug in another Unicode form',
    config: posts,
    steps: [
      create('posts', { title: 'a', slug: 'caf\u00e9' }, { body: { slug: 'caf\u00e9' } }),
      create('posts', { title: 'b', slug: 'cafe\u0301' }, SLUG_TAKEN),
    ],
  },
  {
    name: 'in decomposed form is stored composed',
    config: posts,
    steps: [create('posts', { title: 'b', slug: 'cafe\u0301' }, { body: { slug: 'caf\u00e9' } })],
  },
])
