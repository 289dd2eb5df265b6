import {
  type AuthAdapter,
  type DaybookConfig,
  type DocsConfig,
  defineCollection,
  defineConfig,
  definePlugin,
  f,
  StartupError,
} from 'daybook'
import { serve } from 'daybook/node'
import { createTestService } from 'daybook/testing'
import { describe, expect, test } from 'vitest'

const collections = { notes: defineCollection({ fields: { title: f.text({ required: true }) } }) }
const config = defineConfig({ collections })
const withDocs = (docs: DocsConfig | false): DaybookConfig => ({ collections, docs })

/** An adapter with provider routes that fails to identify callers. */
const failingAt = (basePath: string): AuthAdapter => ({
  getCapabilities: () => ({ provider: 'failing', providerRoutes: { enabled: true, basePath } }),
  getPrincipal: () => Promise.reject(new Error('no connection')),
  getIdentity: () => Promise.reject(new Error('no connection')),
})

const HTML = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
const YEAR = 'public, max-age=31536000, immutable'

const scriptOf = (html: string): string => /<script type="module" nonce="[^"]+" src="([^"]+)"/.exec(html)?.[1] ?? ''

const nonceOf = (html: string): string => / nonce="([^"]+)"/.exec(html)?.[1] ?? ''
const withoutNonce = (html: string): string => html.replace(/ nonce="[^"]+"/g, '')

describe('the docs page', () => {
  test('is HTML for everyone, which browsers revalidate each time', async () => {
    await using service = await createTestService(config)
    const page = await service.request('/docs')
    expect(page.status).toBe(200)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('cache-control')).toBe('no-cache')
    const head = await service.request('/docs', { method: 'HEAD' })
    expect([head.status, head.headers.get('etag'), await head.text()]).toEqual([200, null, ''])
    const signedIn = await service.request('/docs', { headers: { Authorization: `Bearer ${service.token}` } })
    expect(withoutNonce(await signedIn.text())).toBe(withoutNonce(await page.text()))
  })

  test('may run only its own scripts, may not be framed, and sends no referrer to other origins', async () => {
    await using service = await createTestService(config)
    const page = await service.request('/docs')
    const { headers } = page
    const nonce = nonceOf(await page.text())
    expect(headers.get('content-security-policy')?.split('; ')).toEqual([
      "default-src 'none'",
      `script-src 'nonce-${nonce}'`,
      "style-src 'unsafe-inline'",
      "img-src 'self' data:",
      "font-src 'self'",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
    ])
    expect(headers.get('referrer-policy')).toBe('same-origin')
    for (const path of ['/openapi.json', '/api/notes', '/api/health', '/nothing']) {
      expect((await service.request(path)).headers.has('content-security-policy'), path).toBe(false)
    }
  })

  test('has a new, unguessable nonce each time', async () => {
    await using service = await createTestService(config)
    const pages = await Promise.all(Array.from({ length: 20 }, async () => (await service.request('/docs')).text()))
    const nonces = new Set(pages.map(nonceOf))
    expect(nonces.size).toBe(20)
    for (const nonce of nonces) expect(Buffer.from(nonce, 'base64').length).toBe(16)
  })

  test('is not part of the API that it shows', async () => {
    await using service = await createTestService(config)
    const { paths } = (await (await service.request('/openapi.json')).json()) as { paths: object }
    expect(Object.keys(paths).filter((path) => path.includes('docs'))).toEqual([])
  })

  test('ignores its query string', async () => {
    await using service = await createTestService(config)
    const plain = withoutNonce(await (await service.request('/docs')).text())
    for (const query of [
      'url=https://evil.example/x.json',
      'title=<script>alert(1)</script>',
      'url=a&url=b',
      '%ZZ=1',
    ]) {
      const page = await (await service.request(`/docs?${query}`)).text()
      expect(withoutNonce(page), query).toBe(plain)
    }
  })

  test('escapes its title', async () => {
    const title = `</title><script>alert(1)</script>"'&<img src=x onerror=alert(1)>`
    await using service = await createTestService(withDocs({ title }))
    const html = await (await service.request('/docs')).text()
    const shown =
      '&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;&lt;img src=x onerror=alert(1)&gt;'
    expect(html).toContain(`<title>${shown}</title>`)
    expect(html).toContain(`data-title="${shown}"`)
    expect(html.match(/<script/g)).toHaveLength(1)
    expect(html).not.toContain('<img')
  })

  test('links to the description for browsers without scripts', async () => {
    await using service = await createTestService(config)
    const html = await (await service.request('/docs')).text()
    expect(html).toMatch(/<noscript>.*<a href="\/openapi\.json">.*<\/noscript>/)
  })

  test('is available while sessions cannot be checked', async () => {
    await using service = await createTestService({ ...config, auth: failingAt('/api/auth') })
    const headers = { Cookie: 'session=x' }
    expect((await service.request('/api/notes', { headers })).status).toBe(503)
    const page = await service.request('/docs', { headers })
    expect(page.status).toBe(200)
    expect((await service.request(scriptOf(await page.text()), { headers })).status).toBe(200)
  })
})

describe('a file of the docs page', () => {
  test('has a URL that changes with its content, and may be cached for a year', async () => {
    await using service = await createTestService(config)
    const script = scriptOf(await (await service.request('/docs')).text())
    expect(script).toMatch(/^\/docs\/[0-9a-f]{16}\/start\.js$/)
    const response = await service.request(script)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe(YEAR)
    expect(response.headers.get('vary')).toBe('Accept-Encoding')
    expect(await response.text()).toContain("import('./standalone.esm.js')")
    expect((await service.request(script.replace('start.js', 'standalone.esm.js'))).status).toBe(200)
  })

  test('is 404 for another name, another version, and outside of the folder', async () => {
    await using service = await createTestService(config)
    const script = scriptOf(await (await service.request('/docs')).text())
    const folder = script.replace('/start.js', '')
    const paths = [
      `${folder}/other.js`,
      `${folder}/docs-page.ts`,
      `${folder}/constructor`,
      `${folder}/`,
      folder,
      `${folder}/chunks`,
      `${folder}/%2e%2e/start.js`,
      `${folder}/..%2f..%2fpackage.json`,
      `${folder}/%2fetc%2fpasswd`,
      `${folder}/chunks%2f..%2fstart.js`,
      script.replace(/[0-9a-f]{16}/, '0000000000000000'),
      '/docs/start.js',
    ]
    for (const path of paths) expect((await service.request(path)).status, path).toBe(404)
  })

  test('is sent whole over a socket, and without its body for HEAD', async () => {
    await using service = await createTestService(config)
    const { url, stop } = await serve(service, { port: 0 })
    const script = `${url}${scriptOf(await (await fetch(`${url}/docs`)).text())}`
    const entry = script.replace('start.js', 'standalone.esm.js')
    const inProcess = await (await service.request(new URL(entry).pathname)).text()
    expect(await (await fetch(entry)).text()).toBe(inProcess)
    const head = await fetch(entry, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    await stop()
  })
})

describe('the config of the docs page', () => {
  test('moves it', async () => {
    await using service = await createTestService(withDocs({ path: '/help/api' }))
    const page = await service.request('/help/api')
    const script = scriptOf(await page.text())
    expect(script).toMatch(/^\/help\/api\/[0-9a-f]{16}\/start\.js$/)
    expect((await service.request(script)).status).toBe(200)
    expect((await service.request('/docs')).status).toBe(404)
    expect((await service.request('/', { headers: HTML })).headers.get('location')).toBe('/help/api')
  })

  test('is not the start page if a plugin has one', async () => {
    const plugins = [
      definePlugin({ name: 'quiet', version: '1.0.0' }),
      definePlugin({ name: 'desk', version: '1.0.0', startPage: '/desk' }),
      definePlugin({ name: 'other', version: '1.0.0', startPage: '/other' }),
    ]
    await using service = await createTestService({ ...withDocs({}), plugins })
    expect((await service.request('/', { headers: HTML })).headers.get('location')).toBe('/desk')
    expect((await service.request('/')).status).toBe(404)
    const wrong = { ...withDocs({}), plugins: [definePlugin({ name: 'desk', version: '1.0.0', startPage: 'desk' })] }
    await expect(createTestService(wrong)).rejects.toThrow(
      'plugins.desk.startPage must be the path of a page, such as "/studio".',
    )
  })

  test('switches it off', async () => {
    await using service = await createTestService(withDocs(false))
    expect((await service.request('/docs')).status).toBe(404)
    expect((await service.request('/', { headers: HTML })).status).toBe(404)
    expect((await service.request('/openapi.json')).status).toBe(200)
  })

  test('gives it a title, fixed colours and a logo', async () => {
    const logo = new URL('../../support/configs/logo.svg', import.meta.url)
    await using service = await createTestService(withDocs({ title: 'Museum', theme: 'dark', logo }))
    const html = await (await service.request('/docs')).text()
    expect(html).toContain('<title>Museum</title>')
    expect(html).toContain('<meta name="color-scheme" content="dark">')
    const address = /<header><img src="([^"]+)" alt=""><strong>Museum<\/strong>/.exec(html)?.[1] ?? ''
    expect(html).toContain(`<link rel="icon" href="${address}">`)
    const image = await service.request(address)
    expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
    // Opened directly, the image is a document of this origin.
    expect(image.headers.get('content-security-policy')).toContain('sandbox')
    expect(await image.text()).toContain('<svg')
  })

  test('changes the URLs of the files with the logo', async () => {
    const logo = new URL('../../support/configs/logo.svg', import.meta.url)
    await using plain = await createTestService(config)
    await using marked = await createTestService(withDocs({ logo }))
    const [plainPage, markedPage] = await Promise.all(
      [plain, marked].map(async (service) => (await service.request('/docs')).text()),
    )
    expect(scriptOf(plainPage ?? '')).not.toBe(scriptOf(markedPage ?? ''))
  })

  test('is rejected if its path belongs to the auth provider', async () => {
    for (const path of ['/accounts', '/accounts/docs']) {
      const starting = createTestService({ collections, docs: { path }, auth: failingAt('/accounts') })
      const refusal = await starting.catch((error: unknown) => error)
      expect(refusal).toBeInstanceOf(StartupError)
      expect(String(refusal)).toContain('docs.path: /accounts belongs to the auth adapter. Choose another path')
    }
    await using separate = await createTestService({
      collections,
      docs: { path: '/accounts2' },
      auth: failingAt('/accounts'),
    })
    expect((await separate.request('/accounts2')).status).toBe(200)
  })
})

describe('GET /', () => {
  test('redirects only browsers to the docs page', async () => {
    await using service = await createTestService(config)
    const sent = await service.request('/', { headers: HTML })
    expect(sent.status).toBe(302)
    expect(sent.headers.get('location')).toBe('/docs')
    expect(sent.headers.get('vary')).toBe('Accept')
    expect(sent.headers.get('cache-control')).toBe('no-store')
    for (const Accept of [
      '*/*',
      'application/json',
      'text/*',
      'text/html;q=0, */*',
      'application/json, text/html; q=0.0',
    ])
      expect((await service.request('/', { headers: { Accept } })).status, Accept).toBe(404)
    expect((await service.request('/')).status).toBe(404)
    expect((await service.request('/?url=x', { headers: HTML })).headers.get('location')).toBe('/docs')
    expect((await service.request('/', { method: 'HEAD', headers: HTML })).status).toBe(302)
    expect((await service.request('/', { method: 'POST', headers: HTML })).status).toBe(404)
  })
})
