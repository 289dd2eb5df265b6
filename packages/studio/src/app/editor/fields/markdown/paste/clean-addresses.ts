import { findInnermostFirst, getText, readStyle, unwrap } from './dom.ts'

/** An image of pasted HTML that can be uploaded. */
export interface PastedImage {
  /** The address in the Markdown until the image is stored. */
  readonly placeholder: string
  readonly source: string
}

export interface AddressOptions {
  readonly origin: string
  readonly canFetch: (address: string) => boolean
}

/** The schemes of links that the service keeps. */
const LINK_SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:', 'daybook:'])
/** Query parameters that only track visitors. */
const TRACKING = /^(?:utm_\w+|fbclid|gclid|dclid|msclkid|yclid|igshid|mc_[ce]id|_hs(?:enc|mi)|si_source)$/i
/** Images up to this size, in pixels, count visitors or fill space. */
const MIN_IMAGE_PX = 2

/** Cleans the addresses of links and images. @returns the images that can be uploaded, whose addresses are now placeholders */
export function cleanAddresses(body: HTMLElement, options: AddressOptions): readonly PastedImage[] {
  for (const link of findInnermostFirst(body, 'a')) cleanLink(link, options.origin)
  for (const frame of body.querySelectorAll('iframe,video,audio,source,track')) {
    if (!/^https:/.test(frame.getAttribute('src') ?? '')) frame.removeAttribute('src')
  }
  return [...body.querySelectorAll('img')].flatMap((image) => cleanImage(image, options) ?? [])
}

function cleanLink(link: HTMLElement, origin: string): void {
  const address = cleanLinkAddress(link.getAttribute('href') ?? '', origin)
  const isEmpty = getText(link) === '' && link.querySelector('img') === null
  if (address === undefined || isEmpty || leadsToItsImage(link, address)) {
    unwrap(link)
    return
  }
  link.setAttribute('href', address)
  if (link.title === '' || link.title === address) link.removeAttribute('title')
  // Wikipedia repeats the name of the page as the title.
  if (link.title.toLowerCase() === getText(link).toLowerCase() || /\/wiki\//.test(address))
    link.removeAttribute('title')
}

/** Returns true if a link only opens its image in full size. */
const leadsToItsImage = (link: HTMLElement, address: string): boolean =>
  link.querySelector('img') !== null &&
  getText(link) === '' &&
  (/\.(?:avif|gif|jpe?g|png|svg|webp)$/i.test(address.split(/[?#]/, 1)[0] ?? '') || link.closest('figure') !== null)

/** Returns the address of a link without redirects and tracking; `undefined` if it leads nowhere, or could be unsafe. */
export function cleanLinkAddress(address: string, origin: string): string | undefined {
  // Browsers ignore these characters, which could hide a scheme.
  const text = address.replace(/\p{Cc}/gu, '').trim()
  const scheme = /^[a-z][a-z\d+.-]*:/i.exec(text)?.[0].toLowerCase()
  if (text === '' || text.startsWith('#')) return undefined
  if (scheme === undefined) return text.includes('\\') ? undefined : text
  if (!LINK_SCHEMES.has(scheme)) return undefined
  if (!scheme.startsWith('http')) return text
  const url = URL.parse(text)
  if (!url) return undefined
  const target = getRedirectTarget(url)
  if (target !== null) return cleanLinkAddress(target, origin)
  const tracking = [...url.searchParams.keys()].filter((name) => TRACKING.test(name))
  for (const name of tracking) url.searchParams.delete(name)
  if (url.origin === origin) return url.href.slice(origin.length)
  return tracking.length > 0 ? url.href : text
}

/** Returns the target of a link through the redirects that Google and Outlook put in front of links. */
function getRedirectTarget({ hostname, pathname, searchParams }: URL): string | null {
  if (/^(?:www\.)?google\.[a-z.]+$/.test(hostname) && pathname === '/url') {
    return searchParams.get('q') ?? searchParams.get('url')
  }
  return hostname.endsWith('.safelinks.protection.outlook.com') ? searchParams.get('url') : null
}

function cleanImage(image: HTMLImageElement, { origin, canFetch }: AddressOptions): PastedImage | undefined {
  const source = findSource(image)
  const alt = (image.getAttribute('alt') ?? '').replace(/\s+/g, ' ').trim()
  // Emoji that are drawn as images.
  if (alt !== '' && /^\p{Extended_Pictographic}/u.test(alt) && alt.length <= 12) return void image.replaceWith(alt)
  if (source === undefined || isTiny(image)) return void image.remove()
  image.alt = alt
  image.removeAttribute('title')
  const url = URL.parse(source)
  if (url?.origin === origin) return void image.setAttribute('src', url.href.slice(origin.length))
  image.setAttribute('src', source)
  if (!source.startsWith('data:') && !(url && canFetch(source))) return undefined
  const placeholder = `uploading:${crypto.getRandomValues(new Uint32Array(2)).join('-')}`
  image.setAttribute('src', placeholder)
  return { placeholder, source }
}

/** Returns the address of an image that a browser could show; `undefined` for files of another computer, and fillers. */
function findSource(image: HTMLImageElement): string | undefined {
  const candidates = [image.getAttribute('src'), image.getAttribute('data-src'), image.getAttribute('data-original')]
  const source = candidates.find((candidate) => candidate && isImageAddress(candidate))
  return source?.startsWith('//') ? `https:${source}` : (source ?? undefined)
}

const isImageAddress = (address: string): boolean =>
  // A short data URL is the filler of an image that loads later, and SVG can have scripts.
  (/^data:image\/(?!svg)[a-z+.-]+;base64,/i.test(address) && address.length > 200) ||
  /^(?:https?:)?\/\//i.test(address) ||
  /^(?![a-z][a-z\d+.-]*:|#|\\)/i.test(address)

function isTiny(image: HTMLImageElement): boolean {
  const style = readStyle(image)
  const sizes = [image.getAttribute('width'), image.getAttribute('height'), style.get('width'), style.get('height')]
  if (style.get('display') === 'none') return true
  return sizes.some(
    (size) => /^\d/.test(size ?? '') && !/%/.test(size ?? '') && Number.parseFloat(size ?? '') <= MIN_IMAGE_PX,
  )
}
