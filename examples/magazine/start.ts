// npm start: the magazine's content at port 3000, its site at port 3001.
import { serve as serveSite } from '@hono/node-server'
import { createService } from 'daybook'
import { serve } from 'daybook/node'
import config from './daybook.config.ts'
import { connect } from './site/cms.ts'
import { makeSite } from './site/site.ts'

const { DAYBOOK_DATA = '.daybook/magazine', PORT = '3000', SITE_PORT = '3001' } = process.env

const content = await serve(await createService(config, { data: DAYBOOK_DATA }), { port: Number(PORT) })
const site = serveSite(
  { ...makeSite(connect(content.url), content.url), port: Number(SITE_PORT), hostname: '127.0.0.1' },
  ({ port }) => {
    console.log(`The Studio is at ${content.url}/studio, the site at http://127.0.0.1:${port}`)
  },
)

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    site.close()
    void content.stop()
  })
}
