import { describe, expect, test } from 'vitest'
import { MarkdownRenderer, RenderError } from '../../src/content/markdown/markdown-renderer.ts'

/** Returns a text long enough to be rendered in a thread. */
const long = (text: string): string => `${'word '.repeat(1000)}*${text}*`
/** The parser searches all open elements for each end tag, which takes quadratic time. */
const BOMB = `${'<b>'.repeat(150_000)}${'</i>'.repeat(150_000)}`
const markedIn = (html: string): string | undefined => /<em>(.*)<\/em>/.exec(html)?.[1]

describe.each([1, 8])('a render thread with %i texts at once', (renderDepth) => {
  const open = (renderMs?: number): MarkdownRenderer =>
    new MarkdownRenderer(undefined, { renderMs, renderThreads: 1, renderDepth })

  test('returns to each request the HTML of its text', async () => {
    const renderer = open()
    const texts = Array.from({ length: 40 }, (_, n) => `text ${n}`)
    const htmlTexts = await Promise.all(texts.map((text) => renderer.render(long(text))))
    expect(htmlTexts.map(markedIn)).toEqual(texts)
    await renderer.close()
  })

  test('rejects a text that takes too long, and no other', async () => {
    const renderer = open(2000)
    const texts = [long('before'), BOMB, long('behind'), BOMB, long('last')]
    const ended = await Promise.all(texts.map((text) => renderer.render(text).then(markedIn, (error) => error)))
    expect(ended).toEqual(['before', expect.any(RenderError), 'behind', expect.any(RenderError), 'last'])
    await renderer.close()
  }, 120_000)

  test('rejects pending and later texts once the renderer is closed', async () => {
    const renderer = open()
    const outcomes = Promise.allSettled([long('a'), long('b')].map((text) => renderer.render(text)))
    await renderer.close()
    for (const outcome of await outcomes) expect(outcome).toMatchObject({ reason: { code: 'SERVICE_UNAVAILABLE' } })
    await expect(renderer.render(long('c'))).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  })
})
