import { type Context, Hono } from 'hono'
import { type Cms, LANGUAGES, type Language } from './cms.ts'
import type { Html } from './layout.ts'
import { articlePage, contributorPage, eventPage, eventsPage, homePage, sectionPage, topicPage } from './pages.ts'

type Page = Html | undefined | Promise<Html | undefined>

/** The magazine's site: it knows nothing but the client. */
export function makeSite(cms: Cms): Hono {
  const site = new Hono()
  for (const language of LANGUAGES) site.route(language === 'en' ? '/' : `/${language}`, pagesIn(cms, language))
  return site
}

function pagesIn(cms: Cms, language: Language): Hono {
  const named = (page: (cms: Cms, language: Language, name: string) => Page) => (context: Context) =>
    show(context, page(cms, language, context.req.param('name') ?? ''))
  return new Hono()
    .get('/', (context) => show(context, homePage(cms, language)))
    .get('/events', (context) => show(context, eventsPage(cms, language, new Date())))
    .get('/articles/:name', named(articlePage))
    .get('/sections/:name', named(sectionPage))
    .get('/contributors/:name', named(contributorPage))
    .get('/topics/:name', named(topicPage))
    .get('/events/:name', named(eventPage))
}

async function show(context: Context, page: Page): Promise<Response> {
  const html = await page
  return html === undefined ? context.notFound() : context.html(html)
}
