import { brotliDecompressSync } from 'node:zlib'
import { ConfigError, type DaybookConfig, defineCollection, defineConfig, f } from 'daybook'
import { createTestService } from 'daybook/testing'
import { expect, test } from 'vitest'
import { type StudioOptions, studio } from '../src/index.ts'

const collections = { notes: defineCollection({ fields: { text: f.text() } }) }
const withStudio = (options?: StudioOptions): DaybookConfig => defineConfig({ collections, plugins: [studio(options)] })
const HTML = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
const LOGO = new URL('../../daybook/test/support/configs/logo.svg', import.meta.url)

async function ask(options: StudioOptions | undefined, path: string, init?: RequestInit): Promise<Response> {
  await using service = await createTestService(withStudio(options))
  const answer = await service.request(path, init)
  return new Response(await answer.arrayBuffer(), { status: answer.status, headers: answer.headers })
}

const textOf = async (path: string, options?: StudioOptions, init?: RequestInit): Promise<string> =>
  (await ask(options, path, init)).text()

// It reads no content, so that the store does not matter.
test('the page is HTML that asks for the program, with a policy that lets nothing else run', async () => {
  const answer = await ask(undefined, '/studio')
  const html = await answer.text()
  const nonce = /<meta property="csp-nonce" nonce="([^"]+)">/.exec(html)?.[1]
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(answer.headers.get('cache-control')).toBe('no-cache')
  expect(answer.headers.get('content-security-policy')?.split('; ')).toEqual([
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    "img-src 'self' data: blob:",
    "media-src 'self' data: blob:",
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ])
  expect(html).not.toMatch(/\sstyle=|\son\w+=|<script(?![^>]*(?:src=|type="application\/json"))/)
  expect(html).not.toMatch(/https?:/)
})

test('each page has a nonce of its own, long enough that nobody guesses it', async () => {
  await using service = await createTestService(withStudio())
  const pages = await Promise.all(Array.from({ length: 20 }, async () => (await service.request('/studio')).text()))
  const nonces = new Set(pages.map((html) => /nonce="([^"]+)"/.exec(html)?.[1]))
  expect(nonces.size).toBe(20)
  for (const nonce of nonces) expect(Buffer.from(nonce ?? '', 'base64').length).toBe(16)
})

test('every address of a view is the same page, and HEAD has its headers', async () => {
  await using service = await createTestService(withStudio())
  for (const path of [
    '/studio/c/posts',
    '/studio/c/posts/01a1?field=title',
    '/studio/go/edit/posts/x',
    '/studio/nothing.js',
  ]) {
    const answer = await service.request(path)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  }
  const head = await service.request('/studio', { method: 'HEAD' })
  expect([head.status, await head.text(), head.headers.get('cache-control')]).toEqual([200, '', 'no-cache'])
})

test('the files that the page names are there, compressed, and kept for good; others are not found', async () => {
  await using service = await createTestService(withStudio())
  const html = await (await service.request('/studio')).text()
  const files = [...html.matchAll(/(?:href|src)="(\/studio\/app\/[^"]+)"/g)].map(([, file]) => file ?? '')
  expect(files.map((file) => file.replace(/\.[0-9a-f]{8}\./, '.'))).toEqual(
    expect.arrayContaining(['/studio/app/main.css', '/studio/app/en.js', '/studio/app/main.js']),
  )
  for (const file of files) {
    const plain = await service.request(file)
    expect([plain.status, plain.headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable'])
    const packed = await service.request(file, { headers: { 'Accept-Encoding': 'br' } })
    expect(packed.headers.get('content-encoding')).toBe('br')
    expect(brotliDecompressSync(await packed.arrayBuffer()).toString()).toBe(await plain.text())
  }
  for (const path of ['/studio/app/nothing.js', '/studio/app/.vite/manifest.json', '/studio/app/..%2fpage.ts']) {
    expect((await service.request(path)).status).toBe(404)
  }
})

test('browsers at / are sent there, and programs are not', async () => {
  await using service = await createTestService(withStudio())
  const answer = await service.request('/', { headers: HTML })
  expect([answer.status, answer.headers.get('location')]).toEqual([302, '/studio'])
  expect((await service.request('/')).status).toBe(404)
})

test('a slash at the end leads to the same page, and no other path takes one', async () => {
  await using service = await createTestService(withStudio({ path: '/desk/write' }))
  const answer = await service.request('/desk/write/?from=mail')
  expect([answer.status, answer.headers.get('location')]).toEqual([302, '/desk/write'])
  for (const path of ['/desk/write//', '/desk/', '/api/notes/']) {
    expect((await service.request(path)).status).toBe(404)
  }
})

test('it is where the option says', async () => {
  await using service = await createTestService(withStudio({ path: '/desk/write' }))
  const html = await (await service.request('/desk/write/c/notes')).text()
  const script = /<script type="module" nonce="[^"]+" src="([^"]+)"/.exec(html)?.[1] ?? ''
  expect(script).toMatch(/^\/desk\/write\/app\/main\./)
  expect(await (await service.request(script)).text()).not.toBe('')
  expect((await service.request('/studio')).status).toBe(404)
  expect((await service.request('/', { headers: HTML })).headers.get('location')).toBe('/desk/write')
})

test('a title of hostile HTML is shown as text', async () => {
  const title = `</title><script>alert('1')</script>"<!--`
  const html = await textOf('/studio', { title })
  expect(html).toContain('<title>&lt;/title&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&quot;&lt;!--</title>')
  const settings = /<script type="application\/json" id="settings">(.*)<\/script>/.exec(html)?.[1] ?? ''
  expect(settings).not.toContain('<')
  expect(JSON.parse(settings)).toEqual({ path: '/studio', title })
})

test('a logo and colours of the config are on the page', async () => {
  await using service = await createTestService(
    withStudio({
      logo: LOGO,
      accent: { light: '#104020', dark: '#c0ffd0' },
      assetOrigins: ['https://files.example.org'],
    }),
  )
  const page = await service.request('/studio')
  const html = await page.text()
  expect(html).toMatch(
    /<style nonce="[^"]+">:root\{--accent:light-dark\(#104020,#c0ffd0\);--on-accent:light-dark\(#ffffff,#000000\)\}/,
  )
  expect(page.headers.get('content-security-policy')).toContain("img-src 'self' data: blob: https://files.example.org")
  const logo = await service.request('/studio/logo')
  expect([logo.status, logo.headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
  expect(logo.headers.get('content-security-policy')).toContain('sandbox')
})

test('the page comes in the language and the colours that were chosen, or that the browser prefers', async () => {
  const german = await textOf('/studio', undefined, { headers: { 'Accept-Language': 'de-AT,en;q=0.5' } })
  expect(german).toContain('<html lang="de">')
  expect(german).toMatch(/modulepreload" nonce="[^"]+" href="\/studio\/app\/de\./)
  expect(german).not.toMatch(/\/studio\/app\/en\./)
  const Cookie = 'daybook-studio-language=en; daybook-studio-theme=dark'
  const chosen = await textOf('/studio', undefined, { headers: { 'Accept-Language': 'de', Cookie } })
  expect(chosen).toContain('<html lang="en" data-theme="dark">')
  const nonsense = { 'Accept-Language': '"><script>', Cookie: 'daybook-studio-theme="><script>' }
  expect(await textOf('/studio', undefined, { headers: nonsense })).toContain('<html lang="en">')
})

test.each([
  [{ path: 'studio' }, 'path', 'write a path below /'],
  [{ path: '/' }, 'path', 'write a path below /'],
  [{ path: '/api/studio' }, 'path', 'not below /api'],
  [{ title: ' ' }, 'title', 'write a name'],
  [{ accent: 'red' }, 'accent', "write '#1f5fbf'"],
  [{ accent: { light: '#000000' } }, 'accent', 'a colour for each theme'],
  [{ logo: new URL('https://example.org/logo.svg') }, 'logo', 'write the URL of an SVG'],
  [{ assetOrigins: ['https://files.example.org/a'] }, 'assetOrigins', 'write origins without a path'],
  [{ editors: { rating: './rating-editor.js' } }, 'editors', 'write the URL of a .js or .mjs file'],
  [{ editors: { rating: new URL('https://example.org/a.js') } }, 'editors', 'for each field type'],
  [{ colour: '#000000' }, 'colour', 'there is no such option; write one of: path, title'],
])('%j is refused with what to write instead', (options, name, message) => {
  const make = (): unknown => studio(options as StudioOptions)
  expect(make).toThrow(ConfigError)
  expect(make).toThrow(`plugins.studio.options.${name}: `)
  expect(make).toThrow(message)
})
