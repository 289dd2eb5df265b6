import { html, raw } from 'hono/html'
import type { Cms, Language } from './cms.ts'
import { type Html, layout, pathIn } from './layout.ts'

/** The number of articles on a page. */
const LISTED = 10

/** The newest articles, and the number of articles about each topic. */
export async function homePage(cms: Cms, language: Language): Promise<Html> {
  const { items, aggregates } = await cms.collections.articles.findMany({
    sort: '-publishedOn',
    limit: LISTED,
    locale: language,
    include: ['authors'],
    aggregate: { topics: 'count' },
  })
  const topics = aggregates['count:topics'].map(
    ({ value, count }) =>
      html`<li><a href="${pathIn(language, `/topics/${encodeURIComponent(String(value))}`)}">${value}</a> (${count})</li>`,
  )
  return layout(
    cms,
    language,
    'This quarter',
    html`${items.map((article) => teaser(article, language))}<h2>Topics</h2><ul>${topics}</ul>`,
  )
}

interface ArticleOptions {
  /** The address of the content, which serves the files. */
  readonly contentUrl: string
  /** A token of the Studio, which shows the draft. */
  readonly preview: string | undefined
}

/** @param preview a token of the Studio, which shows the draft */
const readArticle = (cms: Cms, language: Language, slug: string, preview: string | undefined) =>
  cms.collections.articles.findBySlug(slug, {
    locale: language,
    include: ['authors', 'section', 'related', 'parts.images'],
    ...(preview === undefined ? {} : { preview }),
  })

export async function articlePage(
  cms: Cms,
  language: Language,
  slug: string,
  { contentUrl, preview }: ArticleOptions,
): Promise<Html | undefined> {
  const article = await readArticle(cms, language, slug, preview)
  if (!article) return undefined
  const { title, intro, minutes, authors, section, parts, related } = article
  const by = authors.map(
    ({ name, slug: of }) => html`<a href="${pathIn(language, `/contributors/${of}`)}">${name}</a> `,
  )
  return layout(
    cms,
    language,
    title ?? slug,
    html`<p class="meta">${section?.name} · ${by} · ${minutes} min</p>
<p><em>${intro}</em></p>
${parts.map((part) => partOf(part, contentUrl))}
<h2>See also</h2>
<ul>${related.map(({ collection, slug: of, title: about }) => html`<li><a href="${pathIn(language, `/${collection}/${of}`)}">${about}</a></li>`)}</ul>`,
  )
}

type Article = NonNullable<Awaited<ReturnType<typeof readArticle>>>

/** Marks HTML as safe. Daybook has sanitized the HTML of Markdown. */
function partOf(part: Article['parts'][number], contentUrl: string): Html {
  if (part._type === 'text') return html`${raw(part.bodyHtml ?? '')}`
  if (part._type === 'gallery') {
    const shown = part.images.flatMap((image) => (typeof image === 'string' ? [] : image))
    return html`<figure>${shown.map(({ url, alt }) => html`<img src="${new URL(url, contentUrl).href}" alt="${alt ?? ''}">`)}<figcaption>${part.caption}</figcaption></figure>`
  }
  if (part._type === 'question') return html`<h3>${part.asks}</h3>${raw(part.answerHtml ?? '')}`
  return html`<blockquote>${part.words}<footer>${part.by}</footer></blockquote>`
}

export async function sectionPage(cms: Cms, language: Language, slug: string): Promise<Html | undefined> {
  const section = await cms.collections.sections.findBySlug(slug, {
    locale: language,
    include: ['articles'],
    reverse: { articles: { sort: '-publishedOn', limit: LISTED } },
  })
  if (!section) return undefined
  const { items, total } = section.articles
  return layout(
    cms,
    language,
    section.name ?? slug,
    html`<p class="meta">${total} articles</p>${items.map((article) => teaser(article, language))}`,
  )
}

export async function contributorPage(cms: Cms, language: Language, slug: string): Promise<Html | undefined> {
  const person = await cms.collections.contributors.findBySlug(slug, {
    locale: language,
    include: ['articles'],
    reverse: { articles: { sort: '-publishedOn', limit: LISTED } },
  })
  if (!person) return undefined
  return layout(
    cms,
    language,
    person.name,
    html`${raw(person.aboutHtml ?? '')}${person.articles.items.map((article) => teaser(article, language))}`,
  )
}

export async function topicPage(cms: Cms, language: Language, topic: string): Promise<Html> {
  const { items } = await cms.collections.articles.findMany({
    where: { topics: { in: [topic] } },
    sort: '-publishedOn',
    limit: LISTED,
    locale: language,
  })
  return layout(cms, language, topic, html`${items.map((article) => teaser(article, language))}`)
}

export async function eventsPage(cms: Cms, language: Language, now: Date): Promise<Html> {
  const { items } = await cms.collections.events.findMany({
    where: { endsAt: { gte: now.toISOString() } },
    sort: 'startsAt',
    locale: language,
  })
  const shown = items.map(
    ({ title, startsAt, place, slug }) =>
      html`<li><a href="${pathIn(language, `/events/${slug}`)}">${title}</a>, ${startsAt.slice(0, 10)}, ${place}</li>`,
  )
  return layout(cms, language, 'Events', html`<ul>${shown}</ul>`)
}

export async function eventPage(cms: Cms, language: Language, slug: string): Promise<Html | undefined> {
  const event = await cms.collections.events.findBySlug(slug, { locale: language })
  if (!event) return undefined
  const { title, startsAt, endsAt, place, price, aboutHtml } = event
  return layout(
    cms,
    language,
    title ?? slug,
    html`<p class="meta">${startsAt} to ${endsAt}, ${place}, ${price === 0 ? 'free' : `${price} €`}</p>${raw(aboutHtml ?? '')}`,
  )
}

/** An article in a list. */
interface Listed {
  readonly title: string | null
  readonly slug: string | null
  readonly intro: string | null
  readonly minutes: number | null
}

const teaser = ({ title, slug, intro, minutes }: Listed, language: Language): Html =>
  html`<article>
<h2><a href="${pathIn(language, `/articles/${slug}`)}">${title}</a></h2>
<p>${intro}</p>
<p class="meta">${minutes} min</p>
</article>`

/** Renders the newest articles, which the browser updates from events without reading the list again. */
export function livePage(cms: Cms, language: Language, contentUrl: string): Promise<Html> {
  return layout(cms, language, 'As it happens', html`<ul id="live"></ul><script>${raw(scriptFor(contentUrl))}</script>`)
}

/** Listens before the first read, so that no change is lost between the two. */
const scriptFor = (contentUrl: string): string => `
const list = document.getElementById('live')
const show = ({ id, title }) => {
  const line = document.getElementById(id) ?? list.appendChild(document.createElement('li'))
  Object.assign(line, { id, textContent: title })
}
const events = new EventSource(${JSON.stringify(`${contentUrl}/api/cms/events?collections=articles`)})
events.addEventListener('upsert', ({ data }) => show(JSON.parse(data).data))
events.addEventListener('delete', ({ data }) => document.getElementById(JSON.parse(data).id)?.remove())
events.addEventListener('reset', () => location.reload())
events.addEventListener('open', async () => {
  const { items } = await (await fetch(${JSON.stringify(`${contentUrl}/api/articles?sort=-publishedOn`)})).json()
  items.forEach(show)
})
`
