import { createPostsEntry, deletePostsEntry, listPosts } from './orval.ts'

const created = await createPostsEntry({ title: 'Made with orval', category: 'clients' })
if (created.status !== 201) throw new Error(`${created.data.code}: ${created.data.message}`)

const where = { or: [{ title: { eq: 'Made with orval' } }, { category: { in: ['generators', 'nothing'] } }] }
const listed = await listPosts({ where, sort: ['title'] })
if (listed.status !== 200) throw new Error('The list was refused.')
console.log('orval', listed.data.total, listed.data.items[0]?.title)

await deletePostsEntry(created.data.id)
