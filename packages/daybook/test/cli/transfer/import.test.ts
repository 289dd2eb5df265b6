import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { createService } from 'daybook'
import { describe, expect, it } from 'vitest'
import { daybook, folderOf } from '../cli.ts'

const CONFIG = `import { defineConfig, f } from 'DAYBOOK'
export default defineConfig({
  collections: {
    posts: { fields: {
      title: f.text({ required: true }), slug: f.slug({ from: 'title' }), body: f.markdown(), status: f.status(),
      author: f.relation('authors'), tags: f.relation('tags', { many: true }), day: f.date(), stars: f.integer(), pinned: f.boolean(),
    } },
    authors: { fields: { name: f.text({ required: true }), slug: f.slug({ from: 'name' }) } },
    tags: { fields: { name: f.text({ required: true }), slug: f.slug({ from: 'name' }) } },
  },
})
`

const page = (front: string, body = 'Text.'): string => `---\n${front}\n---\n\n${body}\n`

interface Listed {
  readonly total: number
  readonly items: readonly Readonly<Record<string, unknown>>[]
}

async function list(cwd: string, path: string): Promise<Listed> {
  const { default: config } = await import(join(cwd, 'daybook.config.ts'))
  const service = await createService(config, { data: join(cwd, '.daybook') })
  try {
    const response = await service.fetch(new Request(`http://cms.example${path}`))
    return (await response.json()) as Listed
  } finally {
    await service.close()
  }
}

const IMPORT = ['import', 'posts', '--collection', 'posts'] as const

describe('daybook import', () => {
  it('creates an entry from each file: fields from the front matter, slug from the name, createdAt from the date', async () => {
    await using folder = await folderOf({
      'daybook.config.ts': CONFIG,
      'posts/2024/first-light.md': page(
        "title: First light\ndate: '2024-03-01T09:00:00.000Z'\nauthor: Inés Prado\ntags: [News, Basics]\nday: 2024-03-02\nstars: 5\npinned: true\nlayout: post",
        '# Hello\n\nSome **words**.',
      ),
      'posts/second.mdx': page('title: Second\nauthor: Inés Prado\ntags: News, Odds'),
      'posts/notes.txt': 'not a post',
    })
    const ended = await daybook(folder.path, ...IMPORT)
    expect(ended.stderr).not.toContain('Error')
    expect(ended).toMatchObject({ status: 0 })
    expect(ended.stdout).toContain('posts: 2 created, 0 updated, 0 unchanged, 0 failed')
    expect(ended.stdout).toContain('authors: 1 created')
    expect(ended.stdout).toContain('tags: 3 created')
    expect(ended.stdout).toContain('layout (1 file)')
    const { items } = await list(folder.path, '/api/posts?include=author,tags&sort=createdAt')
    expect(items[0]).toMatchObject({
      title: 'First light',
      slug: 'first-light',
      body: expect.stringContaining('Some **words**.'),
      bodyHtml: expect.stringContaining('<strong>words</strong>'),
      author: { name: 'Inés Prado', slug: 'ines-prado' },
      tags: [{ name: 'News' }, { name: 'Basics' }],
      day: '2024-03-02',
      stars: 5,
      pinned: true,
      createdAt: '2024-03-01T09:00:00.000Z',
    })
    expect(items[1]).toMatchObject({ slug: 'second', tags: [{ name: 'News' }, { name: 'Odds' }] })
  })

  it('keeps raw HTML like a write over HTTP', async () => {
    const body =
      '<details>\n<summary>More</summary>\n\n*a*<script>alert(1)</script>\n\n</details>\n\n<figure>b</figure>'
    await using folder = await folderOf({
      'daybook.config.ts': CONFIG.replace(
        'collections:',
        "markdown: { allowHtml: { elements: ['figure'] } }, collections:",
      ),
      'posts/a.md': page('title: A', body),
      'posts/long.md': page('title: Long', `${body}\n\n${'word '.repeat(2000)}`),
    })
    await daybook(folder.path, ...IMPORT)
    const { items } = await list(folder.path, '/api/posts?sort=slug&select=bodyHtml')
    const html = '<details>\n<summary>More</summary>\n<p><em>a</em></p>\n</details>\n<figure>b</figure>'
    expect(items.map(({ bodyHtml }) => bodyHtml)).toEqual([html, expect.stringContaining(`${html}\n<p>word`)])
  })

  it('follows links within the folder only', async () => {
    await using folder = await folderOf({
      'daybook.config.ts': CONFIG,
      'secrets/key.txt': page('title: Secret file', 'CANARY'),
      'secrets/inner/page.md': page('title: Secret page', 'CANARY'),
      'posts/real.md': page('title: Real'),
      'posts/.hidden/page.md': page('title: Hidden', 'CANARY'),
      'posts/drawer/page.md': page('title: Drawer'),
    })
    const links = {
      'inside.md': 'real.md',
      'outside.md': '../secrets/key.txt',
      'absolute.md': join(folder.path, 'secrets/inner/page.md'),
      'twice.md': 'outside.md',
      'hidden.md': '.hidden/page.md',
      'dangling.md': '../secrets/missing.md',
      'folder-outside': '../secrets',
      'folder-inside': 'drawer',
    }
    for (const [name, target] of Object.entries(links)) await symlink(target, join(folder.path, 'posts', name))
    const ended = await daybook(folder.path, ...IMPORT)
    expect(ended.status).toBe(1)
    expect(ended.stdout).toContain('posts: 3 created, 0 updated, 0 unchanged, 4 failed')
    for (const name of ['outside.md', 'absolute.md', 'twice.md']) {
      expect(ended.stderr).toContain(
        `posts/${name}: The file is outside of the imported folder. Copy it into the folder.\n`,
      )
    }
    expect(ended.stderr).toContain('posts/hidden.md: The file is hidden. Rename it or its folder.\n')
    for (const name of ['folder-outside', 'folder-inside']) {
      expect(ended.stderr).toContain(`posts/${name} is a link to a folder, whose files are not imported.`)
    }
    const { items } = await list(folder.path, '/api/posts?sort=slug')
    expect(items.map(({ slug }) => slug)).toEqual(['inside', 'page', 'real'])
    expect(JSON.stringify(items)).not.toContain('CANARY')
  })

  it('updates existing entries when it runs again', async () => {
    await using folder = await folderOf({
      'daybook.config.ts': CONFIG,
      'posts/a.md': page('title: A'),
      'posts/b.md': page('title: B'),
    })
    await daybook(folder.path, ...IMPORT)
    await folder.write({ 'posts/b.md': page('title: B, again') })
    const ended = await daybook(folder.path, ...IMPORT)
    expect(ended.stdout).toContain('posts: 0 created, 1 updated, 1 unchanged, 0 failed')
    const { total, items } = await list(folder.path, '/api/posts?sort=slug&select=title')
    expect([total, items.map(({ title }) => title)]).toEqual([2, ['A', 'B, again']])
  })

  it('identifies entries by another field with --key, and maps keys with --map', async () => {
    await using folder = await folderOf({
      'daybook.config.ts': CONFIG,
      'posts/a.md': page('headline: Same title\nwhen: 2024-05-06'),
    })
    const args = [
      ...IMPORT,
      '--map',
      'headline=title',
      '--map',
      'when=day',
      '--map',
      'when=createdAt',
      '--key',
      'title',
    ]
    await daybook(folder.path, ...args)
    await folder.write({ 'posts/renamed.md': page('headline: Same title', 'Other text.') })
    const again = await daybook(folder.path, 'import', 'posts', ...args.slice(2))
    expect(again.status).toBe(1)
    expect(again.stderr).toContain('is already used by ')
    const { total, items } = await list(folder.path, '/api/posts')
    expect(total).toBe(1)
    expect(items[0]).toMatchObject({
      title: 'Same title',
      day: '2024-05-06',
      createdAt: '2024-05-06T00:00:00.000Z',
      slug: 'a',
    })
  })

  it('reports each failed file with a reason, imports the others, and ends with status 1', async () => {
    await using folder = await folderOf({
      'daybook.config.ts': CONFIG,
      'posts/broken.md': '---\ntitle: [\n---\n',
      'posts/good.md': page('title: Good'),
      'posts/same/good.md': page('title: Other'),
      'posts/stars.md': page('title: Stars\nstars: many'),
      'posts/untitled.md': page('stars: 1', 'No heading here.'),
      'posts/heading.md': '# From the heading\n\nText.',
    })
    const ended = await daybook(folder.path, ...IMPORT)
    expect(ended.status).toBe(1)
    expect(ended.stdout).toContain('posts: 2 created, 0 updated, 0 unchanged, 4 failed')
    for (const said of ['broken.md', 'same/good.md', 'stars.md, line 3: stars ', 'untitled.md: title ']) {
      expect(ended.stderr).toContain(said)
    }
    const { items } = await list(folder.path, '/api/posts?sort=title&select=title')
    expect(items.map(({ title }) => title)).toEqual(['From the heading', 'Good'])
  })

  it('stores nothing with --dry-run, and reports the outcome', async () => {
    await using folder = await folderOf({
      'daybook.config.ts': CONFIG,
      'posts/a.md': page('title: A\nauthor: Someone'),
      'posts/b.md': page('stars: none'),
    })
    const ended = await daybook(folder.path, ...IMPORT, '--dry-run')
    expect(ended.status).toBe(1)
    expect(ended.stdout).toContain('nothing was stored')
    expect(ended.stdout).toContain('posts: 1 created, 0 updated, 0 unchanged, 1 failed')
    expect(await list(folder.path, '/api/posts')).toMatchObject({ total: 0 })
    expect(await list(folder.path, '/api/authors')).toMatchObject({ total: 0 })
  })

  it('creates one entry from files with the same path in folders of locales', async () => {
    await using folder = await folderOf({
      'daybook.config.ts': `import { defineConfig, f } from 'DAYBOOK'
export default defineConfig({
  collections: { pages: { fields: {
    title: f.text({ required: true, localized: true }), slug: f.slug({ from: 'title', localized: true }), body: f.markdown({ localized: true }),
  } } },
  locales: { default: 'en', available: ['en', 'de', 'pt-br'], fallback: { de: ['en'], 'pt-br': ['en'] } },
})
`,
      'site/de/about/index.md': page('title: Über uns', 'Wir.'),
      'site/en/about/index.md': page('title: About', 'We.'),
      'site/en/team.mdx': page('title: Team'),
      'site/en/about/team.md': page('title: The team'),
      'site/pt-br/contact.md': page('title: Contato'),
    })
    const command = ['import', 'site', '--collection', 'pages', '--locale-folders'] as const
    const ended = await daybook(folder.path, ...command)
    expect(ended).toMatchObject({ status: 0 })
    expect(ended.stdout).toContain('pages: 4 created, 0 updated, 0 unchanged, 0 failed')
    expect(ended.stdout).toContain('pages: 1 translation stored')
    const german = await list(folder.path, '/api/pages?locale=de&sort=slug&select=slug,title,body')
    expect(german.items).toMatchObject([
      // The entry exists in Portuguese, and German falls back only to English.
      { slug: null, title: null },
      { slug: 'about', title: 'Über uns', body: expect.stringContaining('Wir.') },
      { slug: 'about-team', title: 'The team' },
      { slug: 'team', title: 'Team' },
    ])
    expect((await list(folder.path, '/api/pages?locale=pt-br&where[slug][eq]=contact')).total).toBe(1)
    await folder.write({ 'site/de/team.md': page('title: Mannschaft') })
    const again = await daybook(folder.path, ...command)
    expect(again.stdout).toContain('pages: 0 created, 0 updated, 5 unchanged, 0 failed')
    expect(again.stdout).toContain('pages: 1 translation stored')
    const dry = await daybook(folder.path, ...command, '--dry-run')
    expect(dry.stdout).toContain('6 unchanged')
    await folder.write({ 'site/en/team.md': page('title: Another team') })
    const double = await daybook(folder.path, ...command)
    expect(double).toMatchObject({ status: 2 })
    expect(double.stderr).toContain('site/en/team.mdx is the same entry as site/en/team.md')
  })

  it('rejects unknown locales, and a config without locales', async () => {
    await using folder = await folderOf({ 'daybook.config.ts': CONFIG, 'posts/en/a.md': page('title: A') })
    const ended = await daybook(folder.path, ...IMPORT, '--locale-folders')
    expect(ended).toMatchObject({ status: 2 })
    expect(ended.stderr).toContain('locales')
    await folder.write({
      'daybook.config.ts': CONFIG.replace(
        'collections:',
        "locales: { default: 'en', available: ['en'] },\n  collections:",
      ),
      'posts/xx/b.md': page('title: B'),
    })
    const other = await daybook(folder.path, ...IMPORT, '--locale-folders')
    expect(other).toMatchObject({ status: 2 })
    expect(other.stderr).toContain('posts/xx/b.md is not in the folder of a locale. Use folders named: en.')
  })

  it('does not publish drafts', async () => {
    await using folder = await folderOf({ 'daybook.config.ts': CONFIG, 'posts/a.md': page('title: A\ndraft: true') })
    await daybook(folder.path, ...IMPORT)
    expect(await list(folder.path, '/api/posts')).toMatchObject({ total: 0 })
  })

  const WRONG: Readonly<Record<string, readonly [args: readonly string[], said: string]>> = {
    'no folder': [['import', '--collection', 'posts'], 'Write: daybook import PATH'],
    'a folder that is not there': [['import', 'nowhere', '--collection', 'posts'], '"nowhere" does not exist.'],
    'no collection': [['import', 'posts'], '--collection is required. Use one of: posts, authors, tags'],
    'an unknown collection': [['import', 'posts', '--collection', 'pages'], 'The collection "pages" does not exist.'],
    'a map to no field': [[...IMPORT, '--map', 'a=headline'], '"headline"'],
    'a map without a field': [[...IMPORT, '--map', 'a'], '--map title=headline'],
    'a key that tells nothing apart': [[...IMPORT, '--key', 'pinned'], '--key'],
    'an unknown option': [[...IMPORT, '--colection', 'x'], '--colection'],
  }

  for (const [name, [args, said]] of Object.entries(WRONG)) {
    it(`rejects ${name} with advice`, async () => {
      await using folder = await folderOf({ 'daybook.config.ts': CONFIG, 'posts/a.md': page('title: A') })
      const ended = await daybook(folder.path, ...args)
      expect(ended).toMatchObject({ status: 2, stdout: '' })
      expect(ended.stderr).toContain(said)
      expect(ended.stderr).not.toContain('    at ')
    })
  }
})
