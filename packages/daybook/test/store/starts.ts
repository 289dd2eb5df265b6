// Starts a service on the folder or the database that is named, writes entries, says how many, and ends. Run as a process of its own.
import { createService, defineCollection, defineConfig, f, SYSTEM } from 'daybook'
import { postgres } from 'daybook/postgres'

const [address = '', count = '0', name = ''] = process.argv.slice(2)
const config = defineConfig({
  collections: {
    posts: defineCollection({ fields: { title: f.text({ required: true }), slug: f.slug({ from: 'title' }) } }),
  },
  seed: async (content) => {
    await content.create('posts', { title: 'seeded' })
  },
})

const database = address.startsWith('postgres:') ? { database: postgres(address) } : {}
const service = await createService({ ...config, ...database }, { data: address })
for (let index = 0; index < Number(count); index += 1) {
  await service.content.create('posts', { title: `${name} ${index}` }, { caller: SYSTEM })
}
await service.close()
console.log('done')
