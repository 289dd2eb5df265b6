import type { BrowserContextOptions, Page } from 'playwright-core'
import type { OpenBrowser } from '../../packages/client/test/support/browser.ts'
import { isShown, signIn } from '../../packages/studio/test/support/people.ts'
import { type Visit, visitStudio } from '../../packages/studio/test/support/visit.ts'
import { museum, SITE } from './museum-config.ts'
import { fillMuseum, type MuseumIds } from './museum-content.ts'

/** The sign-in page of the museum's Studio in a browser. */
export interface Scene extends AsyncDisposable {
  readonly open: OpenBrowser
  readonly visit: Visit
  readonly page: Page
  readonly ids: MuseumIds
  /** Opens a page of the Studio, and waits for its heading. */
  go(path: string, heading: string): Promise<void>
}

/** The offset of the page's clock, so that "3 hours ago" stays the same from the first picture to the last. */
const LATER_MS = 200 * 60_000

/** Serves the museum with its content, and opens its Studio. */
export async function visitMuseum(open: OpenBrowser, context: BrowserContextOptions): Promise<Scene> {
  let ids: MuseumIds = { ink: '', night: '' }
  const visit = await visitStudio(open, museum, {
    ...context,
    script: `const now = Date.now; Date.now = () => now() + ${LATER_MS}`,
    before: async (service) => {
      ids = await fillMuseum(service)
    },
  })
  const { page, url } = visit
  await page.context().route(`${SITE}/**`, (route) => route.fulfill({ contentType: 'text/html', body: SITE_PAGE }))
  return {
    open,
    visit,
    page,
    ids,
    go: async (path, heading) => {
      await page.goto(`${url}/studio${path}`)
      await isShown(page, heading)
    },
    [Symbol.asyncDispose]: () => visit[Symbol.asyncDispose](),
  }
}

/** Signs in from the sign-in page. */
export async function enter({ page }: Scene): Promise<void> {
  await signIn(page)
  await isShown(page, 'Overview')
}

/** The page of the museum's site that shows the story, for the picture of the preview. */
const SITE_PAGE = `<!doctype html>
<html lang="en">
<title>Ink, galls and paper</title>
<style>
body { margin: 0; font: 18px/1.6 Georgia, serif; color: #2b2622; background: #fbf7ee; }
header { padding: 18px 32px; background: #1c2536; color: #efe6d2; letter-spacing: .08em; }
main { max-width: 34em; padding: 24px 32px; }
h1 { font-size: 38px; line-height: 1.15; margin: 12px 0; }
blockquote { margin: 24px 0; padding-left: 16px; border-left: 4px solid #a3262a; font-style: italic; }
</style>
<header>THE MUSEUM</header>
<main>
<h1>Ink, galls and paper</h1>
<p>Ink is made of <strong>oak galls</strong>, vitriol and gum. A wasp lays its egg in the bud of an oak, and the tree grows a hard ball around it.</p>
<h2>How it is cooked</h2>
<ol><li>Grind the galls, and let them stand in water.</li><li>Add vitriol: the water turns black.</li><li>Add gum, so that the ink stays on the pen.</li></ol>
<blockquote>The best ink is made in autumn.</blockquote>
</main>
</html>`
