// Starts a service on the folder or the database that is named, writes entries, says how many, and ends. Run as a process of its own.
import { defineCollection, defineConfig, f } from 'daybook'
import { openAt } from '../support/stores/open-at.ts'

const [address = '', count = '0', name = ''] = process.argv.slice(2)
const config = defineConfig({
  collections: {
    posts: defineCollection({ fields: { title: f.text({ required: true }), slug: f.slug({ from: 'title' }) } }),
  },
  seed: async (content) => {
    await content.create('posts', { title: 'seeded' })
  },
})

const service = await openAt(address, config)
for (let index = 0; index < Number(count); index += 1) {
  await service.content.create('posts', { title: `${name} ${index}` })
}
await service.close()
console.log('done')
