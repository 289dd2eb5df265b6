import type { Attributes } from 'sanitize-html'

/** Elements that play a file. */
export const MEDIA_ELEMENTS: readonly string[] = ['video', 'audio']

/** Stands for the page that shows a text, which the service does not know. */
const PAGE = 'https://page.invalid'
/** The folder of the service's own files. */
const OWN_FOLDER = '/uploads/'

/** Decides by its address whether a text may play a file. */
export class MediaRule {
  readonly #hosts: ReadonlySet<string>

  /** @param hosts the hosts from which files may come, besides the service's own */
  constructor(hosts: readonly string[] = []) {
    this.#hosts = new Set(hosts)
  }

  /**
   * Takes addresses that are not allowed from the attributes of an element.
   *
   * @param isInMedia true if the element stands in one of {@link MEDIA_ELEMENTS}
   * @returns false if the element is to be left out
   */
  apply(element: string, attributes: Attributes, isInMedia: boolean): boolean {
    if (MEDIA_ELEMENTS.includes(element)) {
      if (attributes.poster !== undefined && !this.#allows(attributes.poster)) delete attributes.poster
      return attributes.src === undefined || this.#allows(attributes.src)
    }
    if (element !== 'source') return true
    if (isInMedia) return attributes.src !== undefined && this.#allows(attributes.src)
    // A picture chooses by srcset and ignores the address.
    delete attributes.src
    return true
  }

  /** Reads an address as browsers do, which forgive much. */
  #allows(address: string): boolean {
    const url = URL.parse(address, PAGE)
    if (!url) return false
    if (url.origin === PAGE) return address.startsWith(OWN_FOLDER) && url.pathname.startsWith(OWN_FOLDER)
    return /^https?:$/.test(url.protocol) && this.#hosts.has(url.host)
  }
}
