import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type DefaultTheme, defineConfig } from 'vitepress'
import { anchorOf } from '../../scripts/reference/table.ts'
import { SECTIONS } from './sections.ts'

const ROOT = new URL('../../', import.meta.url)
const { version, repository } = JSON.parse(readFileSync(new URL('packages/daybook/package.json', ROOT), 'utf8')) as {
  readonly version: string
  readonly repository: { readonly url: string }
}
const REPOSITORY = repository.url.replace(/^git\+/, '').replace(/\.git$/, '')
/** Each minor version has URLs of its own, such as `/v0.1/guides/files`, which a later version does not change. */
const VERSION = `v${version.split('.').slice(0, 2).join('.')}`

/** The page at `/`, which leads to the newest version. */
const REDIRECT = `<!doctype html>
<html lang="en">
<title>Daybook</title>
<meta http-equiv="refresh" content="0; url=/${VERSION}/">
<p><a href="/${VERSION}/">Daybook ${VERSION}</a></p>
</html>
`

/** Returns the heading of a page, which is its name in the sidebar. */
function readTitle(page: string): string {
  const text = readFileSync(new URL(`docs/${page}.md`, ROOT), 'utf8')
  return /^# (.+)$/m.exec(text)?.[1]?.replaceAll('`', '') ?? page
}

const sidebar: DefaultTheme.SidebarItem[] = Object.entries(SECTIONS).map(([text, pages]) => ({
  text,
  items: pages.map((page) => ({ text: readTitle(page), link: `/${page}` })),
}))

/** Returns the address of a file outside of the site, such as an example, in the repository. */
function toRepository(page: string, href: string): string | undefined {
  const [path = '', hash] = href.split('#')
  if (/^[a-z]+:|^\/|^$/.test(path)) return undefined
  const file = posix.normalize(posix.join('docs', posix.dirname(page), path))
  if (file.startsWith('docs/') && /\.(?:md|webp)$/.test(file)) return undefined
  const url = new URL(file, ROOT)
  const kind = existsSync(url) && statSync(url).isDirectory() ? 'tree' : 'blob'
  return `${REPOSITORY}/${kind}/main/${file}${hash === undefined ? '' : `#${hash}`}`
}

export default defineConfig({
  title: 'Daybook',
  description:
    'A headless content service in TypeScript: content described in code, a REST API, a typed client and the Studio.',
  lang: 'en',
  base: `/${VERSION}/`,
  outDir: fileURLToPath(new URL(`site/${VERSION}`, ROOT)),
  cleanUrls: true,
  // The index of the search is one file.
  vite: { build: { chunkSizeWarningLimit: 2000 } },
  buildEnd: ({ outDir }) => writeFileSync(join(outDir, '../index.html'), REDIRECT),
  srcExclude: ['test/**'],
  // A reader's service, in the guides.
  ignoreDeadLinks: 'localhostLinks',
  markdown: {
    anchor: { slugify: anchorOf },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    languageAlias: { svg: 'xml' },
    config: (md) => {
      const renderLink =
        md.renderer.rules.link_open ??
        ((tokens, index, options, _env, self) => self.renderToken(tokens, index, options))
      md.renderer.rules.link_open = (tokens, index, options, env, self) => {
        const token = tokens[index]
        const target = toRepository(env.relativePath, token?.attrGet('href') ?? '')
        if (target !== undefined) token?.attrSet('href', target)
        return renderLink(tokens, index, options, env, self)
      }
    },
  },
  themeConfig: {
    nav: [
      { text: 'Tutorial', link: '/tutorial/blog', activeMatch: '/tutorial/' },
      { text: 'Guides', link: '/guides/modelling-content', activeMatch: '/guides/' },
      { text: 'Concepts', link: '/concepts/access', activeMatch: '/concepts/' },
      { text: 'Reference', link: '/reference/config', activeMatch: '/reference/' },
      { text: 'Coming from', link: '/coming-from/comparison', activeMatch: '/coming-from/' },
      { text: VERSION, items: [{ text: 'Changes', link: `${REPOSITORY}/blob/main/CHANGELOG.md` }] },
    ],
    sidebar,
    outline: [2, 3],
    search: { provider: 'local' },
    editLink: { pattern: `${REPOSITORY}/edit/main/docs/:path`, text: 'Edit this page' },
    socialLinks: [],
    footer: { message: 'Daybook is free software under the MIT licence.' },
  },
})
