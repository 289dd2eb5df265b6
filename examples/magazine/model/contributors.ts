import { defineCollection, f } from 'daybook'
import { editorsWrite } from './rules.ts'

export const contributors = defineCollection({
  description: 'People who write for the magazine, with an account or without.',
  fields: {
    name: f.text({ required: true, maxLength: 120 }),
    slug: f.slug({ from: 'name' }),
    about: f.markdown({ localized: true }),
    articles: f.reverse('articles.authors'),
  },
  access: editorsWrite,
})
