import { XmlDocument } from 'libxml2-wasm'

const NAMESPACES = {
  s: 'http://www.sitemaps.org/schemas/sitemap/0.9',
  x: 'http://www.w3.org/1999/xhtml',
  a: 'http://www.w3.org/2005/Atom',
  c: 'http://purl.org/rss/1.0/modules/content/',
  d: 'http://purl.org/dc/elements/1.1/',
}

/**
 * Returns the texts at an XPath of a document, with the prefixes `s` (sitemap), `x` (XHTML), `a` (Atom), `c` (RSS content), `d` (Dublin Core).
 *
 * @throws {Error} if the document is not well-formed
 */
export function textsAt(xml: string, path: string): readonly string[] {
  using document = XmlDocument.fromString(xml)
  return document.find(path, NAMESPACES).map(({ content }) => content)
}
