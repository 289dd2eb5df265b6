import { readTargets } from './addresses.ts'
import { makePost } from './text.ts'

export const TOKEN = 'bench-token-of-the-service-principal'

const AUTHORS = 50
const TAGS = 40
/** The largest number of operations of a batch. */
const BATCH = 500

/** Sends JSON as the service principal and returns the parsed response. @throws {Error} if the status is not 2xx */
export async function sendJson<T>(url: string, method: string, body: object): Promise<T> {
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
  const response = await fetch(url, { method, headers, body: JSON.stringify(body) })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${url} responded ${response.status}: ${text}`)
  return JSON.parse(text) as T
}

export async function sendBatches(url: string, count: number, operationAt: (index: number) => object): Promise<void> {
  for (let first = 0; first < count; first += BATCH) {
    const length = Math.min(BATCH, count - first)
    const operations = Array.from({ length }, (_, index) => operationAt(first + index))
    await sendJson(`${url}/api/cms/batch`, 'POST', { operations })
  }
}

/** Fills an empty service over HTTP alone, so that a service of any version can be filled. */
export async function fillService(url: string, entries: number, say: (line: string) => void): Promise<void> {
  say(`filling a store with ${entries.toLocaleString('en')} posts …`)
  const create = (collection: string, data: object): object => ({ op: 'create', collection, data })
  await sendBatches(url, AUTHORS, (index) => create('authors', { name: `Author ${index}` }))
  await sendBatches(url, TAGS, (index) => create('tags', { name: `Tag ${index}` }))
  const targets = await readTargets(url)
  await sendBatches(url, entries, (index) => create('posts', makePost(index, targets)))
}
