import { type Context, Hono } from 'hono'
import { html, raw } from 'hono/html'
import { type Cms, LANGUAGES, type Language } from './cms.ts'
import type { Html } from './layout.ts'
import {
  articlePage,
  contributorPage,
  eventPage,
  eventsPage,
  homePage,
  livePage,
  sectionPage,
  topicPage,
} from './pages.ts'
import { previewScript } from './preview.ts'

type Page = Html | undefined | Promise<Html | undefined>

/**
 * Serves the magazine's site, which uses only the client.
 *
 * @param contentUrl the address of the content for browsers, which listen to its events
 */
export function makeSite(cms: Cms, contentUrl = 'http://127.0.0.1:3000'): Hono {
  const site = new Hono()
  for (const language of LANGUAGES) site.route(`/${language}`, pagesIn(cms, language, contentUrl))
  // The preview names every language; readers find English without its name.
  site.route('/', pagesIn(cms, 'en', contentUrl))
  return site
}

function pagesIn(cms: Cms, language: Language, contentUrl: string): Hono {
  const named = (page: (cms: Cms, language: Language, name: string) => Page) => (context: Context) =>
    show(context, page(cms, language, context.req.param('name') ?? ''))
  return new Hono()
    .get('/', (context) => show(context, homePage(cms, language)))
    .get('/events', (context) => show(context, eventsPage(cms, language, new Date())))
    .get('/live', (context) => show(context, livePage(cms, language, contentUrl)))
    .get('/articles/:name', (context) => showArticle(context, cms, language, contentUrl))
    .get('/sections/:name', named(sectionPage))
    .get('/contributors/:name', named(contributorPage))
    .get('/topics/:name', named(topicPage))
    .get('/events/:name', named(eventPage))
}

/** Shows an article, or its draft to the Studio, which alone may frame it. */
async function showArticle(context: Context, cms: Cms, language: Language, contentUrl: string): Promise<Response> {
  const preview = context.req.query('preview')
  const page = await articlePage(cms, language, context.req.param('name') ?? '', { contentUrl, preview })
  if (page === undefined || preview === undefined) return show(context, page)
  context.header('Cache-Control', 'private, no-store')
  context.header('Content-Security-Policy', `frame-ancestors 'self' ${contentUrl}`)
  return context.html(html`${page}<script>${raw(previewScript(contentUrl))}</script>`)
}

async function show(context: Context, page: Page): Promise<Response> {
  const html = await page
  return html === undefined ? context.notFound() : context.html(html)
}
