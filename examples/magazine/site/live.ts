import { html, raw } from 'hono/html'
import type { Cms, Language } from './cms.ts'
import { type Html, layout } from './layout.ts'

/** The newest articles, as they are printed: the page hears of each change, and reads nothing again. */
export function livePage(cms: Cms, language: Language, contentUrl: string): Promise<Html> {
  return layout(cms, language, 'As it happens', html`<ul id="live"></ul><script>${raw(scriptFor(contentUrl))}</script>`)
}

/** It listens first and then reads what is there, so that nothing falls between the two. */
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
