// A custom field type in the client's types: its value and its derived value. tsc checks this file; it never runs.
import type { Client, Where } from '@daybook/client'
import { defineCollection, defineConfig, type EntryCreate, f } from 'daybook'
import { durationField } from '../../../daybook/test/support/configs/duration-field.ts'
import { type Equal, type Expect, holds } from '../../../daybook/test/types/expect.ts'

const songs = defineCollection({
  fields: {
    title: f.text({ required: true }),
    length: durationField({ required: true }),
    intro: durationField({ localized: true }),
  },
})

export const music = defineConfig({
  collections: { songs },
  locales: { default: 'en', available: ['en', 'de'] } as const,
})
type Music = typeof music

interface Song {
  readonly id: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly createdBy?: string | null | undefined
  readonly updatedBy?: string | null | undefined
  readonly title: string
  readonly length: number
  readonly lengthClock: string
  readonly intro: number | null
  readonly introClock: string | null
}

export type Filters = Expect<
  Equal<
    Pick<NonNullable<Where<Music, 'songs'>['length']>, 'gt' | 'exists'>,
    { readonly gt?: number; readonly exists?: boolean }
  >
>

export const song: EntryCreate<Music, 'songs'> = {
  title: 'A',
  length: 61,
  lengthClock: 'a value that was read is ignored',
}
// @ts-expect-error a required field
export const without: EntryCreate<Music, 'songs'> = { title: 'A' }

export async function read({ collections: { songs: all } }: Client<Music>): Promise<void> {
  const { items } = await all.findMany({ where: { length: { gte: 60 } }, sort: '-length' })
  holds<Equal<(typeof items)[number], Song>>()
  const entry = await all.findById('a', { select: ['lengthClock'] })
  holds<Equal<typeof entry, { readonly id: string; readonly lengthClock: string } | null>>()
  const everywhere = await all.findById('a', { locale: 'all' })
  holds<
    Equal<NonNullable<typeof everywhere>['introClock'], { readonly en?: string | null; readonly de?: string | null }>
  >()
  holds<Equal<NonNullable<typeof everywhere>['lengthClock'], string>>()
  // @ts-expect-error startsWith on a number
  await all.findMany({ where: { length: { startsWith: '6' } } })
  // @ts-expect-error a derived value cannot be filtered
  await all.findMany({ where: { lengthClock: { eq: '00:01:01' } } })
}
