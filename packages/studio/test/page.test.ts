import { brotliDecompressSync } from 'node:zlib'
import { ConfigError, type DaybookConfig, defineCollection, defineConfig, f } from 'daybook'
import { createTestService } from 'daybook/testing'
import { expect, test } from 'vitest'
import { type StudioOptions, studio } from '../src/index.ts'

const collections = { notes: defineCollection({ fields: { text: f.text() } }) }
const withStudio = (options?: StudioOptions): DaybookConfig => defineConfig({ collections, plugins: [studio(options)] })
const HTML = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
const LOGO = new URL('../../daybook/test/support/configs/logo.svg', import.meta.url)

async function request(options: StudioOptions | undefined, path: string, init?: RequestInit): Promise<Response> {
  await using service = await createTestService(withStudio(options))
  const response = await service.request(path, init)
  return new Response(await response.arrayBuffer(), { status: response.status, headers: response.headers })
}

const fetchText = async (path: string, options?: StudioOptions, init?: RequestInit): Promise<string> =>
  (await request(options, path, init)).text()

test('the page is HTML that loads the program, under a policy that lets nothing else run', async () => {
  const response = await request(undefined, '/studio')
  const html = await response.text()
  const nonce = /<meta property="csp-nonce" nonce="([^"]+)">/.exec(html)?.[1]
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(response.headers.get('cache-control')).toBe('no-cache')
  expect(response.headers.get('content-security-policy')?.split('; ')).toEqual([
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    expect.stringMatching(/^connect-src 'self' https:\/\/lh3\.googleusercontent\.com /),
    "img-src 'self' data: blob:",
    "media-src 'self' data: blob:",
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ])
  expect(html).not.toMatch(/\sstyle=|\son\w+=|<script(?![^>]*(?:src=|type="application\/json"))/)
  // The settings have the origins of images that may be pasted.
  expect(html.replace(/<script type="application\/json".*?<\/script>/s, '')).not.toMatch(/https?:/)
})

test('each page has its own unguessable nonce', async () => {
  await using service = await createTestService(withStudio())
  const pages = await Promise.all(Array.from({ length: 20 }, async () => (await service.request('/studio')).text()))
  const nonces = new Set(pages.map((html) => /nonce="([^"]+)"/.exec(html)?.[1]))
  expect(nonces.size).toBe(20)
  for (const nonce of nonces) expect(Buffer.from(nonce ?? '', 'base64').length).toBe(16)
})

test('every view URL returns the same page, and HEAD returns its headers', async () => {
  await using service = await createTestService(withStudio())
  for (const path of [
    '/studio/c/posts',
    '/studio/c/posts/01a1?field=title',
    '/studio/go/edit/posts/x',
    '/studio/nothing.js',
  ]) {
    const response = await service.request(path)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  }
  const head = await service.request('/studio', { method: 'HEAD' })
  expect([head.status, await head.text(), head.headers.get('cache-control')]).toEqual([200, '', 'no-cache'])
})

test('the files that the page links are compressed and immutable; others are not found', async () => {
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

test('/ redirects browsers to the Studio, but not programs', async () => {
  await using service = await createTestService(withStudio())
  const response = await service.request('/', { headers: HTML })
  expect([response.status, response.headers.get('location')]).toEqual([302, '/studio'])
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect((await service.request('/')).status).toBe(404)
})

test('a trailing slash redirects to the page, but only on the path of the Studio', async () => {
  await using service = await createTestService(withStudio({ path: '/desk/write' }))
  const response = await service.request('/desk/write/?from=mail')
  expect([response.status, response.headers.get('location')]).toEqual([302, '/desk/write'])
  for (const path of ['/desk/write//', '/desk/', '/api/notes/']) {
    expect((await service.request(path)).status).toBe(404)
  }
})

test('the option `path` moves the Studio', async () => {
  await using service = await createTestService(withStudio({ path: '/desk/write' }))
  const html = await (await service.request('/desk/write/c/notes')).text()
  const script = /<script type="module" nonce="[^"]+" src="([^"]+)"/.exec(html)?.[1] ?? ''
  expect(script).toMatch(/^\/desk\/write\/app\/main\./)
  expect(await (await service.request(script)).text()).not.toBe('')
  expect((await service.request('/studio')).status).toBe(404)
  expect((await service.request('/', { headers: HTML })).headers.get('location')).toBe('/desk/write')
})

test('HTML in the title is escaped', async () => {
  const title = `</title><script>alert('1')</script>"<!--`
  const html = await fetchText('/studio', { title })
  expect(html).toContain('<title>&lt;/title&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&quot;&lt;!--</title>')
  const settings = /<script type="application\/json" id="settings">(.*)<\/script>/.exec(html)?.[1] ?? ''
  expect(settings).not.toContain('<')
  expect(JSON.parse(settings)).toMatchObject({ path: '/studio', title })
})

test('the page has the logo and colours of the config', async () => {
  await using service = await createTestService(
    withStudio({
      logo: LOGO,
      accent: { light: '#104020', dark: '#c0ffd0' },
      assetOrigins: ['https://files.example.org'],
      pasteOrigins: [],
    }),
  )
  const page = await service.request('/studio')
  const html = await page.text()
  expect(html).toMatch(
    /<style nonce="[^"]+">:root\{--accent:light-dark\(#104020,#c0ffd0\);--on-accent:light-dark\(#ffffff,#000000\)\}/,
  )
  expect(page.headers.get('content-security-policy')).toContain("img-src 'self' data: blob: https://files.example.org")
  expect(page.headers.get('content-security-policy')).toContain("connect-src 'self';")
  const logo = await service.request('/studio/logo')
  expect([logo.status, logo.headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
  expect(logo.headers.get('content-security-policy')).toContain('sandbox')
})

test('the page has the chosen language and theme, or those that the browser prefers', async () => {
  const german = await fetchText('/studio', undefined, { headers: { 'Accept-Language': 'de-AT,en;q=0.5' } })
  expect(german).toContain('<html lang="de">')
  expect(german).toMatch(/modulepreload" nonce="[^"]+" href="\/studio\/app\/de\./)
  expect(german).not.toMatch(/\/studio\/app\/en\./)
  const Cookie = 'daybook-studio-language=en; daybook-studio-theme=dark'
  const chosen = await fetchText('/studio', undefined, { headers: { 'Accept-Language': 'de', Cookie } })
  expect(chosen).toContain('<html lang="en" data-theme="dark">')
  const nonsense = { 'Accept-Language': '"><script>', Cookie: 'daybook-studio-theme="><script>' }
  expect(await fetchText('/studio', undefined, { headers: nonsense })).toContain('<html lang="en">')
})

test.each([
  [{ path: 'studio' }, 'path', 'must be a path below /'],
  [{ path: '/' }, 'path', 'must be a path below /'],
  [{ path: '/api/studio' }, 'path', 'not below /api'],
  [{ title: ' ' }, 'title', 'must be a name'],
  [{ accent: 'red' }, 'accent', "must be a colour, such as '#1f5fbf'"],
  [{ accent: { light: '#000000' } }, 'accent', 'or one for each theme'],
  [{ logo: new URL('https://example.org/logo.svg') }, 'logo', 'must be the URL of an SVG'],
  [{ assetOrigins: ['https://files.example.org/a'] }, 'assetOrigins', 'must be a list of origins without a path'],
  [{ pasteOrigins: ['images.example.org'] }, 'pasteOrigins', 'must be a list of origins without a path'],
  [{ editors: { rating: './rating-editor.js' } }, 'editors', 'must have the URL of a .js or .mjs file'],
  [{ editors: { rating: new URL('https://example.org/a.js') } }, 'editors', 'for each field type'],
  [{ colour: '#000000' }, 'colour', 'is not an option. Use one of: path, title'],
])('%j is rejected with a hint', (options, name, message) => {
  const make = (): unknown => studio(options as StudioOptions)
  expect(make).toThrow(ConfigError)
  expect(make).toThrow(`plugins.studio.options.${name} `)
  expect(make).toThrow(message)
})
