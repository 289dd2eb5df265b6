import { type DaybookConfig, defineCollection, defineConfig, f } from 'daybook'
import { createTestService } from 'daybook/testing'
import { describe, expect, test } from 'vitest'
import { ask, bodyOf } from '../../support/scenarios/client.ts'

const RAW = `<details open>
<summary>How</summary>

Press <kbd>Ctrl</kbd> for 2<sup>n</sup>.

</details>

<figure class="wide"><img src="/a.png" width="320" onerror="alert(1)"><figcaption>A</figcaption></figure>

<video src="/a.mp4" poster="javascript:alert(1)" controls></video><script>alert(1)</script>
`
const SHORT = RAW
/** Long enough for a worker. */
const LONG = `${RAW}\n${'word '.repeat(2000)}\n`

const collections = { notes: defineCollection({ fields: { body: f.markdown() } }) }
const GITHUB = defineConfig({ collections })
const MORE = defineConfig({
  collections,
  markdown: {
    allowHtml: {
      elements: ['figure', 'figcaption', 'video'],
      attributes: { figure: ['class'], video: ['src', 'poster', 'controls'], a: ['target', 'data-*'] },
    },
  },
})

/** The HTML of each text, as a service with this config makes it. */
async function htmlOf(config: DaybookConfig, ...texts: readonly string[]): Promise<readonly string[]> {
  const service = await createTestService<DaybookConfig>(config)
  try {
    const made: string[] = []
    for (const body of texts) {
      const answer = await ask(service, '/api/notes', { method: 'POST', json: { body } })
      expect(answer.status).toBe(201)
      made.push(String(bodyOf(answer).bodyHtml))
    }
    return made
  } finally {
    await service.close()
  }
}

describe('raw HTML in Markdown', () => {
  test('stays as far as GitHub allows it, whether a worker renders it or not', async () => {
    for (const html of await htmlOf(GITHUB, SHORT, LONG)) {
      expect(html).toContain('<details open>\n<summary>How</summary>\n')
      expect(html).toContain('<p>Press <kbd>Ctrl</kbd> for 2<sup>n</sup>.</p>\n</details>')
      expect(html).toContain('<img src="/a.png" width="320">A')
      expect(html).not.toMatch(/figure|video|script|alert/)
    }
  })

  test('stays as far as the config allows more, and no further', async () => {
    for (const html of await htmlOf(MORE, SHORT, LONG)) {
      expect(html).toContain('<figure class="wide"><img src="/a.png" width="320"><figcaption>A</figcaption></figure>')
      expect(html).toContain('<video src="/a.mp4" controls></video>')
      expect(html).not.toMatch(/script|alert/)
    }
    const [link, code] = await htmlOf(
      MORE,
      'a <a href="/b" target="_blank" data-b="c" data-d onclick="e">f</a>',
      '```js\na\n```\n\n<p class="b">c</p>',
    )
    expect(link).toBe('<p>a <a href="/b" target="_blank" data-b="c" data-d>f</a></p>')
    expect(code).toBe('<pre><code class="language-js">a\n</code></pre>\n<p>c</p>')
  })

  test('a class that is allowed on every element is allowed on those that have some of their own', async () => {
    const every = { ...GITHUB, markdown: { allowHtml: { attributes: { '*': ['class'] } } } }
    const [html] = await htmlOf(every, '<p class="a"><code class="b">c</code></p>')
    expect(html).toBe('<p class="a"><code class="b">c</code></p>')
  })
})
