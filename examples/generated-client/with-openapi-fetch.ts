import createClient from 'openapi-fetch'
import { DAYBOOK_SERVICE_TOKEN, DAYBOOK_URL, toQueryString } from './daybook.ts'
import type { paths } from './schema.d.ts'

const cms = createClient<paths>({
  baseUrl: DAYBOOK_URL,
  headers: { Authorization: `Bearer ${DAYBOOK_SERVICE_TOKEN}` },
  querySerializer: toQueryString,
})

const created = await cms.POST('/api/posts', { body: { title: 'Made by a generated client', category: 'clients' } })
if (!created.data) throw new Error(`${created.error.code}: ${created.error.message}`)
const { id, title, slug } = created.data
console.log('created', title, slug)

const where = { title: { startsWith: 'Made by' }, category: { in: ['clients', 'generators'] } }
const listed = await cms.GET('/api/posts', { params: { query: { where, limit: 5, sort: ['title', '-createdAt'] } } })
console.log('listed', listed.data?.total, listed.data?.items[0]?.slug)

const etag = created.response.headers.get('ETag') ?? ''
const updated = await cms.PUT('/api/posts/{id}', {
  params: { path: { id }, header: { 'If-Match': etag } },
  body: { title: 'Changed by a generated client' },
})
console.log('updated', updated.data?.title)

const stale = await cms.PUT('/api/posts/{id}', { params: { path: { id }, header: { 'If-Match': etag } }, body: {} })
console.log('refused', stale.error?.code)

const deleted = await cms.DELETE('/api/posts/{id}', { params: { path: { id } } })
const read = await cms.GET('/api/posts/{id}', { params: { path: { id: slug } } })
console.log('deleted', deleted.response.status, read.error?.code)
