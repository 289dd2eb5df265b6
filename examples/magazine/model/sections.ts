import { defineCollection, f } from 'daybook'
import { editorsWrite } from './rules.ts'

export const sections = defineCollection({
  description: 'The parts of the magazine.',
  fields: {
    name: f.text({ required: true, localized: true, maxLength: 60 }),
    slug: f.slug({ from: 'name' }),
    order: f.integer({ required: true, default: 100 }),
    articles: f.reverse('articles.section'),
  },
  access: editorsWrite,
})
