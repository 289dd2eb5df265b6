import { serve } from '@hono/node-server'
import { serveStatic } from '@hono/node-server/serve-static'
import { Hono } from 'hono'
import { homePage, notFoundPage, postPage } from './pages.ts'

const { PORT = '4321' } = process.env

/** Reads the number of a page, such as that of `/?page=2`. */
const toPageNumber = (text = ''): number => (/^[1-9]\d{0,3}$/.test(text) ? Number(text) : 1)

const site = new Hono()

site.get('/', async (context) => context.html(await homePage(toPageNumber(context.req.query('page')))))

site.get('/posts/:slug', async (context) => {
  const page = await postPage(context.req.param('slug'))
  return page === undefined ? context.notFound() : context.html(page)
})

site.get('/style.css', serveStatic({ path: 'site/style.css' }))

site.notFound(async (context) => context.html(await notFoundPage(), 404))

site.onError((error, context) => {
  console.error(error)
  return context.text('The content cannot be read. Is "npm run dev" running?', 503)
})

serve({ fetch: site.fetch, port: Number(PORT), hostname: '127.0.0.1' }, ({ port }) => {
  console.log(`The site is at http://127.0.0.1:${port}`)
})
