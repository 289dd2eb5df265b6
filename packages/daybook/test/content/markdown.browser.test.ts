import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BrowserPage, openPage } from '../../../client/test/support/browser.ts'
import { createRenderMarkdown } from '../../src/content/markdown/markdown.ts'
import { expectInertElement, XSS } from '../support/configs/hostile-markdown.ts'

/** An element as a browser reads it: its name, and its attributes with their values. */
type ReadElement = readonly [tag: string, attributes: readonly (readonly [string, string])[]]

/** What a browser made of a document. */
interface ReadDocument {
  /** Elements inside the one that stands around the text. */
  readonly elements: readonly ReadElement[]
  /** Whether all of the text is inside that element, and what comes after it is not. */
  readonly isWithin: boolean
  /** How often a script of the text ran. */
  readonly alerts: number
}

/** Runs in the page, whose types are not those of Node: shows HTML in a document of its own, as a site would print it. */
const SHOW = `async (html) => {
  const frame = document.createElement('iframe')
  frame.srcdoc = '<!doctype html><script>var alerts = 0; var alert = () => { alerts += 1 }</script><main><table><tr><td><ul><li>' +
    '<div id="text">' + html + '</div></li></ul></td></tr></table><p id="after">after</p></main>'
  const loaded = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }))
  document.body.append(frame)
  await loaded
  const page = frame.contentWindow
  const inside = [...page.document.querySelectorAll('td > ul > li > div#text *')]
  for (const one of inside) {
    for (const name of ['click', 'focus', 'mouseover', 'toggle', 'error', 'load']) one.dispatchEvent(new Event(name))
  }
  const read = {
    elements: inside.map((one) => [one.localName, [...one.attributes].map(({ name, value }) => [name, value])]),
    isWithin: page.document.querySelector('main > p#after')?.previousElementSibling?.localName === 'table',
    alerts: page.alerts,
  }
  frame.remove()
  return read
}`

describe('hostile Markdown in a browser', () => {
  let browser: BrowserPage
  beforeAll(async () => {
    browser = await openPage()
  }, 120_000)
  afterAll(async () => browser[Symbol.asyncDispose]())

  const render = createRenderMarkdown()
  const read = async (html: string): Promise<ReadDocument> =>
    (await browser.page.evaluate(`(${SHOW})(${JSON.stringify(html)})`)) as ReadDocument

  test('a script that is not taken out is seen to run', async () => {
    expect(await read('<script>alert(1)</script>')).toMatchObject({ alerts: 1 })
    expect(await read('<b onclick="alert(1)">x</b>')).toMatchObject({ alerts: 1 })
    expect(await read('</div></li></ul></td></tr></table><p>x</p>')).toMatchObject({ isWithin: false })
  })

  test.each(XSS)('%j shows what may be shown, runs nothing and stays where it is put', async (source) => {
    for (const text of [source, `text ${source} text`]) {
      const html = render(text)
      const { elements, isWithin, alerts } = await read(html)
      expect([alerts, isWithin], html).toEqual([0, true])
      for (const [tag, attributes] of elements) expectInertElement({ tag, attributes: new Map(attributes) }, html)
    }
  })
})
