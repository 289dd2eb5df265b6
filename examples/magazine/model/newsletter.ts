import type { PluginRoute } from 'daybook'

/** The number of articles in a newsletter. */
const ARTICLES = 5

/** Formats the newest articles as plain text, for the program that sends the mail. */
export const newsletter: PluginRoute = {
  method: 'GET',
  path: '/newsletter.txt',
  summary: 'The newest articles as plain text.',
  protection: 'public',
  responses: { 200: { description: 'A text.', mediaType: 'text/plain', schema: { type: 'string' } } },
  run: async ({ content }) => {
    const { items } = await content.list('articles', { sort: '-publishedOn', limit: ARTICLES })
    const lines = items.map(({ title, intro }) => `* ${title}\n  ${intro ?? ''}`.trimEnd())
    return new Response(`${lines.join('\n\n')}\n`, { headers: { 'Content-Type': 'text/plain; charset=utf-8' } })
  },
}
