import { f } from 'daybook'
import { type Case, FIELD, field, fields, global, posts, title, wrong } from './config-cases.ts'

export const RENAMES: readonly Case[] = [
  ['from a key that breaks the pattern', { a: f.text({ renamedFrom: 'a-b' }) }, 'a', 'must be a key'],
  [
    'from a field that is still there',
    { a: f.text({ renamedFrom: 'b' }), b: title },
    'a',
    'is "b", which is still a field',
  ],
  ['from itself', { a: f.text({ renamedFrom: 'a' }) }, 'a', 'is "a", which is still a field'],
  [
    'twice from one',
    { a: f.text({ renamedFrom: 'c' }), b: f.text({ renamedFrom: 'c' }) },
    'b',
    'is "c", from which "a" is renamed already',
  ],
].map(([what, inner, key, message]): Case => {
  return [`renamed ${what}`, posts(inner), `collections.posts.fields.${key}.renamedFrom`, String(message)]
})

export const LOCALIZED: readonly Case[] = [
  [
    'a group with a localized field',
    f.group({ a: f.text({ localized: true }) }, { localized: true }),
    'localized',
    'inside of it',
  ],
  ['a list of localized texts', f.list(f.text({ localized: true }), { localized: true }), 'localized', 'inside of it'],
].map(([what, definition, option, message]): Case => {
  const config = { ...field(definition), locales: { default: 'en', available: ['en', 'de'] } }
  return [`localized: ${what}`, config, `${FIELD}.${option}`, String(message)]
})

export const HIDDEN = { access: { read: () => false } } as const
const restricted = f.relation('posts', { onDelete: 'restrict' })

/** Options that would reveal a field to callers who may not read it. */
export const GUARDED: readonly Case[] = [
  ['a unique text', { a: f.text({ ...HIDDEN, unique: true }) }, 'a.unique', 'a 409 would tell'],
  ['a unique number', { a: f.integer({ ...HIDDEN, unique: true }) }, 'a.unique', 'is not allowed with access.read'],
  ['a slug', { title, a: f.slug({ ...HIDDEN, from: 'title' }) }, 'a.access.read', 'tell which slugs exist'],
  [
    'what a slug is made from',
    { title: f.text(HIDDEN), a: f.slug({ from: 'title' }) },
    'a.from',
    'without access.read',
  ],
  ['a relation', { a: f.relation('posts', { ...HIDDEN, onDelete: 'restrict' }) }, 'a.onDelete', 'must be "unset"'],
  ['a required relation', { a: f.relation('posts', { ...HIDDEN, required: true }) }, 'a.onDelete', 'must be "unset"'],
  ['a relation in a group', { a: f.group({ b: restricted }, HIDDEN) }, 'a.fields.b.onDelete', 'must be "unset"'],
  [
    'a relation in a list',
    { a: f.list(f.group({ b: restricted }), HIDDEN) },
    'a.of.fields.b.onDelete',
    'must be "unset"',
  ],
  [
    'a relation in blocks',
    { a: f.blocks({ b: { c: restricted } }, HIDDEN) },
    'a.types.b.c.onDelete',
    'must be "unset"',
  ],
].flatMap(([what, inner, key, message]): Case[] => {
  const inGlobal: Case = [
    `${what} of a global`,
    global({ fields: inner }),
    `globals.site.fields.${key}`,
    String(message),
  ]
  const isForEntries = String(what).includes('slug')
  const sealedCase: Case = [String(what), posts(inner), `collections.posts.fields.${key}`, String(message)]
  return isForEntries ? [sealedCase] : [sealedCase, inGlobal]
})

export const COMMON: readonly Case[] = [
  ['required that is a text', f.text({ required: wrong('yes') }), 'required', 'must be true or false'],
  ['an empty description', f.text({ description: '' }), 'description', 'must be a non-empty string'],
  ['localized without locales', f.text({ localized: true }), 'localized', 'needs locales in the config'],
  ['localized that is a text', f.text({ localized: wrong('de') }), 'localized', 'must be true or false'],
  ['access that is a function', f.text({ access: wrong(() => true) }), 'access', 'must be { read'],
  ['a misspelt rule', f.text({ access: wrong({ reed: () => true }) }), 'access', 'must be { read'],
  ['a rule that is a flag', f.text({ access: wrong({ read: false }) }), 'access', 'must be { read'],
  ['unique that is a text', f.text({ unique: wrong('yes') }), 'unique', 'must be true or false'],
  ['index that is a number', f.integer({ index: wrong(0) }), 'index', 'must be true or false'],
].map(([what, definition, key, message]): Case => [String(what), field(definition), `${FIELD}.${key}`, String(message)])

/** Every builder with an unknown option. The message lists the valid ones. */
const MISSPELT: Readonly<Record<keyof typeof f, readonly [field: unknown, takes: string]>> = {
  text: [f.text(wrong({ colour: true })), 'unique, index, default, minLength, maxLength, pattern, collation, search'],
  markdown: [f.markdown(wrong({ colour: true })), 'default, maxLength, html, toc, search'],
  number: [f.number(wrong({ colour: true })), 'unique, index, default, min, max'],
  integer: [f.integer(wrong({ colour: true })), 'unique, index, default, min, max'],
  boolean: [f.boolean(wrong({ colour: true })), 'renamedFrom, fill, index, default'],
  date: [f.date(wrong({ colour: true })), 'unique, index, default'],
  datetime: [f.datetime(wrong({ colour: true })), 'unique, index, default'],
  select: [f.select(wrong({ options: ['a'], colour: true })), 'options, many, default'],
  email: [f.email(wrong({ colour: true })), 'unique, index, default'],
  url: [f.url(wrong({ colour: true })), 'unique, index, default'],
  slug: [f.slug(wrong({ colour: true })), 'renamedFrom, fill, from'],
  status: [f.status(wrong({ colour: true })), 'description, validate, renamedFrom, options, default'],
  json: [f.json(wrong({ colour: true })), 'default, schema'],
  relation: [f.relation('posts', wrong({ colour: true })), 'many, onDelete, index, formerTo'],
  parent: [f.parent(wrong({ colour: true })), 'description, access, validate, renamedFrom, counted, onDelete'],
  reverse: [f.reverse('posts.author', wrong({ colour: true })), 'description, access, through'],
  asset: [f.asset(wrong({ colour: true })), 'many, onDelete, index, counted, accept, maxBytes'],
  group: [f.group(fields, wrong({ colour: true })), 'required, description, localized, access, validate, renamedFrom'],
  list: [f.list(title, wrong({ colour: true })), 'min, max, default'],
  blocks: [f.blocks({ a: fields }, wrong({ colour: true })), 'min, max'],
}

export const BROKEN_SCHEMA = { type: 'nonsense' }

export const TYPES: readonly Case[] = [
  ['text: a negative length', f.text({ minLength: -1 }), 'minLength', 'whole number, 0 or more'],
  ['text: a length that is a text', f.text({ maxLength: wrong('9') }), 'maxLength', 'whole number, 0 or more'],
  ['text: a broken pattern', f.text({ pattern: '(' }), 'pattern', 'regular expression'],
  ['text: an unknown collation', f.text({ collation: 'Swedish!' }), 'collation', 'tag of a language'],
  [
    'text: a collation without an index',
    f.text({ collation: 'sv', index: false }),
    'collation',
    'is not allowed with index: false',
  ],
  ['text: a pattern that is a RegExp', f.text({ pattern: wrong(/a/) }), 'pattern', 'regular expression'],
  ['text: search that is a text', f.text({ search: wrong('no') }), 'search', 'must be true or false'],
  ['text: longer than an index takes', f.text({ maxLength: 513 }), 'maxLength', 'index: false, or use f.markdown()'],
  ['text: unique and too long', f.text({ index: false, unique: true }), 'maxLength', 'at most 512'],
  ['text: no length fits', f.text({ minLength: 9, maxLength: 8 }), 'minLength', 'must be at most 8'],
  ['text: a default that is a number', f.text({ default: wrong(5) }), 'default', 'must be a string'],
  ['text: a default too long', f.text({ maxLength: 2, default: 'abc' }), 'default', 'at most 2 characters'],
  [
    'text: a default that breaks the pattern',
    f.text({ pattern: '^a', default: 'b' }),
    'default',
    'must match the pattern "^a"',
  ],
  ['markdown: html that is a text', f.markdown({ html: wrong('no') }), 'html', 'must be true or false'],
  ['markdown: unique', f.markdown(wrong({ unique: true })), 'unique', 'is not an option of f.'],
  ['markdown: a default too long', f.markdown({ maxLength: 2, default: 'abc' }), 'default', 'at most 2'],
  ['number: a bound that is a text', f.number({ min: wrong('1') }), 'min', 'must be a number'],
  ['number: an endless bound', f.number({ max: Number.POSITIVE_INFINITY }), 'max', 'must be a number'],
  ['number: no number fits', f.number({ min: 2, max: 1 }), 'min', 'must be at most 1'],
  ['number: a default out of bounds', f.number({ max: 1, default: 2 }), 'default', 'at most 1'],
  ['integer: half a bound', f.integer({ min: 0.5 }), 'min', 'must be a whole number'],
  ['integer: half a default', f.integer({ default: 0.5 }), 'default', 'must be an integer'],
  ['boolean: unique', f.boolean(wrong({ unique: true })), 'unique', 'is not an option of f.'],
  ['boolean: a default that is a text', f.boolean({ default: wrong('true') }), 'default', 'must be a boolean'],
  ['date: a default that is no day', f.date({ default: '2026-02-30' }), 'default', 'valid date'],
  ['datetime: a default without offset', f.datetime({ default: '2026-01-01T00:00:00' }), 'default', 'valid date-time'],
  ['select: no options', f.select(wrong({})), 'options', 'Write the values to choose from'],
  ['select: empty options', f.select({ options: [] }), 'options', 'different texts'],
  ['select: an option twice', f.select({ options: ['a', 'a'] }), 'options', 'different texts'],
  ['select: an empty option', f.select({ options: [''] }), 'options', '1 to 128 characters'],
  ['select: an option too long', f.select({ options: ['a'.repeat(129)] }), 'options', '1 to 128 characters'],
  ['select: an option that is a number', f.select({ options: wrong([1]) }), 'options', 'different texts'],
  [
    'select: many and unique',
    f.select({ options: ['a'], many: true, unique: true }),
    'unique',
    'is not allowed with many: true',
  ],
  ['select: another default', f.select({ options: ['a'], default: 'b' }), 'default', 'must be one of: a'],
  [
    'select: one default for many',
    f.select({ options: ['a'], many: true, default: 'a' }),
    'default',
    'must be an array',
  ],
  ['email: a default that is none', f.email({ default: 'ines' }), 'default', 'valid email'],
  [
    'url: a default that runs',
    f.url({ default: 'javascript:alert(1)' }),
    'default',
    'must begin with http:// or https://',
  ],
  ['slug: from a key that is none', f.slug({ from: 'the title' }), 'from', 'must be the key of a text field'],
  ['slug: from a field that is not there', f.slug({ from: 'name' }), 'from', 'must be the key of a text field'],
  ['slug: from a name every object has', f.slug({ from: 'constructor' }), 'from', 'must be the key of a text field'],
  ['slug: in a group', f.group({ slug: f.slug() }), 'fields.slug', 'among the top-level fields'],
  ['status: in a group', f.group({ state: f.status() }), 'fields.state', 'among the top-level fields'],
  ['status: nothing is public', f.status({ options: ['draft'] }), 'options', 'must contain "published"'],
  ['status: options that are a number', f.status({ options: wrong(5) }), 'options', 'different texts'],
  ['status: another default', f.status({ default: 'review' }), 'default', 'must be one of'],
  ['json: a schema that is a text', f.json({ schema: wrong('object') }), 'schema', 'must be an object'],
  ['json: a broken schema', f.json({ schema: BROKEN_SCHEMA }), 'schema', 'must be a JSON Schema (2020-12)'],
  ['json: a broken pattern in it', f.json({ schema: { pattern: '(' } }), 'schema', 'must be a JSON Schema (2020-12)'],
  [
    'json: a reference to nowhere',
    f.json({ schema: { $ref: '#/$defs/x' } }),
    'schema',
    'must be a JSON Schema (2020-12)',
  ],
  ['json: a default against it', f.json({ schema: { type: 'object' }, default: 5 }), 'default', 'must be an object'],
  [
    'relation: to nowhere',
    f.relation('people'),
    '',
    'refers to "people", which is not a collection. Use one of: posts',
  ],
  [
    'relation: another answer',
    f.relation('posts', { onDelete: wrong('cascade') }),
    'onDelete',
    '"unset" or "restrict"',
  ],
  ['relation: many that is a text', f.relation('posts', { many: wrong('yes') }), 'many', 'must be true or false'],
  ['group: no fields', f.group({}), 'fields', 'must have at least one field'],
  ['group: fields are missing', f.group(wrong(undefined)), 'fields', 'must have at least one field'],
  ['group: unique inside', f.group({ a: f.text({ unique: true }) }), 'fields.a.unique', 'Only top-level fields'],
  ['group: access inside', f.group({ a: f.text({ access: {} }) }), 'fields.a.access', 'on the top-level field around'],
  [
    'group: a fault two levels down',
    f.group({ a: f.group({ b: f.text({ minLength: -1 }) }) }),
    'fields.a.fields.b.minLength',
    '0 or more',
  ],
  ['group: a default inside', f.group({ a: f.text({ default: wrong(5) }) }), 'fields.a.default', 'must be a string'],
  ['list: of a text', f.list(wrong('text')), 'of', 'must be a field, such as f.text()'],
  ['list: of nothing', f.list(wrong(undefined)), 'of', 'must be a field, such as f.text()'],
  ['list: of Markdown with HTML', f.list(f.markdown()), 'of', 'must be inside a group'],
  ['list: unique inside', f.list(f.text({ unique: true })), 'of.unique', 'Only top-level fields can be unique'],
  ['list: a negative bound', f.list(title, { min: -1 }), 'min', 'whole number, 0 or more'],
  ['list: a default too long', f.list(title, { max: 1, default: ['a', 'b'] }), 'default', 'at most 1 items'],
  ['list: a default of other items', f.list(title, { default: [5] }), 'default.0', 'must be a string'],
  [
    'list: a default of other groups',
    f.list(f.group({ a: title }), { default: [{ b: 1 }] }),
    'default.0.b',
    'Unknown field "b".',
  ],
  ['list: a broken schema inside', f.list(f.json({ schema: BROKEN_SCHEMA })), 'of.schema', 'must be a JSON Schema'],
  [
    'list: a default inside',
    f.list(f.group({ a: f.text({ default: wrong(5) }) })),
    'of.fields.a.default',
    'be a string',
  ],
  ['blocks: no kinds', f.blocks({}), '', 'must have at least one kind of block'],
  ['blocks: kinds are missing', f.blocks(wrong(undefined)), 'types', 'must be an object'],
  ['blocks: a kind without fields', f.blocks({ a: {} }), 'types.a', 'must have at least one field'],
  ['blocks: a negative bound', f.blocks({ a: fields }, { max: -1 }), 'max', 'whole number, 0 or more'],
  [
    'blocks: a relation to nowhere',
    f.blocks({ a: { b: f.relation('x') } }),
    'types.a.b',
    'refers to "x", which is not a collection',
  ],
  [
    'blocks: a broken schema inside',
    f.blocks({ a: { b: f.json({ schema: BROKEN_SCHEMA }) } }),
    'types.a.b.schema',
    'Schema',
  ],
].map(([what, definition, key, message]): Case => {
  return [String(what), field(definition), key === '' ? FIELD : `${FIELD}.${key}`, String(message)]
})

/** Every builder with an unknown option, and one with a mistyped option. */
export const misspelt: readonly Case[] = [
  [
    'f.text() with a mistyped option',
    field(f.text(wrong({ requird: true }))),
    `${FIELD}.requird`,
    `${FIELD}.requird is not an option of f.text(). Did you mean "required"?`,
  ],
  ...Object.entries(MISSPELT).map(([name, [definition, takes]]): Case => {
    return [`f.${name}()`, field(definition), `${FIELD}.colour`, takes]
  }),
]
