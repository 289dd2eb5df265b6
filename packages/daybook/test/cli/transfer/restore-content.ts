import type { Service } from 'daybook'
import { plainValues } from '../copy/every-field.ts'

/** Texts that engines might store differently; none may end a line of an export. */
const STRANGE = [
  '𝕯aybook 🗒️',
  'Ærøskøbing',
  '日本語 テキスト',
  'עברית',
  `'"\\ $1 ? %s \u2028\u2029`,
  '\u0301combining',
  '\uffff',
  'a\tb\nc\r\nd\u0085',
  '"counts":{"globals":0}}',
]
const NUMBERS = [0, -1e-7, 1e21, 0.1 + 0.2, Number.MAX_SAFE_INTEGER, Number.MIN_VALUE, 1.7976931348623157e308, -0, null]

/** Writes every kind of data under the former config. */
export async function fillBefore({ content }: Service): Promise<void> {
  const create = async (collection: string, data: object): Promise<string> => {
    const entry = await content.create(collection, data as never)
    return String((entry as { readonly id: unknown }).id)
  }
  const change = (id: string, data: object, locale?: string): Promise<unknown> =>
    content.update('things', id, data as never, { ...(locale ? { locale } : {}) })
  const person = await create('people', { name: 'Inés' })
  await content.update('people', person, { boss: person } as never)
  const ids: string[] = []
  for (const [index, text] of STRANGE.entries()) ids.push(await create('things', thing(index, text, ids)))
  // Circular relations, which no order of creation can satisfy.
  const shelf = [...ids.map((id) => ({ collection: 'things', id })).reverse(), { collection: 'people', id: person }]
  await change(String(ids[0]), { parent: ids.at(-1), friends: ids, shelf, editor: person })
  for (const [index, id] of ids.entries()) {
    await change(
      id,
      { title: `Ding ${index}`, body: `*Hallo* ${index}`, seo: { title: 'Titel' }, words: ['eins'] },
      'de',
    )
  }
  await change(String(ids[4]), { above: ids[1] })
  await change(String(ids[2]), { title: 'Chose', gone: 'disparu', data: { '': [null] }, editor: person }, 'fr')
  await change(String(ids[3]), { long: 'ß€𝕯 '.repeat(100_000) })
  await change(String(ids[3]), { long: 'lang '.repeat(200_000) }, 'de')
  await content.delete('things', await create('things', { title: 'deleted' }))
  await draftAndSchedule(content, ids)
  for (const [locale, name] of Object.entries({ en: 'Site', de: 'Seite' })) {
    await content.writeGlobal('site', { name, lead: ids[1] } as never, { locale })
  }
}

/** Saves drafts, one of them in two locales and with an orphaned value, and schedules. */
async function draftAndSchedule(content: Service['content'], [first = '', second = '', third = '']: readonly string[]) {
  const save = (id: string, data: object, locale?: string): Promise<unknown> =>
    content.saveDraft('things', id, data as never, { ...(locale ? { locale } : {}) })
  await save(first, { title: 'To publish', gone: 'gone, too', body: '*later*' })
  await save(first, { title: 'Zu veröffentlichen', words: ['zwei'] }, 'de')
  await save(third, { title: null, long: 'ß€𝕯 '.repeat(50_000) })
  const at = '2999-12-31T23:00:00.000Z'
  await content.publish('things', first, { at, locales: ['de'] })
  await content.unpublish('things', second, { at })
  await content.unpublish('things', second, { locales: ['en'] })
  await content.publish('things', second, { at: '2999-01-01T00:00:00.000Z' })
}

function thing(index: number, text: string, ids: readonly string[]): object {
  return {
    title: `${text} ${index}`.replace(/[\r\n]/g, ' '),
    status: ['draft', 'published', 'archived'][index % 3],
    code: `c${text}`.replace(/[\r\n]/g, ' '),
    body: `# ${text}\n\n*hello* <script>alert(1)</script> ${'long '.repeat(index * 300)}`,
    amount: NUMBERS[index],
    ...plainValues(index, text, ids),
    mail: 'ann@example.org',
    link: 'https://example.org/?a=1&b=%20',
    data: { [text]: [text, ...NUMBERS, { deep: [[]] }], '': {}, 10: 'ten', 9: 'nine' },
    friends: ids.slice(-3).reverse(),
    gone: `gone ${text}`,
    seo: { title: 'seo', old: `old ${text}` },
    words: [text, ''],
    rows: [{ label: text, size: index }],
    parts: [
      { _type: 'quote', text, by: ids[0] ?? null },
      { _type: 'prose', md: `*${index}*` },
    ],
  }
}

/** Writes to some entries under the present config, which stores values without a field as orphaned. */
export async function touch({ content }: Service): Promise<void> {
  const { items } = await content.list('things', { limit: 3, sort: 'id' } as never)
  for (const { id } of items) await content.update('things', String(id), { day: '2026-03-01' } as never)
}
