import type { DaybookConfig } from 'daybook'
import type { Page } from 'playwright-core'

const SCRIPT = 'window.ranForeignCode = true'
const STYLE = 'body { outline: 7px solid red !important }'

const describeResponses = (mediaType: string) => ({
  200: { description: 'A file.', mediaType, schema: { type: 'string' } },
})

/** Creates a route that sends a file with its media type, like a proxy that serves uploads. */
const fileRoute = (path: string, mediaType: string, content: string) => ({
  method: 'GET' as const,
  path,
  summary: 'Sends a file.',
  protection: 'public' as const,
  responses: describeResponses(mediaType),
  run: () => new Response(content, { headers: { 'Content-Type': mediaType } }),
})

/** Routes with a script and a style sheet on the origin of the page, which no page of Daybook may load. */
export const FOREIGN_CODE: NonNullable<DaybookConfig['routes']> = [
  fileRoute('/foreign.js', 'text/javascript', SCRIPT),
  fileRoute('/foreign.css', 'text/css', STYLE),
]

/** Files with the same content for uploads. */
export const FOREIGN_FILES: Readonly<Record<string, string>> = { 'foreign.js': SCRIPT, 'foreign.css': STYLE }

/** Tries every way to load a script. Runs in the page. */
const TRY_SCRIPT = `async (src) => {
  const isLoaded = (attributes) => new Promise((resolve) => {
    const script = Object.assign(document.createElement('script'), attributes, { src })
    script.onload = () => resolve(true)
    script.onerror = () => resolve(false)
    document.head.append(script)
  })
  const outcomes = {
    element: await isLoaded({}),
    module: await isLoaded({ type: 'module' }),
    import: await import(src).then(() => true, () => false),
    run: 'ranForeignCode' in window,
  }
  return Object.keys(outcomes).filter((name) => outcomes[name])
}`

/** Tries to load a style sheet. Runs in the page. */
const TRY_STYLE = `async (href) => {
  await new Promise((resolve) => {
    const link = Object.assign(document.createElement('link'), { rel: 'stylesheet', href })
    link.onload = link.onerror = resolve
    document.head.append(link)
  })
  return getComputedStyle(document.body).outlineWidth === '7px'
}`

/** Lists the ways in which a page can run a script from an address; none for a protected page. */
export const runnableAs = (page: Page, address: string): Promise<readonly string[]> =>
  page.evaluate(`(${TRY_SCRIPT})(${JSON.stringify(address)})`)

export const isStyledBy = (page: Page, address: string): Promise<boolean> =>
  page.evaluate(`(${TRY_STYLE})(${JSON.stringify(address)})`)
