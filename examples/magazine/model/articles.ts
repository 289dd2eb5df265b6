import { defineCollection, f } from 'daybook'
import { draftsOfContributors, isEditor, ownDrafts, publishedOrOwn } from './rules.ts'

export const articles = defineCollection({
  description: 'What the magazine prints.',
  fields: {
    title: f.text({ required: true, localized: true, maxLength: 160 }),
    slug: f.slug({ from: 'title', localized: true }),
    intro: f.text({ localized: true, maxLength: 400, index: false }),
    parts: f.blocks({
      text: { body: f.markdown({ required: true, localized: true }) },
      quote: { words: f.text({ required: true, localized: true, index: false }), by: f.text({ maxLength: 120 }) },
      gallery: {
        images: f.asset({ required: true, many: true, accept: ['image/*'] }),
        caption: f.text({ localized: true, maxLength: 200, index: false }),
      },
      question: {
        asks: f.text({ required: true, localized: true, index: false }),
        answer: f.markdown({ required: true, localized: true }),
      },
    }),
    // Not required, so that a draft may lack it: `validate` requires both on publication.
    section: f.relation('sections', { onDelete: 'restrict' }),
    publishedOn: f.date(),
    authors: f.relation('contributors', { many: true }),
    topics: f.list(f.text({ maxLength: 40 }), { max: 8, counted: true }),
    related: f.relation(['articles', 'events'], { many: true }),
    status: f.status({ default: 'draft' }),
    receivedOn: f.date({ default: ({ now }) => now.slice(0, 10), description: 'When it was handed in.' }),
    minutes: f.integer({ description: 'How long it takes to read. Worked out when an article is stored.' }),
    note: f.text({
      maxLength: 500,
      search: false,
      description: 'Among editors.',
      access: { read: (request) => isEditor(request) },
    }),
  },
  indexes: [['section', '-publishedOn']],
  access: { read: publishedOrOwn, create: draftsOfContributors, update: ownDrafts, delete: ownDrafts },
  hooks: {
    beforeChange: ({ after }) => (after ? { minutes: minutesToRead(after) } : undefined),
  },
  validate: ({ status, section, publishedOn }) => {
    if (status !== 'published') return []
    return [
      ...(section === null ? [{ path: '/section' as const, message: 'is needed to publish' }] : []),
      ...(publishedOn === null ? [{ path: '/publishedOn' as const, message: 'is needed to publish' }] : []),
    ]
  },
})

/** The reading speed, in words per minute. */
const WORDS_A_MINUTE = 200

/** Returns the time to read all texts of a document, in minutes, at least 1. */
function minutesToRead(document: unknown): number {
  return Math.max(1, Math.ceil(wordsIn(document) / WORDS_A_MINUTE))
}

function wordsIn(value: unknown): number {
  if (typeof value === 'string') return value.split(/\s+/).filter((word) => word !== '').length
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce((words: number, item) => words + wordsIn(item), 0)
}
