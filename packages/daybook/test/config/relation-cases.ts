import { f } from 'daybook'
import { type Case, FIELD, field, title, withParts, wrong } from './config-cases.ts'

/** Wrong names of relations in a reverse field of authors, whose posts refer to them in several ways, and to each other. */
export const REVERSES: readonly Case[] = [
  [
    'a mistyped relation',
    'posts.autor',
    'names "autor", which is not a relation of posts. Use f.reverse("posts.author") or f.reverse("posts.meta.editor")',
  ],
  ['a mistyped collection', 'post.author', 'names "post", which is not a collection. Use posts'],
  [
    'a collection of another name',
    'articles.author',
    'names "articles", which is not a collection. Use one of: authors, posts',
  ],
  [
    'a field that is no relation',
    'posts.title',
    'names "title", which is not a relation of posts. Use f.reverse("posts.author")',
  ],
  [
    'a relation that leads elsewhere',
    'posts.next',
    'names posts.next, which refers to posts, not to authors. Use f.reverse("posts.author")',
  ],
  [
    'a collection without such a relation',
    'authors.name',
    'names "name", which is not a relation of authors. No relation of authors refers to authors',
  ],
  ['no relation', 'posts', 'must name a collection and its relation, such as f.reverse("posts.author")'],
  ['nothing', '', 'must name a collection and its relation'],
  ['a number', wrong(5), 'must name a collection and its relation'],
  [
    'a relation without an index',
    'posts.plain',
    'names posts.plain, which has no index to find entries by. Leave index: false out there',
  ],
  ['a relation in a list', 'posts.listed', 'names "listed", which is not a relation of posts'],
  ['a relation in blocks', 'posts.parts.by', 'names "parts.by", which is not a relation of posts'],
  ['a localized one that holds many', 'posts.local', 'names posts.local, which has no index to find entries by'],
  [
    'one in a localized group that holds many',
    'posts.home.all',
    'names posts.home.all, which has no index to find entries by',
  ],
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
    'names "meta.author", which is not a relation of posts',
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
    'is never written',
  ],
  [
    'reverse: required',
    field(f.reverse('posts.field', wrong({ required: true }))),
    `${FIELD}.required`,
    'is not an option of f.reverse()',
  ],
]

export const RELATIONS_TO_SEVERAL: readonly Case[] = (
  [
    ['no collection', f.relation([]), '', 'must name at least one collection'],
    ['a collection twice', f.relation(['posts', 'posts']), '', 'must name each collection only once'],
    [
      'a mistyped collection',
      f.relation(['posts', 'pagse']),
      '',
      'refers to "pagse", which is not a collection. Use one of: posts, pages',
    ],
    [
      'a field "collection" in a target',
      f.relation(['posts', 'pages']),
      '',
      'refers to pages, whose field "collection"',
    ],
    [
      'a former list',
      f.relation(['posts'], { formerTo: ['pages'] }),
      '.formerTo',
      "must be the collection that it referred to, such as 'posts'",
    ],
    [
      'a former collection of one',
      f.relation('posts', { formerTo: 'pages' }),
      '.formerTo',
      'must be the list of collections',
    ],
    [
      'a former target that is none',
      f.relation('posts', { formerTo: wrong(5) }),
      '.formerTo',
      'must be what the relation referred to',
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
      'must be "unset"',
    ],
  ] as const
).map(([what, a, option, message]): Case => {
  const pages = { fields: { collection: f.text() } }
  const locales = { default: 'en', available: ['en'] }
  const config = { locales, collections: { posts: { fields: { a } }, pages } }
  return [`relation to several: ${what}`, config, `collections.posts.fields.a${option}`, message]
})
