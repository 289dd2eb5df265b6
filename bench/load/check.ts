import { request } from 'node:http'
import { makePost } from '../databases/text.ts'
import type { Kind } from './kinds.ts'
import { type Side, TOKEN, urlsOf, WrongAnswer } from './measure.ts'

/** How many addresses are compared. */
const COMPARED = 200

interface Answer {
  readonly status: number | undefined
  readonly headers: readonly string[]
  readonly body: string
}

const urlOf = (side: Side): string => urlsOf(side)[0] ?? ''

/** Asks like the load generator does: one connection, kept open. */
export function ask(url: string, method = 'GET', body = '', headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        const names = Object.keys(response.headers).sort()
        resolve({ status: response.statusCode, headers: names, body: Buffer.concat(chunks).toString() })
      })
    })
    asked.on('error', reject)
    asked.end(body)
  })
}

/**
 * Makes sure that both sides do the same work: reads give the same bytes, creations the stored entry,
 * and both send headers of the same names.
 *
 * @throws {WrongAnswer} at the first difference
 */
export async function requireSameAnswers(kind: Kind, floor: Side, daybook: Side): Promise<void> {
  const { paths, tags, posts } = kind.load(floor.targeting, TOKEN, 0)
  const urls = [floor, daybook].map(urlOf)
  for (const [index, path] of paths?.slice(0, COMPARED).entries() ?? []) {
    const tag = tags?.[index]
    const headers: Record<string, string> = tag === undefined ? {} : { 'if-none-match': tag }
    const [one, other] = await Promise.all(urls.map((url) => ask(url + path, 'GET', '', headers)))
    if (!one || !other) throw new WrongAnswer(`${kind.title}: ${path} has no answer`)
    requireSame(kind, path, one, other)
    if (one.body !== other.body) throw new WrongAnswer(`${kind.title}: ${path} has other bytes than the floor's`)
  }
  if (posts) await requireCreated(kind, floor, daybook)
}

async function requireCreated(kind: Kind, floor: Side, daybook: Side): Promise<void> {
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
  const { list, targets } = floor.targeting
  const sent = makePost(kind.connections + 50_000_000, targets)
  const create = (side: Side): Promise<Answer> => ask(urlOf(side) + list, 'POST', JSON.stringify(sent), headers)
  const [one, other] = await Promise.all([create(floor), create(daybook)])
  requireSame(kind, list, one, other)
  for (const { body } of [one, other]) {
    const stored: unknown = JSON.parse(body)
    const { title } = stored as { readonly title?: string }
    if (title !== sent.title) throw new WrongAnswer(`${kind.title}: the answer is not the stored entry`)
  }
}

function requireSame({ title, status }: Kind, path: string, floor: Answer, daybook: Answer): void {
  for (const [name, answer] of Object.entries({ floor, daybook })) {
    if (answer.status !== status) throw new WrongAnswer(`${title}, ${name}: ${path} answers ${answer.status}`)
  }
  if (floor.headers.join() !== daybook.headers.join()) {
    throw new WrongAnswer(
      `${title}: headers of the floor ${floor.headers.join()}; of Daybook ${daybook.headers.join()}`,
    )
  }
}
