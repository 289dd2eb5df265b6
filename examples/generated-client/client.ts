import createClient from 'openapi-fetch'
import type { paths } from './schema.d.ts'

const { DAYBOOK_URL = 'http://localhost:3000', DAYBOOK_SERVICE_TOKEN } = process.env

const cms = createClient<paths>({
  baseUrl: DAYBOOK_URL,
  headers: { Authorization: `Bearer ${DAYBOOK_SERVICE_TOKEN}` },
})

const created = await cms.POST('/api/posts', { body: { title: 'Made by a generated client', category: 'clients' } })
if (!created.data) throw new Error(`${created.error.code}: ${created.error.message}`)
const { id, title, slug } = created.data
console.log('created', title, slug)

const listed = await cms.GET('/api/posts', { params: { query: { q: 'generated client', limit: 5, sort: ['title'] } } })
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
