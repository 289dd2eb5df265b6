import pLimit from 'p-limit'
import { TOKEN } from '../load/measure.ts'
import { QUESTIONS, type Targeting } from '../load/plan.ts'
import { makePage, makePost, type Targets } from './text.ts'

const AUTHORS = 50
const TAGS = 40
/** How many requests are under way at a time. */
const CLIENTS = 8
/** Posts of one page. */
const LIMIT = 100

interface Page {
  readonly items: readonly { readonly id: string; readonly slug: string }[]
  readonly nextCursor: string | null
}

/** What a list that everybody may read holds, and the cursors of its pages. */
interface Found {
  readonly slugs: readonly string[]
  readonly cursors: readonly string[]
}

/** Sends a change, and answers the id of its entry. */
async function write(url: string, method: 'POST' | 'PATCH', path: string, data: object): Promise<string> {
  const answer = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(data),
  })
  const body = (await answer.json()) as { readonly id: string }
  if (!answer.ok) throw new Error(`${answer.status} to ${method} ${path}: ${JSON.stringify(body)}`)
  return body.id
}

/** Does something for each number below `count`, several at a time, and answers what came of each. */
const forEach = <T>(count: number, act: (number: number) => Promise<T>): Promise<readonly T[]> =>
  pLimit(CLIENTS).map(Array(count).keys(), act)

/** Fills an empty service over HTTP alone, so that one of any version takes it: posts, and as many pages, every second one also in French. */
export async function fillByHttp(url: string, entries: number): Promise<Targets> {
  const named = (count: number, path: string): Promise<readonly string[]> =>
    forEach(count, (number) => write(url, 'POST', path, { name: `Name ${number}` }))
  const targets = { authors: await named(AUTHORS, '/api/authors'), tags: await named(TAGS, '/api/tags') }
  await forEach(entries, (number) => write(url, 'POST', QUESTIONS.list, makePost(number, targets)))
  await forEach(entries, async (number) => {
    const id = await write(url, 'POST', '/api/pages', makePage(number, 'en'))
    if (number % 2 === 0) await write(url, 'PATCH', `/api/pages/${id}?locale=fr`, makePage(number, 'fr'))
  })
  return targets
}

async function findPosts(url: string): Promise<Found> {
  const slugs: string[] = []
  const cursors: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const answer = await fetch(`${url}${QUESTIONS.list}?limit=${LIMIT}&select=slug${cursor && `&cursor=${cursor}`}`)
    const page = (await answer.json()) as Page
    slugs.push(...page.items.map(({ slug }) => slug))
    cursor = page.nextCursor
    if (cursor !== null) cursors.push(cursor)
  }
  return { slugs, cursors }
}

/** The tag of an answer as it is, not compressed. */
async function tagOf(url: string): Promise<string> {
  const { headers } = await fetch(url, { headers: { 'accept-encoding': 'identity' } })
  return headers.get('etag') ?? ''
}

/** Looks up what to ask a service that was filled so. */
export async function targetingOf(url: string, targets: Targets): Promise<Targeting> {
  const { slugs, cursors } = await findPosts(url)
  const { list } = QUESTIONS
  const entries = slugs.map((slug) => `${list}/${slug}`)
  const last = cursors.length
  return {
    ...QUESTIONS,
    entries,
    entryTags: await forEach(entries.length, (number) => tagOf(`${url}${entries[number]}`)),
    pages: cursors.map((cursor) => `${list}?cursor=${cursor}`),
    listTag: await tagOf(url + list),
    deep: {
      byOffset: `${list}?limit=${LIMIT}&offset=${last * LIMIT}`,
      byCursor: `${list}?limit=${LIMIT}&cursor=${cursors[last - 1]}`,
    },
    targets,
  }
}
