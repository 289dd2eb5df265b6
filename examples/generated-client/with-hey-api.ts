import { DAYBOOK_SERVICE_TOKEN, DAYBOOK_URL, toQueryString } from './daybook.ts'
import { client } from './hey-api/client.gen.ts'
import { createPostsEntry, deletePostsEntry, listPosts } from './hey-api/sdk.gen.ts'

client.setConfig({ baseUrl: DAYBOOK_URL, headers: { Authorization: `Bearer ${DAYBOOK_SERVICE_TOKEN}` } })

const created = await createPostsEntry({ body: { title: 'Made with hey-api', category: 'clients' } })
if (!created.data) throw new Error(`${created.error.code}: ${created.error.message}`)

const listed = await listPosts({
  query: { where: { not: { title: { startsWith: 'Made with orval' } }, category: { eq: 'clients' } }, sort: ['title'] },
  querySerializer: toQueryString,
})
console.log('hey-api', listed.data?.total, listed.data?.items[0]?.title)

await deletePostsEntry({ path: { id: created.data.id } })
