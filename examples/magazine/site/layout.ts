import { html } from 'hono/html'
import type { Cms, Language } from './cms.ts'

/** A piece of HTML whose values are escaped. */
export type Html = ReturnType<typeof html>

export const pathIn = (language: Language, path: string): string => (language === 'en' ? path : `/${language}${path}`)

export async function layout(cms: Cms, language: Language, title: string, main: Html): Promise<Html> {
  const [masthead, { items: sections }] = await Promise.all([
    cms.globals.masthead.get({ locale: language }),
    cms.collections.sections.findMany({ sort: 'order', locale: language, select: ['name', 'slug'] }),
  ])
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · ${masthead.name}</title>
<style>
body { font: 1.1rem/1.6 Georgia, serif; margin: 0 auto; max-width: 42rem; padding: 1rem }
header, footer, nav, .meta { font-family: system-ui, sans-serif; font-size: 0.9rem }
nav a { margin-right: 1rem }
img { height: auto; max-width: 100% }
blockquote { border-left: 3px solid; margin: 1.5rem 0; padding-left: 1rem }
</style>
</head>
<body>
<header>
<p><strong><a href="${pathIn(language, '/')}">${masthead.name}</a></strong> ${masthead.motto}</p>
<nav>
${sections.map(({ name, slug }) => html`<a href="${pathIn(language, `/sections/${slug}`)}">${name}</a>`)}
<a href="${pathIn(language, '/events')}">Events</a>
<a href="${pathIn(language, '/live')}">Live</a>
</nav>
</header>
<main>
<h1>${title}</h1>
${main}
</main>
</body>
</html>`
}
