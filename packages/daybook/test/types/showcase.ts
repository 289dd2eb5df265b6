import { defineCollection, defineConfig, defineGlobal, f } from 'daybook'

/** A value with a type of its own, for `f.json()`. */
export interface Point {
  readonly x: number
  readonly y: number
}

const people = defineCollection({ fields: { name: f.text({ required: true }) } })

/** Every field type, as it is left alone and with the options that change its types. */
const things = defineCollection({
  description: 'One of each.',
  maxLimit: 50,
  indexes: [['date', '-number']],
  fields: {
    text: f.text(),
    textNeeded: f.text({ required: true, minLength: 1, maxLength: 80, pattern: '^[A-Z]' }),
    textFilled: f.text({ required: true, default: 'none' }),
    textHinted: f.text({ default: 'none' }),
    body: f.markdown(),
    bodyNeeded: f.markdown({ required: true }),
    bodyPlain: f.markdown({ html: false }),
    bodyListed: f.markdown({ toc: true }),
    bodyListedNeeded: f.markdown({ toc: true, required: true, default: '# New' }),
    number: f.number({ min: 0, max: 1 }),
    numberNeeded: f.number({ required: true }),
    integer: f.integer(),
    integerFilled: f.integer({ required: true, default: 1 }),
    boolean: f.boolean(),
    booleanNeeded: f.boolean({ required: true }),
    date: f.date(),
    dateNeeded: f.date({ required: true }),
    datetime: f.datetime(),
    datetimeNeeded: f.datetime({ required: true }),
    choice: f.select({
      label: { en: 'Choice', de: 'Wahl' },
      options: ['red', { value: 'green', label: { de: 'Grün' } }],
    }),
    choiceNeeded: f.select({ options: ['red', 'green'], required: true }),
    many: f.select({ options: ['a', 'b'], many: true }),
    green: f.text({ required: true, showIf: { choice: 'green' } }),
    greenBox: f.group({ size: f.integer({ required: true }) }, { required: true, showIf: { choice: 'green' } }),
    greenList: f.list(f.group({ size: f.integer({ required: true }) }), {
      required: true,
      showIf: { choice: 'green' },
    }),
    email: f.email(),
    emailNeeded: f.email({ required: true }),
    url: f.url(),
    urlNeeded: f.url({ required: true }),
    slug: f.slug({ from: 'text' }),
    status: f.status(),
    json: f.json(),
    jsonNeeded: f.json({ required: true }),
    point: f.json<Point>(),
    pointNeeded: f.json<Point>({ required: true, schema: { type: 'object' } }),
    person: f.relation('people'),
    personNeeded: f.relation('people', { required: true, onDelete: 'restrict' }),
    friends: f.relation('people', { many: true }),
    group: f.group({
      name: f.text({ required: true }),
      note: f.text(),
      text: f.markdown(),
      size: f.integer({ required: true, default: 0 }),
    }),
    groupNeeded: f.group({ lang: f.select({ options: ['de', 'en'] }) }, { required: true }),
    words: f.list(f.text()),
    rows: f.list(f.group({ label: f.text({ required: true }), count: f.integer() }), { min: 1, max: 9 }),
    parts: f.blocks({
      quote: f.group({ text: f.text({ required: true }), by: f.text() }, { label: 'Quote', itemTitle: 'by' }),
      prose: { text: f.markdown({ required: true }) },
    }),
  },
})

const pages = defineCollection({
  fields: {
    title: f.text({ required: true }),
    address: f.slug(),
    state: f.status({ options: [{ value: 'idea', label: 'Idea' }, 'published'], default: 'idea' }),
  },
})

const site = defineGlobal({ fields: { siteName: f.text({ required: true }), about: f.markdown() } })

export const showcase = defineConfig({ collections: { things, people, pages }, globals: { site } })
export type Showcase = typeof showcase
