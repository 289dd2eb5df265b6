import { f } from 'daybook'
import { type Case, FIELD, field, title, withParts, wrong } from './config-cases.ts'

/** Wrong names of relations in a reverse field of authors, whose posts refer to them in several ways, and to each other. */
export const REVERSES: readonly Case[] = [
  [
    'a mistyped relation',
    'posts.autor',
    'posts has no relation "autor". Use f.reverse("posts.author") or f.reverse("posts.meta.editor")',
  ],
  ['a mistyped collection', 'post.author', '"post" is not a collection. Use posts'],
  ['a collection of another name', 'articles.author', '"articles" is not a collection. Use one of: authors, posts'],
  ['a field that is no relation', 'posts.title', 'posts has no relation "title". Use f.reverse("posts.author")'],
  [
    'a relation that leads elsewhere',
    'posts.next',
    'posts.next leads to posts, not to authors. Use f.reverse("posts.author")',
  ],
  [
    'a collection without such a relation',
    'authors.name',
    'authors has no relation "name". authors has no relation to authors',
  ],
  ['no relation', 'posts', 'name a collection and its relation, as f.reverse("posts.author")'],
  ['nothing', '', 'name a collection and its relation'],
  ['a number', wrong(5), 'name a collection and its relation'],
  [
    'a relation without an index',
    'posts.plain',
    'posts.plain has no index to find entries by. Leave index: false out there',
  ],
  ['a relation in a list', 'posts.listed', 'posts has no relation "listed"'],
  ['a relation in blocks', 'posts.parts.by', 'posts has no relation "parts.by"'],
  ['a localized one that holds many', 'posts.local', 'posts.local has no index to find entries by'],
  ['one in a localized group that holds many', 'posts.home.all', 'posts.home.all has no index to find entries by'],
].map(([what, name, message]): Case => {
  const authors = { fields: { name: title, back: f.reverse(name as string) } }
  const to = f.relation('authors')
  const referring = {
    title,
    author: to,
    next: f.relation('posts'),
    plain: f.relation('authors', { index: false }),
    meta: f.group({ editor: to }),
    listed: f.list(to),
    parts: f.blocks({ quote: { by: to } }),
    local: f.relation('authors', { many: true, localized: true }),
    home: f.group({ all: f.relation('authors', { many: true }) }, { localized: true }),
  }
  const locales = { default: 'en', available: ['en', 'de'] }
  const config = { locales, collections: { authors, posts: { fields: referring } } }
  return [`reverse: ${what}`, config, 'collections.authors.fields.back', String(message)]
})

export const REVERSE_PLACES: readonly Case[] = [
  [
    'reverse: of a broken group',
    {
      collections: {
        posts: { fields: { meta: f.group(wrong(5)) } },
        authors: { fields: { back: f.reverse('posts.meta.author') } },
      },
    },
    'collections.authors.fields.back',
    'posts has no relation "meta.author"',
  ],
  ['reverse: in a group', field(f.group({ a: f.reverse('posts.field') })), `${FIELD}.fields.a`, 'at the top level'],
  ['reverse: in a list', field(f.list(f.reverse('posts.field'))), `${FIELD}.of`, 'at the top level'],
  [
    'reverse: in a global',
    withParts({ globals: { site: { fields: { a: f.reverse('posts.title') } } } }),
    'globals.site.fields.a',
    'at the top level of a collection',
  ],
  [
    'reverse: a rule for writing',
    field(f.reverse('posts.field', { access: wrong({ write: () => true }) })),
    `${FIELD}.access`,
    'nothing is written',
  ],
  [
    'reverse: required',
    field(f.reverse('posts.field', wrong({ required: true }))),
    `${FIELD}.required`,
    'no such option',
  ],
]

/** Faults of a relation to several collections. */
export const RELATIONS_TO_SEVERAL: readonly Case[] = (
  [
    ['no collection', f.relation([]), '', 'name at least one collection'],
    ['a collection twice', f.relation(['posts', 'posts']), '', 'name each collection once'],
    [
      'a mistyped collection',
      f.relation(['posts', 'pagse']),
      '',
      '"pagse" is not a collection. Use one of: posts, pages',
    ],
    ['a field "collection" in a target', f.relation(['posts', 'pages']), '', 'pages has a field "collection"'],
    [
      'a former list',
      f.relation(['posts'], { formerTo: ['pages'] }),
      '.formerTo',
      "write the collection that it led to, as 'posts'",
    ],
    [
      'a former collection of one',
      f.relation('posts', { formerTo: 'pages' }),
      '.formerTo',
      'write the list of collections',
    ],
    [
      'a former target that is none',
      f.relation('posts', { formerTo: wrong(5) }),
      '.formerTo',
      'write what the relation led to',
    ],
    [
      'a localized one that moves',
      f.relation(['posts'], { formerTo: 'posts', localized: true }),
      '.formerTo',
      'the values of a localized relation cannot be moved',
    ],
    [
      'a hidden one that restricts',
      f.relation(['posts'], { access: { read: () => true }, onDelete: 'restrict' }),
      '.onDelete',
      'write "unset"',
    ],
  ] as const
).map(([what, a, option, message]): Case => {
  const pages = { fields: { collection: f.text() } }
  const locales = { default: 'en', available: ['en'] }
  const config = { locales, collections: { posts: { fields: { a } }, pages } }
  return [`relation to several: ${what}`, config, `collections.posts.fields.a${option}`, message]
})
