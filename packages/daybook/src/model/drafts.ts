import type { JsonSchema } from '../fields/field.ts'
import type { DRAFT_KEYS } from '../fields/status.ts'

const time = (description: string): JsonSchema => ({
  type: ['string', 'null'],
  format: 'date-time',
  readOnly: true,
  description,
})

/** The JSON Schemas of what an entry says besides where its working copy is asked for. */
export const DRAFT_SCHEMAS: Readonly<Record<(typeof DRAFT_KEYS)[number], JsonSchema>> = {
  hasDraft: {
    type: 'boolean',
    readOnly: true,
    description: 'Whether there is a working copy; else the entry reads as it is.',
  },
  publishAt: time('When it is to be published; null: no time is set.'),
  unpublishAt: time('When it is to be unpublished; null: no time is set.'),
  publishedLocales: {
    type: ['array', 'null'],
    items: { type: 'string' },
    readOnly: true,
    description: 'The locales in which it is published; null: the content has none.',
  },
}
