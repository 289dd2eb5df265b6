/**
 * Returns the script of a previewed page, which takes its text anew after each save in the Studio. A site with a bundler imports
 * `onPreviewChange` from `@daybook/studio/preview` instead.
 */
export const previewScript = (studioOrigin: string): string => `
const studio = window.parent === window ? window.opener : window.parent
const origin = ${JSON.stringify(studioOrigin)}
addEventListener('message', async ({ source, origin: sender, data }) => {
  if (source !== studio || sender !== origin || data?.type !== 'daybook:preview-change' || data.version !== 1) return
  const address = new URL(location.href)
  address.searchParams.set('preview', data.token)
  const page = new DOMParser().parseFromString(await (await fetch(address)).text(), 'text/html')
  document.querySelector('main').replaceWith(page.querySelector('main'))
})
studio?.postMessage({ type: 'daybook:preview-ready', version: 1 }, origin)
`
