import { type DaybookConfig, defineCollection, defineConfig, f } from 'daybook'
import type { TestService } from 'daybook/testing'
import { SLOW_MACHINE_LIMITS } from '../../../../daybook/test/support/timeouts.ts'
import { studio } from '../../../src/index.ts'

/** Books that refer to people and to each other. */
export const library: DaybookConfig = defineConfig({
  limits: { ...SLOW_MACHINE_LIMITS, signInsPerMinute: 1000 },
  plugins: [studio()],
  collections: {
    books: defineCollection({
      fields: {
        title: f.text({ required: true }),
        author: f.relation('people', { description: 'Who wrote it.' }),
        readers: f.relation('people', { many: true }),
        related: f.relation(['books', 'people']),
      },
    }),
    people: defineCollection({
      fields: {
        name: f.text({ required: true }),
        born: f.integer(),
        status: f.status(),
        written: f.reverse('books.author'),
      },
    }),
  },
})

/** Stores people, and returns their ids. */
export async function storePeople(service: TestService, names: readonly string[]): Promise<readonly string[]> {
  const content = service.content
  const ids: string[] = []
  for (const name of names) {
    const { id } = await content.create('people', { name, born: 1900 + ids.length, status: 'published' })
    ids.push(String(id))
  }
  return ids
}
