import { html, raw } from 'hono/html'
import type { Cms, Language } from './cms.ts'
import { type Html, layout } from './layout.ts'

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
