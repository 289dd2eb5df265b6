import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BrowserPage, openPage } from '../../../client/test/support/browser.ts'
import { createRenderMarkdown } from '../../src/content/markdown/markdown.ts'
import { expectInertElement, XSS } from '../support/configs/hostile-markdown.ts'

/** An element as a browser parses it: its name, and its attributes with their values. */
type ReadElement = readonly [tag: string, attributes: readonly (readonly [string, string])[]]

interface ReadDocument {
  /** The elements inside the container of the text. */
  readonly elements: readonly ReadElement[]
  /** True if the container holds all of the text and nothing that follows. */
  readonly isWithin: boolean
  /** The number of times that a script of the text ran. */
  readonly alerts: number
}

/** A script for the page (as text, since the types are not those of Node) that shows HTML in its own document, as a site would print it. */
const SHOW = `async (html) => {
  const frame = document.createElement('iframe')
  frame.srcdoc = '<!doctype html><script>var alerts = 0; var alert = () => { alerts += 1 }</script><main><table><tr><td><ul><li>' +
    '<div id="text">' + html + '</div></li></ul></td></tr></table><p id="after">after</p></main>'
  const loaded = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }))
  document.body.append(frame)
  await loaded
  const page = frame.contentWindow
  const inside = [...page.document.querySelectorAll('td > ul > li > div#text *')]
  for (const element of inside) {
    for (const name of ['click', 'focus', 'mouseover', 'toggle', 'error', 'load']) element.dispatchEvent(new Event(name))
  }
  const read = {
    elements: inside.map((element) => [element.localName, [...element.attributes].map(({ name, value }) => [name, value])]),
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

  test('the test notices scripts that run and elements that break out', async () => {
    expect(await read('<script>alert(1)</script>')).toMatchObject({ alerts: 1 })
    expect(await read('<b onclick="alert(1)">x</b>')).toMatchObject({ alerts: 1 })
    expect(await read('</div></li></ul></td></tr></table><p>x</p>')).toMatchObject({ isWithin: false })
  })

  test.each(XSS)('%j shows only allowed elements, runs no script and stays in its container', async (source) => {
    for (const text of [source, `text ${source} text`]) {
      const html = render(text)
      const { elements, isWithin, alerts } = await read(html)
      expect([alerts, isWithin], html).toEqual([0, true])
      for (const [tag, attributes] of elements) expectInertElement({ tag, attributes: new Map(attributes) }, html)
    }
  })
})
