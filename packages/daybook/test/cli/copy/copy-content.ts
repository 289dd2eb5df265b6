import { createService, type DaybookConfig, type Service } from 'daybook'
import { aVeryLongKey } from './copy-config.ts'
import { plainValues } from './every-field.ts'

const TOKEN = 'a-token-of-the-tests-of-copying-0123456789'
const SESSION = { Authorization: `Bearer ${TOKEN}` }

/** The place of a store: a data folder, or the `database` of a config. */
export type Place = Pick<DaybookConfig, 'database'> & { readonly data?: string }

export async function serve<T>(config: unknown, place: Place, work: (service: Service) => Promise<T>): Promise<T> {
  const { data = '', database } = place
  const serviceConfig = { ...(config as DaybookConfig), ...(database ? { database } : {}) }
  const service = await createService(serviceConfig, { data, serviceToken: TOKEN })
  try {
    return await work(service)
  } finally {
    await service.close()
  }
}

/** Values that engines might store differently: characters beyond the first plane, quotes, bounds of numbers. */
const STRANGE = [
  '𝕯aybook 🗒️',
  'Ærøskøbing',
  '日本語 テキスト',
  'עברית',
  `'"\\ $1 ? %s \u2028`,
  '\u0301combining',
  '￿',
  'a\tb\nc',
]
const NUMBERS = [0, -1e-7, 1e21, 0.1 + 0.2, Number.MAX_SAFE_INTEGER, Number.MIN_VALUE, 1.7976931348623157e308, null]

/** Writes every kind of data: new, changed and deleted entries, in several locales, and idempotency records. */
export async function fill(service: Service): Promise<void> {
  const create = async (collection: string, data: object, options: object = {}): Promise<string> => {
    const entry = await service.content.create(collection, data as never, { ...options })
    return String((entry as { readonly id: unknown }).id)
  }
  const ids: string[] = []
  for (const [index, text] of STRANGE.entries()) {
    const friends = ids.slice(-5).reverse()
    ids.push(
      await create('things', {
        title: `${text} ${index}`,
        status: index % 3 === 0 ? 'draft' : 'published',
        code: `c${text}`,
        body: `# ${text}\n\n*hello* world ${'long '.repeat(index * 300)}`,
        amount: NUMBERS[index],
        ...plainValues(index, text, ids),
        data: { [text]: [text, ...NUMBERS, { deep: [[]] }], '': {} },
        friends,
        seo: { title: text, rank: index },
        parts: [{ _type: 'quote', text, by: ids[0] ?? null }],
      }),
    )
  }
  await translate(service, ids)
  await service.content.saveDraft('things', String(ids[1]), { title: 'Draft' } as never)
  await service.content.publish('things', String(ids[1]), { at: '2999-01-01T00:00:00.000Z' })
  await change(service, ids, create)
}

async function translate({ content }: Service, ids: readonly string[]): Promise<void> {
  for (const [index, id] of ids.entries()) {
    const german = { title: `Ding ${index}`, body: `*Hallo* Welt ${index}`, seo: { title: 'Titel' } }
    await content.update('things', id, german as never, { locale: 'de' })
  }
  await content.update('things', String(ids[2]), { title: 'Chose' } as never, { locale: 'fr' })
  for (const [locale, name] of Object.entries({ en: 'Site', de: 'Seite' })) {
    await content.writeGlobal('site', { name, lead: ids[1] } as never, { locale })
  }
}

async function change(
  service: Service,
  ids: readonly string[],
  create: (collection: string, data: object, options?: object) => Promise<string>,
): Promise<void> {
  const notes: string[] = []
  for (let index = 0; index < 40; index++) notes.push(await create('plainNotes', { text: `note ${index}`, about: ids }))
  await service.content.delete('plainNotes', String(notes.at(-1)))
  await service.content.update('plainNotes', String(notes[3]), { text: 'changed', about: [] } as never)
  await create(aVeryLongKey, { name: 'Long' }, { createdAt: '1999-12-31T23:59:59.999Z' })
  await sendKeyed(service)
}

/** Query strings of lists, which together use every index, search, references and every locale. */
const QUERIES = [
  '',
  '?limit=5',
  '?limit=3&offset=4',
  '?sort=title',
  '?sort=-updatedAt,id',
  '?sort=amount',
  '?sort=-count',
  '?q=hello',
  '?q=hallo&locale=de',
  '?q=wel',
  '?q=テキスト',
  '?q=note',
  '?status=draft',
  '?locale=de',
  '?locale=fr&sort=title',
  '?locale=all',
  '?locale=fr&fallbackLocale=none',
  '?include=friends,parent&depth=2',
  '?select=title,slug',
  '?where[amount][gt]=0',
  '?where[kinds][in]=a',
  '?where[seo.rank][lt]=4',
  '?where[data][exists]=true',
  '?where[code][startsWith]=c',
  '?where[text][contains]=note 1',
]

/** Reads everything from a service, with and without a session: status, tag and bytes by path. */
export async function readResponses(
  service: Service,
  collections: readonly string[],
  globals: readonly string[],
): Promise<ReadonlyMap<string, readonly unknown[]>> {
  const responses = new Map<string, readonly unknown[]>()
  const sendRequest = async (path: string): Promise<string> => {
    for (const headers of [{}, SESSION]) {
      const response = await service.fetch(new Request(`http://daybook.test${path}`, { headers }))
      const body = (await response.text()).replace(/"requestId":\s*"[^"]*"/, '')
      responses.set(`${path} ${Object.keys(headers)}`, [response.status, response.headers.get('etag'), body])
    }
    return String(responses.get(`${path} Authorization`)?.[2])
  }
  for (const key of globals)
    for (const query of ['', '?locale=de', '?locale=all']) await sendRequest(`/api/globals/${key}${query}`)
  for (const collection of collections) {
    for (const query of QUERIES) await sendRequest(`/api/${collection}${query}`)
    const { items } = JSON.parse(await sendRequest(`/api/${collection}?limit=100`)) as {
      items: { id: string; slug?: string }[]
    }
    for (const { id, slug } of items) {
      await sendRequest(`/api/${collection}/${id}?locale=de`)
      await sendRequest(`/api/${collection}/${id}/references`)
      if (slug) await sendRequest(`/api/${collection}/${encodeURIComponent(slug)}`)
    }
  }
  return responses
}

/** Creates a note with an `Idempotency-Key`; returns `true` if the response was replayed, else `null`. */
export async function sendKeyed(service: Service): Promise<string | null> {
  const response = await service.fetch(
    new Request('http://daybook.test/api/plainNotes', {
      method: 'POST',
      headers: { ...SESSION, 'Content-Type': 'application/json', 'Idempotency-Key': 'key-of-a-note' },
      body: JSON.stringify({ text: 'sent once' }),
    }),
  )
  if (response.status !== 201) throw new Error(await response.text())
  return response.headers.get('Idempotency-Replayed')
}
