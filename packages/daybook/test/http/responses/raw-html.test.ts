import { type DaybookConfig, defineCollection, defineConfig, f } from 'daybook'
import { createTestService } from 'daybook/testing'
import { describe, expect, test } from 'vitest'
import { parseBody, sendRequest } from '../../support/scenarios/client.ts'

const RAW = `<details open>
<summary>How</summary>

Press <kbd>Ctrl</kbd> for 2<sup>n</sup>.

</details>

<figure class="wide"><img src="/a.png" width="320" onerror="alert(1)"><figcaption>A</figcaption></figure>

<video src="/uploads/a.mp4" poster="javascript:alert(1)" controls></video><script>alert(1)</script>
`
const SHORT = RAW
/** Long enough for the worker thread. */
const LONG = `${RAW}\n${'word '.repeat(2000)}\n`

const collections = { notes: defineCollection({ fields: { body: f.markdown() } }) }
const GITHUB = defineConfig({ collections })
const MORE = defineConfig({
  collections,
  markdown: {
    allowHtml: {
      elements: ['figure', 'figcaption'],
      attributes: { figure: ['class'], a: ['target', 'data-*'] },
    },
  },
})

/** Returns the HTML that a service with this config renders from each text. */
async function renderHtml(config: DaybookConfig, ...texts: readonly string[]): Promise<readonly string[]> {
  const service = await createTestService<DaybookConfig>(config)
  try {
    const html: string[] = []
    for (const body of texts) {
      const response = await sendRequest(service, '/api/notes', { method: 'POST', json: { body } })
      expect(response.status).toBe(201)
      html.push(String(parseBody(response).bodyHtml))
    }
    return html
  } finally {
    await service.close()
  }
}

describe('raw HTML in Markdown', () => {
  test('is kept as far as GitHub allows it, with figures, in the main thread and in the worker', async () => {
    for (const html of await renderHtml(GITHUB, SHORT, LONG)) {
      expect(html).toContain('<details open>\n<summary>How</summary>\n')
      expect(html).toContain('<p>Press <kbd>Ctrl</kbd> for 2<sup>n</sup>.</p>\n</details>')
      expect(html).toContain('<figure><img src="/a.png" width="320"><figcaption>A</figcaption></figure>')
      expect(html).toContain('<video src="/uploads/a.mp4" controls></video>')
      expect(html).not.toMatch(/script|alert/)
    }
  })

  test('is kept as far as the config allows, and no further', async () => {
    for (const html of await renderHtml(MORE, SHORT, LONG)) {
      expect(html).toContain('<figure class="wide"><img src="/a.png" width="320"><figcaption>A</figcaption></figure>')
      expect(html).not.toMatch(/script|alert/)
    }
    const [link, code] = await renderHtml(
      MORE,
      'a <a href="/b" target="_blank" data-b="c" data-d onclick="e">f</a>',
      '```js\na\n```\n\n<p class="b">c</p>',
    )
    expect(link).toBe('<p>a <a href="/b" target="_blank" data-b="c" data-d>f</a></p>')
    expect(code).toBe('<pre><code class="language-js">a\n</code></pre>\n<p>c</p>')
  })

  test('may embed media of the service and of allowed hosts only', async () => {
    const media = { ...GITHUB, markdown: { mediaHosts: ['media.example.org', 'localhost:4000'] } }
    const CASES: readonly (readonly [source: string, html: string])[] = [
      [
        '<video src="/uploads/a.mp4" controls autoplay muted loop preload="none" poster="/uploads/a.png" width="320" onplay="alert(1)">b</video>',
        '<video src="/uploads/a.mp4" controls muted loop preload="none" poster="/uploads/a.png" width="320">b</video>',
      ],
      ['<audio src="https://media.example.org/a.mp3" controls></audio>', 'same'],
      ['<audio src="//media.example.org/a.mp3"></audio>', 'same'],
      ['<audio src="http://localhost:4000/a.mp3"></audio>', 'same'],
      [
        '<video controls><source src="/uploads/a.webm" type="video/webm"><source src="https://evil.example/a.mp4">b</video>',
        '<video controls><source src="/uploads/a.webm" type="video/webm">b</video>',
      ],
      [
        '<video src="https://media.example.org/a.mp4" poster="https://evil.example/a.png"></video>',
        '<video src="https://media.example.org/a.mp4"></video>',
      ],
      [
        '<picture><source src="/uploads/a.mp4" srcset="/a.png"></picture>',
        '<picture><source srcset="/a.png"></picture>',
      ],
      ...[
        'https://evil.example/a.mp4',
        'https://media.example.org:8443/a.mp4',
        'https://media.example.org@evil.example/a.mp4',
        'https://a.media.example.org/a.mp4',
        'https://page.invalid/uploads/a.mp4',
        '/uploads/../a.mp4',
        '/uploads/%2e%2e/a.mp4',
        '/a.mp4',
        'uploads/a.mp4',
        '/\\evil.example/uploads/a.mp4',
        'data:video/mp4;base64,AAAA',
        'javascript:alert(1)',
        '',
      ].map((src) => [`a <video src="${src}" controls>b</video>`, 'a b'] as const),
    ]
    const rendered = await renderHtml(media, ...CASES.map(([source]) => `a ${source}`))
    expect(rendered).toEqual(CASES.map(([source, html]) => `<p>a ${html === 'same' ? source : html}</p>`))
    const [unlisted] = await renderHtml(GITHUB, 'a <audio src="https://media.example.org/a.mp3">b</audio>')
    expect(unlisted).toBe('<p>a b</p>')
  })

  test('may have a class of all elements on an element with classes of its own', async () => {
    const every = { ...GITHUB, markdown: { allowHtml: { attributes: { '*': ['class'] } } } }
    const [html] = await renderHtml(every, '<p class="a"><code class="b">c</code></p>')
    expect(html).toBe('<p class="a"><code class="b">c</code></p>')
  })
})
