import type { SeedContent } from 'daybook'

export async function seed(content: SeedContent): Promise<void> {
  await content.writeGlobal('site', { siteName: 'The Daybook blog', siteUrl: 'https://blog.example.org' })

  const ines = await content.create('authors', {
    name: 'Inés Prado',
    bio: 'Writes about ledgers, old and new.',
    website: 'https://ines.example.org',
  })
  const tomasz = await content.create('authors', { name: 'Tomasz Lis', bio: 'Keeps the servers *boring*.' })

  const basics = await content.create('tags', { name: 'Basics' })
  const operations = await content.create('tags', { name: 'Operations' })
  const history = await content.create('tags', { name: 'History' })

  await content.create('posts', {
    title: 'What a daybook is',
    body: [
      'Before there were spreadsheets there was the **daybook**: the book in which a merchant wrote down every',
      'sale and purchase as it happened, in order, in ink.',
      '',
      'Everything else (ledgers, balances, the yearly accounts) was made from it. If a ledger burned, the daybook',
      'could restore it. The other way round was not possible.',
    ].join('\n'),
    author: ines.id,
    tags: [basics.id, history.id],
    category: 'stories',
    publishedOn: '2026-09-01',
  })
  await content.create('posts', {
    title: 'Your first collection',
    body: [
      'A collection is a handful of fields with a key:',
      '',
      '```ts',
      "const recipes = defineCollection({ fields: { name: f.text({ required: true }), slug: f.slug({ from: 'name' }) } })",
      '```',
      '',
      'Start the service, and `/api/recipes` answers.',
    ].join('\n'),
    author: tomasz.id,
    tags: [basics.id],
    category: 'guides',
    publishedOn: '2026-09-14',
  })
  await content.create('posts', {
    title: 'Two editors, one entry',
    body: [
      'Two people open the same entry. Both save. Whose words survive?',
      '',
      'Send the `ETag` that you read as `If-Match`, and the second save is refused with 412 instead of',
      'quietly undoing the first.',
      '',
      '| step | Inés | Tomasz |',
      '| --- | --- | --- |',
      '| reads | `"a.1"` | `"a.1"` |',
      '| saves | 200, `"b.1"` | 412 |',
    ].join('\n'),
    author: ines.id,
    tags: [basics.id, operations.id],
    category: 'guides',
    publishedOn: '2026-10-02',
  })
  await content.create('posts', {
    title: 'Backups you have restored',
    body: [
      'A backup that was never restored is a hope. Once a month:',
      '',
      '- [x] copy the database file',
      '- [x] start a second service on the copy',
      '- [ ] compare the totals',
    ].join('\n'),
    author: tomasz.id,
    tags: [operations.id],
    category: 'guides',
    publishedOn: '2026-10-20',
  })
  await content.create('posts', {
    title: 'Notes for the next issue',
    body: 'Not ready to be read. Only people with a session see this one.',
    status: 'draft',
    author: ines.id,
    category: 'stories',
  })
}
