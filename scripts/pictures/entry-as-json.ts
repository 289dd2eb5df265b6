import type { OpenBrowser } from '../../packages/client/test/support/browser.ts'
import { isSaved } from '../../packages/studio/test/support/people.ts'
import { enter, visitMuseum } from './museum-visit.ts'
import { CONTEXT, fixIds, saveHtml, takeScreenshot, toSource } from './save-picture.ts'
import { colourJson, WINDOW_STYLE } from './window.ts'

const STUDIO = { width: 640, height: 784 }
const CODE_WIDTH = 600
const PATH = '/api/stories/ink-and-paper'
const QUERY = ['include=author,cover', 'select=title,slug,author.name,cover.alt,parts'] as const

const STYLE = `${WINDOW_STYLE}
body { display: flex; align-items: stretch; background: #fff; }
main { flex: none; line-height: 0; border-right: 1px solid #d9dce3; }
main img { width: ${STUDIO.width}px; height: ${STUDIO.height}px; }
section { width: ${CODE_WIDTH}px; background: #161b26; }
`

/** Stores a picture of a story in the Studio, with the JSON that a client gets for it on the right. */
export async function takeEntryAsJson(open: OpenBrowser): Promise<void> {
  await using scene = await visitMuseum(open, { ...CONTEXT, viewport: STUDIO })
  const { page, ids, go, visit } = scene
  await enter(scene)
  await go(`/c/stories/${ids.ink}`, 'Ink and paper')
  await page.locator('.cm-content').waitFor()
  await isSaved(page)
  const studio = await takeScreenshot(page)
  const entry: unknown = await (await fetch(`${visit.url}${PATH}?${QUERY.join('&')}`)).json()
  const command = [`curl -s -G localhost:3000${PATH}`, ...QUERY.map((part) => `  -d ${part}`)]
  const html = `<!doctype html><style>${STYLE}</style>
<main><img src="${toSource(studio)}" alt=""></main>
<section><div class="window"><i></i><i></i><i></i></div>
<pre><span class="prompt">$</span> ${command.join(' \\\n')} | jq
${colourJson(fixIds(JSON.stringify(entry, null, 2)))}</pre></section>`
  await saveHtml(open, html, 'entry-as-json', STUDIO.width + CODE_WIDTH)
}
