import type { TestService } from 'daybook/testing'
import { storeFile } from '../../packages/studio/test/assets/support.ts'
import { makeAccount, TOMASZ } from '../../packages/studio/test/support/people.ts'
import { drawPictures } from './drawn-files.ts'

const BODY = `Ink is made of **oak galls**, vitriol and gum. A wasp lays its egg in the bud of an oak, and the tree grows a hard ball around it.

## How it is cooked

1. Grind the galls, and let them stand in water.
2. Add vitriol: the water turns black.
3. Add gum, so that the ink stays on the pen.
`

const PARTS = [
  { _type: 'quote', words: 'The best ink is made in autumn.', by: 'Inés Prado' },
  { _type: 'visit', place: 'The room of the presses', day: '2031-03-14' },
]

/** The other stories, the oldest first: title, kind, minutes, status. */
const MORE_STORIES = [
  ['How a press is moved', 'report', 7, 'published'],
  ['A letter of 1703', 'essay', 12, 'published'],
  ['Blue, and how it got here', 'essay', 9, 'published'],
  ['The smell of a library', 'note', 3, 'draft'],
  ['Who cut the letters', 'report', 8, 'published'],
  ['Watermarks', 'note', 2, 'published'],
  ['The night shift', 'essay', 10, 'draft'],
  ['What a bookbinder hears', 'report', 6, 'published'],
  ['Marbled paper', 'note', 4, 'archived'],
  ['A map with a mistake', 'essay', 11, 'published'],
  ['Feathers, reeds and steel', 'report', 5, 'published'],
  ['The colour of old paper', 'note', 3, 'published'],
] as const

export interface MuseumIds {
  /** The story of most pictures, in two languages. */
  readonly ink: string
  /** A draft without a translation. */
  readonly night: string
}

export async function fillMuseum(service: TestService): Promise<MuseumIds> {
  await makeAccount(service)
  await makeAccount(service, TOMASZ)
  const content = service.content
  const files: string[] = []
  for (const { name, ...file } of await drawPictures()) files.push(await storeFile(service, name, file))
  const ines = await content.create('authors', { name: 'Inés Prado', bio: 'Keeps the inks.' })
  const tomasz = await content.create('authors', { name: 'Tomasz Zając', bio: 'Repairs the presses.' })
  const authors = [ines.id, tomasz.id]
  const stored = new Map<string, string>()
  for (const [at, [title, kind, minutes, status]] of MORE_STORIES.entries()) {
    const { id } = await content.create('stories', { title, kind, minutes, status, author: authors[at % 2] })
    stored.set(title, String(id))
  }
  // A draft that cannot be published as it is.
  await content.saveDraft('stories', stored.get('The smell of a library') ?? '', { parts: [{ _type: 'quote' }] })
  const months = { opens: '2031-03-14', closes: '2031-08-31' }
  await content.create('exhibitions', { title: 'Ink: a history', status: 'published', ...months })
  const enemies = await content.create('exhibitions', { title: 'Paper and its enemies', ...months })
  await content.publish('exhibitions', String(enemies.id), { at: '2031-03-14T07:00:00Z' })
  await content.writeGlobal('site', { siteName: 'The museum' })
  const ink = await content.create('stories', {
    title: 'Ink and paper',
    status: 'published',
    kind: 'essay',
    minutes: 6,
    author: ines.id,
    cover: files[0],
    body: BODY,
    parts: PARTS,
  })
  await content.update('stories', String(ink.id), { title: 'Tinte und Papier' }, { locale: 'de' })
  return { ink: String(ink.id), night: stored.get('The night shift') ?? '' }
}
