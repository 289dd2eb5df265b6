import { join } from 'node:path'
import { createService } from 'daybook'
import { describe, expect, it } from 'vitest'
import { daybook, folderOf } from '../cli.ts'

const CONFIG = `import { defineConfig, f } from 'DAYBOOK'
export default defineConfig({
  collections: {
    posts: { fields: {
      title: f.text({ required: true }), slug: f.slug({ from: 'title' }), body: f.markdown(), status: f.status(),
      code: f.text({ unique: true }), author: f.relation('people'), authors: f.relation('people', { many: true }),
      tags: f.relation('tags', { many: true }), words: f.list(f.text()), ratings: f.list(f.integer()),
      moods: f.select({ options: ['calm', 'glad'], many: true }), section: f.relation('sections'),
      stars: f.integer(), pinned: f.boolean(), seo: f.group({ title: f.text(), index: f.boolean() }),
    } },
    people: { fields: { name: f.text({ required: true }), slug: f.slug({ from: 'name' }) } },
    tags: { fields: { name: f.text({ required: true }), slug: f.slug({ from: 'name' }) } },
    sections: { fields: { name: f.text({ required: true }), slug: f.slug({ from: 'name' }), rank: f.integer({ required: true }) } },
  },
})
`

const page = (front: string, body = 'Text.'): string => `---\n${front}\n---\n\n${body}\n`

type Item = Readonly<Record<string, unknown>>

async function itemsOf(cwd: string, query: string, collection = 'posts'): Promise<readonly Item[]> {
  const { default: config } = await import(join(cwd, 'daybook.config.ts'))
  const token = 'a-service-token-of-32-characters-'
  const service = await createService(config, { data: join(cwd, '.daybook'), serviceToken: token })
  try {
    const headers = { authorization: `Bearer ${token}` }
    const response = await service.fetch(new Request(`http://cms.example/api/${collection}?${query}`, { headers }))
    return ((await response.json()) as { readonly items: readonly Item[] }).items
  } finally {
    await service.close()
  }
}

const IMPORT = ['import', 'posts', '--collection', 'posts'] as const

const folderWith = (files: Readonly<Record<string, string>>) => folderOf({ 'daybook.config.ts': CONFIG, ...files })

describe('daybook import --set', () => {
  it('sets a value in every entry, in place of that of the file, except the status of a file with draft: true', async () => {
    await using folder = await folderWith({
      'posts/a.md': page('title: A\nstars: 1\ntags: [Old]'),
      'posts/b.md': page('title: B\nstatus: archived'),
      'posts/c.md': page('title: C\ndraft: true'),
    })
    const settings = ['status=published', 'stars=5', 'pinned=yes', 'tags=News, Odds', 'seo={title: S, index: false}']
    const options = [...settings, 'section='].flatMap((setting) => ['--set', setting])
    const dry = await daybook(folder.path, ...IMPORT, ...options, '--dry-run')
    expect(dry.stdout).toContain('status: 2 published, 1 draft\n')
    const ended = await daybook(folder.path, ...IMPORT, ...options)
    expect(ended).toMatchObject({ status: 0 })
    expect(ended.stdout).toContain('tags: 2 created, which posts refer to: "News", "Odds"\n')
    const items = await itemsOf(folder.path, 'sort=slug&include=tags')
    expect(items.map(({ status }) => status)).toEqual(['published', 'published', 'draft'])
    for (const item of items) {
      expect(item).toMatchObject({ stars: 5, pinned: true, section: null, seo: { title: 'S', index: false } })
      expect(item.tags).toMatchObject([{ name: 'News' }, { name: 'Odds' }])
    }
  })

  it('accepts an id or a name for a relation', async () => {
    await using folder = await folderWith({ 'posts/a.md': page('title: A\nauthor: Inés') })
    await daybook(folder.path, ...IMPORT)
    const [inés] = await itemsOf(folder.path, '', 'people')
    await folder.write({ 'posts/b.md': page('title: B') })
    await daybook(folder.path, ...IMPORT, '--set', `author=${inés?.id}`, '--set', 'authors=Inés, Otto')
    const items = await itemsOf(folder.path, 'sort=slug&include=author,authors')
    const both = { author: { name: 'Inés' }, authors: [{ name: 'Inés' }, { name: 'Otto' }] }
    expect(items).toMatchObject([both, both])
  })

  const WRONG: Readonly<Record<string, readonly [set: readonly string[], said: string]>> = {
    'no value': [['status'], '--set must be FIELD=VALUE, such as --set status=published, not "status".'],
    'no such field': [['stat=published'], '--set names the unknown field "stat" of posts.'],
    'an unknown status': [['status=live'], '--set status=live is invalid. status must be one of'],
    'a number that is none': [['stars=many'], '--set stars=many is invalid. stars must be an integer'],
    'an item that is none': [['ratings=1, two'], '--set ratings=1, two is invalid. ratings.1 must be an integer'],
    'a list that is none': [['tags=[a'], '--set tags=[a is invalid. Invalid YAML: '],
    'two entries for one': [
      ['author=[A, B]'],
      "Name one, or define the field as f.relation('people', { many: true }).",
    ],
    'a name from which no entry can be created': [
      ['section=News'],
      '--set section=News is invalid. section refers to "News", which does not exist in sections',
    ],
    'an id that is not there': [
      ['author=0190d0c0-0000-7000-8000-000000000000'],
      'The entry 0190d0c0-0000-7000-8000-000000000000 of people does not exist.',
    ],
    'a field twice': [['stars=1', 'stars=2'], '--set names "stars" twice. Leave one of them out.'],
    'a slug': [['slug=a'], '--set is not allowed for "slug", because its value differs from file to file.'],
    'a unique field': [['code=a'], '"code", because its value differs from file to file.'],
    'the text': [['body=a'], '"body", because its value differs from file to file.'],
  }

  it('rejects a value that the field does not accept, before it reads a file', async () => {
    await using folder = await folderWith({ 'posts/a.md': '---\ntitle: [\n---\n' })
    for (const [set, said] of Object.values(WRONG)) {
      const ended = await daybook(folder.path, ...IMPORT, ...set.flatMap((setting) => ['--set', setting]))
      expect(ended).toMatchObject({ status: 2, stdout: '' })
      expect(ended.stderr).toContain(said)
      expect(ended.stderr).not.toContain('a.md')
    }
  })
})

describe('lists in a front matter', () => {
  it('may be YAML lists or texts with commas', async () => {
    await using folder = await folderWith({
      'posts/a.md': page('title: A\ntags: News, Odds & Ends\nwords: one, two\nratings: 1, 2\nmoods: calm, glad'),
      'posts/b.md': page('title: B\ntags: [News, "Odds, Ends"]\nwords:\n  - one, two\nratings: 3\nmoods: [glad]'),
    })
    expect(await daybook(folder.path, ...IMPORT)).toMatchObject({ status: 0 })
    const items = await itemsOf(folder.path, 'sort=slug&include=tags')
    expect(items).toMatchObject([
      {
        tags: [{ name: 'News' }, { name: 'Odds & Ends' }],
        words: ['one', 'two'],
        ratings: [1, 2],
        moods: ['calm', 'glad'],
      },
      { tags: [{ name: 'News' }, { name: 'Odds, Ends' }], words: ['one, two'], ratings: [3], moods: ['glad'] },
    ])
  })

  it('may separate authors with commas, "and" and "&"; an item of a YAML list is a single author', async () => {
    const WAYS = {
      'authors: Ada and Bo': ['Ada', 'Bo'],
      'authors: Ada & Bo': ['Ada', 'Bo'],
      'authors: Ada, Bo and Cy': ['Ada', 'Bo', 'Cy'],
      'authors: Ada, Bo, and Cy': ['Ada', 'Bo', 'Cy'],
      'writer: Ada and Bo': ['Ada', 'Bo'],
      'authors: Alexandra Anderson': ['Alexandra Anderson'],
      'authors: [Bo & Sons, Ada]': ['Bo & Sons', 'Ada'],
    }
    const files = Object.keys(WAYS).map((front, n) => [`posts/${n}.md`, page(`title: T\n${front}`)])
    await using folder = await folderWith(Object.fromEntries(files))
    expect(await daybook(folder.path, ...IMPORT, '--map', 'writer=authors')).toMatchObject({ status: 0 })
    const items = await itemsOf(folder.path, 'sort=slug&include=authors')
    const names = items.map(({ authors }) => (authors as readonly Item[]).map(({ name }) => name))
    expect(names).toEqual(Object.values(WAYS))
  })

  it('with one item fit a field for one entry; several are rejected, and a text that seems to name several is reported', async () => {
    await using folder = await folderWith({
      'posts/a.md': page('title: A\nauthor: [Ada]'),
      'posts/b.md': page('title: B\nauthor:\n  - Ada\n  - Bo'),
      'posts/c.md': page('title: C\nauthor: Ada and Bo'),
    })
    const ended = await daybook(folder.path, ...IMPORT)
    expect(ended.status).toBe(1)
    expect(ended.stderr).toContain(
      "posts/b.md, line 3: author must be a single entry, not 2. Name one, or define the field as f.relation('people', { many: true }).\n",
    )
    expect(ended.stdout).toContain('author: 1 file with several names in one value, which became one entry of people\n')
    const items = await itemsOf(folder.path, 'sort=slug&include=author')
    expect(items.map(({ author }) => (author as Item).name)).toEqual(['Ada', 'Ada and Bo'])
  })
})

describe('a fault of a file', () => {
  it('is reported on a separate line, with its line in the file', async () => {
    await using folder = await folderWith({
      'posts/broken.md': '---\ntitle: A\nstars: [\n---\n',
      'posts/date.md': page('title: A\nstars: 1\ndate: sometime'),
      'posts/deep.md': page('title: A\nseo:\n  title: S\n  index: perhaps'),
      'posts/list.md': page('title: A\nratings:\n  - 1\n  - two\nstars: many'),
      'posts/section.md': page('title: A\nkind: News'),
      'posts/same.md': page('title: A\ncode: x'),
      'posts/taken.md': page('title: A\ncode: x'),
      'posts/untitled.md': page('stars: 1'),
    })
    const ended = await daybook(folder.path, ...IMPORT, '--map', 'kind=section')
    const lines = ended.stderr.split('\n').filter((line) => line.startsWith('posts/'))
    expect(lines.sort()).toEqual([
      expect.stringMatching(/^posts\/broken\.md, line \d: Invalid YAML: /),
      'posts/date.md, line 4: date must be a date or a time, such as 2026-11-20 or 2026-11-20T08:30:00Z.',
      expect.stringMatching(/^posts\/deep\.md, line 5: seo\.index /),
      expect.stringMatching(/^posts\/list\.md, line 5: ratings\.1 /),
      expect.stringMatching(/^posts\/list\.md, line 6: stars /),
      expect.stringMatching(/^posts\/section\.md, line 3: section refers to "News", which does not exist in sections/),
      'posts/taken.md, line 3: This code is already used by another entry.',
      'posts/untitled.md: title is required.',
    ])
  })
})

it('the summary suggests a field for a similar key', async () => {
  await using folder = await folderWith({ 'posts/a.md': page('title: A\ntag: News\nlayout: post') })
  const ended = await daybook(folder.path, ...IMPORT, '--dry-run')
  expect(ended.stdout).toContain('to import one: --map tag=tags\n')
})
