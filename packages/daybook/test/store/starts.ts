// A process that starts a service on a folder or a database, creates entries, prints "done" and exits: node starts.ts ADDRESS COUNT NAME
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
