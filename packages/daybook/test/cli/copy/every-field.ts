import { f, isAuthenticated } from 'daybook'

/** A field of every kind that is stored differently, except containers. */
export const plainFields = {
  slug: f.slug({ from: 'title', localized: true }),
  status: f.status(),
  code: f.text({ unique: true, search: false }),
  body: f.markdown({ localized: true }),
  amount: f.number(),
  count: f.integer({ unique: true }),
  flag: f.boolean(),
  day: f.date(),
  moment: f.datetime(),
  kind: f.select({ options: ['red', 'green'], default: 'red' }),
  kinds: f.select({ options: ['a', 'b', 'c'], many: true }),
  parent: f.relation('things'),
  friends: f.relation('things', { many: true }),
  about: f.relation(['things']),
  secret: f.text({ access: { read: isAuthenticated } }),
}

/**
 * Returns values for some of {@link plainFields}.
 *
 * @param ids of existing entries
 */
export const plainValues = (index: number, text: string, ids: readonly string[]) => ({
  count: index === 0 ? Number.MIN_SAFE_INTEGER : index,
  flag: index % 2 === 0,
  day: '2026-02-28',
  moment: '1970-01-01T00:00:00.001Z',
  kinds: ['c', 'a'].slice(index % 3),
  parent: ids.at(-1) ?? null,
  about: ids.length > 0 ? { collection: 'things', id: ids.at(-1) } : null,
  secret: `secret ${text}`,
})
