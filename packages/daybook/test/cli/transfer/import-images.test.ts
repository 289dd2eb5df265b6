import { readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createService } from 'daybook'
import { expect, test } from 'vitest'
import { daybook, type Ended, folderOf } from '../cli.ts'

const CONFIG = `import { defineConfig, f } from 'DAYBOOK'
export default defineConfig({
  collections: {
    posts: { fields: {
      title: f.text({ required: true }), slug: f.slug({ from: 'title' }), body: f.markdown({ localized: true }),
      cover: f.asset({ accept: ['image/*'] }), pictures: f.asset({ many: true }),
    } },
  },
  locales: { default: 'en', available: ['en', 'de'] },
  assets: { maxBytes: 20_000 },
})
`

const picture = (colour: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="2" height="1"><path fill="${colour}"/></svg>`

type Folder = Awaited<ReturnType<typeof folderOf>>
type Values = Readonly<Record<string, unknown>>

const IMPORT = ['import', 'site/posts', '--collection', 'posts'] as const
const run = ({ path }: Folder, ...more: readonly string[]): Promise<Ended> => daybook(path, ...IMPORT, ...more)

async function sendRequest({ path }: Folder, ...paths: readonly string[]): Promise<readonly (readonly Values[])[]> {
  const { default: config } = await import(join(path, 'daybook.config.ts'))
  const service = await createService(config, { data: join(path, '.daybook') })
  const items: (readonly Values[])[] = []
  for (const target of paths) {
    const response = await service.fetch(new Request(`http://localhost${target}`))
    items.push(((await response.json()) as { readonly items: readonly Values[] }).items)
  }
  await service.close()
  return items
}

const filesOf = (folder: Folder): Promise<readonly string[]> =>
  readdir(join(folder.path, '.daybook/uploads'), { recursive: true }).then((names) =>
    names.filter((name) => name.endsWith('.svg')),
  )

test('images of posts are uploaded once each and their references rewritten, also by a second import', async () => {
  await using folder = await folderOf({
    'daybook.config.ts': CONFIG,
    'site/posts/cats/one.md': `---\ntitle: One\ncover: ../img/red.svg\npictures: ../img/red.svg, ./own%20cat.svg\n---\n
![A *red* cat](../img/red.svg "Red") and ![again](../img/../img/red.svg?raw=true#x)

    ![code](../img/red.svg)

[![own][1]](https://example.org) <img src="../img/copy.svg" width="2"> ![far](https://example.org/a.png) ![root](/a.png)

[1]: own%20cat.svg
`,
    'site/posts/two.md': '---\ntitle: Two\n---\n![Same bytes](img/copy.svg)\n',
    'site/posts/img/red.svg': picture('red'),
    'site/posts/img/copy.svg': picture('red'),
    'site/posts/cats/own cat.svg': picture('own'),
  })
  const dry = await run(folder, '--dry-run')
  expect(dry).toMatchObject({ status: 0, stdout: expect.stringContaining('assets: 2 uploaded, 1 already there') })
  expect(await filesOf(folder).catch(() => [])).toEqual([])

  const ended = await run(folder)
  expect(ended).toMatchObject({ status: 0, stdout: expect.stringContaining('assets: 2 uploaded, 1 already there') })
  const [assets = [], posts = []] = await sendRequest(
    folder,
    '/api/assets?sort=originalName',
    '/api/posts?sort=title&include=cover',
  )
  expect(assets.map(({ originalName, mimeType, alt, width }) => [originalName, mimeType, alt, width])).toEqual([
    ['own cat.svg', 'image/svg+xml', 'own', null],
    ['red.svg', 'image/svg+xml', 'A red cat', null],
  ])
  const [ownUrl, red] = assets.map(({ url }) => url)
  expect(posts[0]?.body).toBe(`![A *red* cat](${red} "Red") and ![again](${red})

    ![code](../img/red.svg)

[![own](${ownUrl})](https://example.org) <img src="${red}" width="2"> ![far](https://example.org/a.png) ![root](/a.png)

[1]: own%20cat.svg
`)
  expect(posts[0]?.bodyHtml).toContain(`<img src="${red}" alt="A red cat" title="Red"`)
  expect(posts[0]?.cover).toMatchObject({ url: red })
  expect(posts[0]?.pictures).toEqual([assets[1]?.id, assets[0]?.id])
  expect(posts[1]?.body).toBe(`![Same bytes](${red})\n`)
  expect(await filesOf(folder)).toHaveLength(2)

  expect(await run(folder)).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/0 created, 0 updated, 2 unchanged, 0 failed\nassets: 0 uploaded, 3 already there/),
  })
  expect(await filesOf(folder)).toHaveLength(2)
})

test('the text of an image becomes the alt of its asset, in the locale of the post', async () => {
  await using folder = await folderOf({
    'daybook.config.ts': CONFIG,
    'site/posts/en/one.md': '---\ntitle: One\n---\n![A cat](cat.svg)\n',
    'site/posts/de/one.md': '---\ntitle: One\n---\n![Ein Hund](hund.svg)\n',
    'site/posts/en/cat.svg': picture('cat'),
    'site/posts/de/hund.svg': picture('hund'),
  })
  expect(await run(folder, '--locale-folders')).toMatchObject({ status: 0 })
  const [en = [], de = []] = await sendRequest(
    folder,
    '/api/assets?sort=originalName',
    '/api/assets?sort=originalName&locale=de&fallbackLocale=none',
  )
  expect([en.map(({ alt }) => alt), de.map(({ alt }) => alt)]).toEqual([
    ['A cat', null],
    [null, 'Ein Hund'],
  ])
})

test('images that cannot be imported are named with file and line and stay unchanged, and no file outside is read', async () => {
  const body = [
    '![a](missing.svg)',
    '![b](../secret.svg) ![c](../../../../../../../../etc/passwd)',
    '![d](link.svg) ![i](linked/secret.svg) ![e](.hidden.svg) ![f](two.md)',
    '![g](large.svg)',
    '![h](good.svg)',
  ].join('\n')
  await using folder = await folderOf({
    'daybook.config.ts': CONFIG,
    'site/secret.svg': picture('secret'),
    'site/posts/one.md': `---\ntitle: One\n---\n\n${body}`,
    'site/posts/two.md': '---\ntitle: Two\ncover: missing.svg\n---\n',
    'site/posts/three.md': '---\ntitle: Three\ncover: two.md\n---\n',
    'site/posts/four.md': '---\ntitle: Four\npictures: [https://example.org/a.png]\n---\n',
    'site/posts/.hidden.svg': picture('hidden'),
    'site/posts/good.svg': picture('good'),
    'site/posts/large.svg': picture('x'.repeat(20_000)),
  })
  await symlink('../secret.svg', join(folder.path, 'site/posts/link.svg'))
  await symlink('..', join(folder.path, 'site/posts/linked'))
  const ended = await run(folder)
  expect(ended.status).toBe(1)
  expect(ended.stdout).toContain('1 created, 0 updated, 0 unchanged, 3 failed')
  expect(ended.stdout).toContain('assets: 2 uploaded, 0 already there, 8 references left as written')
  for (const line of [
    'one.md, line 5: The image missing.svg was not imported, and its reference stays unchanged. The file does not exist.',
    'one.md, line 6: The image ../secret.svg was not imported, and its reference stays unchanged. The file is outside of the imported folder. Copy it into the folder.',
    'one.md, line 6: The image ../../../../../../../../etc/passwd was not imported, and its reference stays unchanged. The file is outside of the imported folder.',
    'one.md, line 7: The image link.svg was not imported, and its reference stays unchanged. The file is outside of the imported folder.',
    'one.md, line 7: The image linked/secret.svg was not imported, and its reference stays unchanged. The file is outside of the imported folder.',
    'one.md, line 7: The image .hidden.svg was not imported, and its reference stays unchanged. The file is hidden.',
    'one.md, line 7: The image two.md was not imported, and its reference stays unchanged. The file has the type text/markdown, which is not an image.',
    'one.md, line 8: The image large.svg was not imported, and its reference stays unchanged. The file must be at most 20000 bytes long.',
    'two.md, line 3: cover refers to "missing.svg", which cannot be imported. The file does not exist.',
    'three.md, line 3: cover ',
    'four.md, line 3: pictures refers to "https://example.org/a.png", which cannot be imported. It is not the path of a file in the folder.',
  ]) {
    expect(ended.stderr).toContain(`site/posts/${line}`)
  }
  const [posts = []] = await sendRequest(folder, '/api/posts')
  expect(posts[0]?.body).toMatch(/^!\[a\]\(missing\.svg\)[\s\S]*!\[h\]\(\/uploads\/good-[\w-]+\.svg\)$/)
  expect(await readdir(join(folder.path, '.daybook/uploads/.incoming'))).toEqual([])

  await writeFile(join(folder.path, 'site/posts/missing.svg'), picture('found'))
  expect((await run(folder)).stdout).toContain('1 updated')
  expect(await readFile(join(folder.path, 'site/posts/one.md'), 'utf8')).toContain(body)
})
