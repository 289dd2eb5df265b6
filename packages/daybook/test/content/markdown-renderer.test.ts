import { describe, expect, test } from 'vitest'
import { MarkdownRenderer, RenderError } from '../../src/content/markdown/markdown-renderer.ts'

/** Long enough for a thread. */
const long = (text: string): string => `${'word '.repeat(1000)}*${text}*`
/** Each of these ends is looked for among all that was begun. */
const BOMB = `${'<b>'.repeat(150_000)}${'</i>'.repeat(150_000)}`
const markedIn = (html: string): string | undefined => /<em>(.*)<\/em>/.exec(html)?.[1]

describe.each([1, 8])('a thread, texts at once: %i', (renderDepth) => {
  const open = (renderMs?: number): MarkdownRenderer =>
    new MarkdownRenderer(undefined, { renderMs, renderThreads: 1, renderDepth })

  test('gives each one the HTML of its own', async () => {
    const renderer = open()
    const texts = Array.from({ length: 40 }, (_, n) => `text ${n}`)
    const made = await Promise.all(texts.map((text) => renderer.render(long(text))))
    expect(made.map(markedIn)).toEqual(texts)
    await renderer.close()
  })

  test('refuses the one that takes too long, and no other', async () => {
    const renderer = open(2000)
    const texts = [long('before'), BOMB, long('behind'), BOMB, long('last')]
    const ended = await Promise.all(texts.map((text) => renderer.render(text).then(markedIn, (error) => error)))
    expect(ended).toEqual(['before', expect.any(RenderError), 'behind', expect.any(RenderError), 'last'])
    await renderer.close()
  }, 120_000)

  test('refuses what it has when the renderer is closed, and what comes then', async () => {
    const renderer = open()
    const made = Promise.allSettled([long('a'), long('b')].map((text) => renderer.render(text)))
    await renderer.close()
    for (const outcome of await made) expect(outcome).toMatchObject({ reason: { code: 'SERVICE_UNAVAILABLE' } })
    await expect(renderer.render(long('c'))).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  })
})
