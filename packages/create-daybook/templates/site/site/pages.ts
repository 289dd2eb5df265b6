import { html, raw } from 'hono/html'
import { collections, globals } from './content.ts'

/** A piece of HTML whose values are escaped. */
type Html = ReturnType<typeof html>

/** The frame of every page. */
async function layout(title: string, main: Html): Promise<Html> {
  const { siteName } = await globals.site.get()
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · ${siteName}</title>
<link rel="stylesheet" href="/style.css">
</head>
<body>
<header><a href="/">${siteName}</a></header>
<main>${main}</main>
</body>
</html>`
}

export const notFoundPage = (): Promise<Html> =>
  layout('Not found', html`<h1>Not found</h1><p>There is no such page. <a href="/">All posts</a></p>`)

/** The number of posts on a page of the list. */
const PAGE_SIZE = 10

/** The list of posts, newest first. */
export async function homePage(page: number): Promise<Html> {
  const { items, total } = await collections.posts.findMany({
    sort: ['-publishedOn', '-createdAt'],
    include: ['author'],
    select: ['title', 'slug', 'publishedOn', 'author.name'],
    limit: PAGE_SIZE,
    offset: (page - 1) * PAGE_SIZE,
  })
  const posts = items.map(
    (post) => html`<li>
<h2><a href="/posts/${post.slug}">${post.title}</a></h2>
${byline(post)}
</li>`,
  )
  const newer = page > 1 ? html`<a href="/?page=${page - 1}" rel="prev">Newer posts</a>` : ''
  const older = page * PAGE_SIZE < total ? html`<a href="/?page=${page + 1}" rel="next">Older posts</a>` : ''
  return layout('Posts', html`<ul class="posts">${posts}</ul><nav>${newer}${older}</nav>`)
}

/** A post; `undefined` if no published post has this slug. */
export async function postPage(slug: string): Promise<Html | undefined> {
  const post = await collections.posts.findBySlug(slug, { include: ['author'] })
  if (post === null) return undefined
  // Daybook has made this HTML safe to show.
  const body = raw(post.bodyHtml ?? '')
  return layout(post.title, html`<article><h1>${post.title}</h1>${byline(post)}${body}</article>`)
}

interface Byline {
  readonly author: { readonly name: string } | null
  readonly publishedOn: string | null
}

const DATE = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' })

/** The author and the date of a post. */
function byline({ author, publishedOn }: Byline): Html {
  const name = author ? html`<span>${author.name}</span>` : ''
  const date = publishedOn ? html`<time datetime="${publishedOn}">${DATE.format(new Date(publishedOn))}</time>` : ''
  return html`<p class="byline">${name} ${date}</p>`
}
