import { defineCollection, f } from 'daybook'
import { editorsWrite } from './rules.ts'

export const events = defineCollection({
  description: 'Evenings to which readers can come.',
  fields: {
    title: f.text({ required: true, localized: true, maxLength: 160 }),
    slug: f.slug({ from: 'title' }),
    startsAt: f.datetime({ required: true }),
    endsAt: f.datetime({ required: true }),
    place: f.text({ required: true, maxLength: 200 }),
    about: f.markdown({ localized: true }),
    // Events without a stored price were free.
    price: f.number({ required: true, min: 0, fill: 0 }),
  },
  access: editorsWrite,
  validate: ({ startsAt, endsAt }) =>
    endsAt <= startsAt ? [{ path: '/endsAt', message: 'must be after startsAt' }] : [],
})
