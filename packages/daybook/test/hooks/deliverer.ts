// Runs as a separate process: a node whose plugin records every note in FILE. It writes COUNT notes, prints "written", and serves until it is killed.
//   node deliverer.ts ADDRESS FILE NAME COUNT [hang]
import { appendFileSync } from 'node:fs'
import { defineCollection, defineConfig, definePlugin, f } from 'daybook'
import { openAt } from '../support/stores/open-at.ts'

const [address = '', file = '', name = '', count = '0', mode = ''] = process.argv.slice(2)

const recorder = definePlugin({
  name: 'teller',
  version: '1.0.0',
  hooks: {
    collections: {
      notes: {
        afterCommit: async ({ seq, after }) => {
          if (mode === 'hang') await new Promise(() => {})
          appendFileSync(file, `${seq} ${after?.text}\n`)
        },
      },
    },
  },
})

const config = defineConfig({
  collections: { notes: defineCollection({ fields: { text: f.text() } }) },
  plugins: [recorder],
})
const service = await openAt(address, config)
for (let index = 0; index < Number(count); index += 1)
  await service.content.create('notes', { text: `${name} ${index}` })
console.log('written')
// Watching the journal does not keep the process alive.
setInterval(() => {}, 1000)
