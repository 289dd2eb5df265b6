import { describe, expect, test } from 'vitest'
import { findImages, rewriteImages } from '../../src/content/markdown/markdown-images.ts'

/** Prefixes the address of every image of a text with `/new`. */
function moved(source: string): string {
  const places = findImages(source)
  return rewriteImages(source, new Map(places.map((place) => [place, `/new/${place.address}`])))
}

const shown = (source: string): readonly unknown[] =>
  findImages(source).map(({ address, alt, line }) => [address, alt, line])

describe('images of a Markdown text', () => {
  test.each([
    ['inline', '![A *cat*](./img/cat.png)', '![A *cat*](/new/./img/cat.png)'],
    ['with a title', `a ![A cat]( cat.png 'A "title"' ) b`, `a ![A cat]( /new/cat.png 'A "title"' ) b`],
    ['in angle brackets', '![](<my cat.png>)', '![](/new/my cat.png)'],
    ['with escapes', '![](a\\_b\\).png)', '![](/new/a_b).png)'],
    ['two in a line', '![a](x.png)![b](x.png)', '![a](/new/x.png)![b](/new/x.png)'],
    ['in a link', '[![a](x.png)](x.png)', '[![a](/new/x.png)](x.png)'],
    ['in a heading', '## Hello ![a](x.png) ##', '## Hello ![a](/new/x.png) ##'],
    [
      'in a list and a quote',
      '> - a\n>   - ![a](x.png)\n>     and ![b](y.png)',
      '> - a\n>   - ![a](/new/x.png)\n>     and ![b](/new/y.png)',
    ],
    ['behind a tab', '-\ta\n\n\t![a](x.png)', '-\ta\n\n\t![a](/new/x.png)'],
    ['over lines', '![a\nb](\n  x.png\n  "t")', '![a\nb](\n  /new/x.png\n  "t")'],
    [
      'in lines that end as on Windows',
      'a\r\n![a](x.png)\r\n\r\n![b](y.png)\r\n',
      'a\r\n![a](/new/x.png)\r\n\r\n![b](/new/y.png)\r\n',
    ],
    [
      'by reference',
      '![a cat][Cat]\n\n[cat]: x.png "The \\"cat\\""',
      '![a cat](/new/x.png "The \\"cat\\"")\n\n[cat]: x.png "The \\"cat\\""',
    ],
    ['by a collapsed reference', '![cat][] and\n\n[cat]: x.png', '![cat](/new/x.png) and\n\n[cat]: x.png'],
    ['by a short reference', '![cat]\n\n[cat]: x.png', '![cat](/new/x.png)\n\n[cat]: x.png'],
    [
      'in the cells of a table',
      '| a | x |\n|---|---|\n| ![x](x.png) | ![x](x.png) |\n| b \\| ![y](y.png) | z |',
      '| a | x |\n|---|---|\n| ![x](/new/x.png) | ![x](/new/x.png) |\n| b \\| ![y](/new/y.png) | z |',
    ],
    ['in a footnote', 'a[^1]\n\n[^1]: Here ![a](x.png)', 'a[^1]\n\n[^1]: Here ![a](/new/x.png)'],
    ['in HTML within a line', 'a <img alt="x" src="x.png"> b', 'a <img alt="x" src="/new/x.png"> b'],
    [
      'in a block of HTML',
      "<figure>\n  <IMG class=a\n    src=x.png>\n<img src='y.png'></figure>",
      "<figure>\n  <IMG class=a\n    src=/new/x.png>\n<img src='/new/y.png'></figure>",
    ],
    [
      'beside code',
      '`![a](x.png)` ![a](x.png) `<img src="x.png">`',
      '`![a](x.png)` ![a](/new/x.png) `<img src="x.png">`',
    ],
  ])('%s', (_, source, expected) => {
    expect(moved(source)).toBe(expected)
  })

  test.each([
    ['a span of code', 'a `![a](x.png)`'],
    ['a fence', '```md\n![a](x.png)\n```'],
    ['an indented block', 'a\n\n    ![a](x.png)'],
    ['a comment', '<!-- ![a](x.png) <img src="x.png"> -->'],
    ['a script', '<script>\nconst a = \'<img src="x.png">\'\n</script>'],
    ['an attribute', '<a title="<img src=x.png>">b</a>'],
    ['an escaped mark', '\\![a](x.png)'],
    ['a link', '[a](x.png)'],
    ['an unknown reference', '![a][b]'],
    ['what is no tag', '<img src="x.png'],
  ])('none is in %s', (_, source) => {
    expect(findImages(source)).toEqual([])
  })

  test('have their alternative text and their line', () => {
    expect(shown('one\n\n![A *black* `cat`](a.png)\n<img src="b.png?a=1&amp;b=2" alt="B">')).toEqual([
      ['a.png', 'A black cat', 3],
      ['b.png?a=1&b=2', 'B', 4],
    ])
  })

  test('inside the label of another image count as text', () => {
    expect(shown('![a ![b](b.png)](a.png)')).toEqual([['a.png', 'a b', 1]])
    expect(findImages('![a <img src="c.png">](a.png)')).toHaveLength(1)
  })
})
