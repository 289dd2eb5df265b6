import { defineCollection, defineConfig, defineGlobal, f } from 'daybook'

const companies = defineCollection({
  fields: {
    name: f.text({ required: true }),
    slug: f.slug({ from: 'name' }),
    country: f.text(),
    staff: f.reverse('people.employer'),
  },
})

const people = defineCollection({
  fields: {
    name: f.text({ required: true }),
    slug: f.slug({ from: 'name' }),
    mentor: f.relation('people'),
    employer: f.relation('companies', { required: true }),
    skills: f.select({ options: ['ink', 'glue'], many: true }),
    home: f.group({ city: f.text(), country: f.text({ index: false }) }),
  },
})

const books = defineCollection({
  fields: {
    title: f.text({ required: true, localized: true }),
    slug: f.slug({ from: 'title' }),
    status: f.status(),
    pages: f.integer({ default: 1 }),
    lent: f.boolean(),
    day: f.date(),
    moment: f.datetime(),
    genre: f.select({ options: ['novel', 'essay'] }),
    moods: f.select({ options: ['dark', 'slow'], many: true }),
    tones: f.select({ options: ['warm', 'cold'], many: true, localized: true }),
    mail: f.email(),
    long: f.text({ index: false }),
    body: f.markdown({ toc: true }),
    text: f.markdown({ localized: true, toc: true }),
    data: f.json<{ readonly x: number }>(),
    note: f.json<string>(),
    author: f.relation('people', { required: true }),
    authors: f.relation('people', { many: true }),
    reviewer: f.relation('people', { index: false }),
    meta: f.group({
      rank: f.integer(),
      editor: f.relation('people'),
      inner: f.group({ word: f.text() }),
      motto: f.text({ localized: true }),
    }),
    credits: f.list(f.group({ who: f.relation('people'), role: f.text() })),
    picks: f.list(f.relation('companies')),
    parts: f.blocks({
      quote: { text: f.text(), by: f.relation('people') },
      shelf: { by: f.relation('people'), firms: f.relation('companies', { many: true }) },
    }),
  },
})

const front = defineGlobal({ fields: { title: f.text({ required: true }), book: f.relation('books') } })

const locales = { default: 'en', available: ['en', 'de'] } as const

/** A config with every kind of relation and of filter. */
export const library = defineConfig({ collections: { books, people, companies }, globals: { front }, locales })
export type Library = typeof library

/** A config without locales, globals and statuses. */
export const notes = defineConfig({ collections: { notes: defineCollection({ fields: { text: f.text() } }) } })
export type Notes = typeof notes
