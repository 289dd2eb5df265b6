// The in-process API, typed by the config it serves. tsc is the test; nothing here runs.
import {
  createService,
  type DraftEntry,
  type Entry,
  type GlobalEntry,
  type ListResult,
  type ServiceContent,
} from 'daybook'
import { createTestService } from 'daybook/testing'
import { type Equal, holds } from './expect.ts'
import { type Showcase, showcase } from './showcase.ts'

type Person = Entry<Showcase, 'people'>

export async function reads(content: ServiceContent<Showcase>): Promise<void> {
  const page = await content.list('people', { limit: 5, sort: ['-name', 'id'], select: ['name'] })
  const person = await content.get('people', 'ines')
  const site = await content.readGlobal('site')
  holds<Equal<typeof page, ListResult<Person>>>()
  holds<Equal<typeof person, Person | null>>()
  holds<Equal<typeof site, GlobalEntry<Showcase, 'site'>>>()

  // @ts-expect-error there is no such collection
  await content.list('peeple')
  // @ts-expect-error a global is read otherwise
  await content.get('site', 'x')
  // @ts-expect-error there is no such question
  await content.list('people', { limitt: 5 })
  // @ts-expect-error a number of entries
  await content.list('people', { limit: '5' })
  // @ts-expect-error nobody is missing until looked at
  person.name
}

export async function writes(content: ServiceContent<Showcase>): Promise<void> {
  const created = await content.create('people', { name: 'Inés' })
  const updated = await content.update('people', created.id, { name: 'Inés Prado' }, { ifMatch: '"1"' })
  const site = await content.writeGlobal('site', { siteName: 'Blog' })
  const nothing = await content.delete('people', created.id)
  holds<Equal<typeof created, Person>>()
  holds<Equal<typeof updated, Person>>()
  holds<Equal<typeof site, GlobalEntry<Showcase, 'site'>>>()
  holds<Equal<typeof nothing, void>>()

  // @ts-expect-error name is missing
  await content.create('people', {})
  // @ts-expect-error there is no such field
  await content.create('people', { name: 'Inés', nmae: 'Inés' })
  // @ts-expect-error a field of another collection
  await content.update('people', created.id, { title: 'A' })
  // @ts-expect-error a text
  await content.writeGlobal('site', { siteName: 5 })
}

export async function drafts(content: ServiceContent<Showcase>): Promise<void> {
  const saved = await content.saveDraft('things', 'x', { textNeeded: null }, { autosave: true })
  const read = await content.get('things', 'x', { draft: true })
  const { items } = await content.list('things', { draft: true })
  const published = await content.publish('things', 'x')
  const timed = await content.publish('things', 'x', { at: '2999-01-01T00:00:00Z' })
  const restored = await content.restore('things', 'x', 5)
  const person = await content.restore('people', 'x', 5)
  holds<Equal<typeof saved, DraftEntry<Showcase, 'things'>>>()
  holds<Equal<typeof saved.textNeeded, string | null>>()
  holds<Equal<typeof saved.hasDraft, boolean>>()
  holds<Equal<typeof read, DraftEntry<Showcase, 'things'> | null>>()
  holds<Equal<(typeof items)[number], DraftEntry<Showcase, 'things'>>>()
  holds<Equal<typeof published, Entry<Showcase, 'things'>>>()
  holds<Equal<typeof timed, DraftEntry<Showcase, 'things'>>>()
  holds<Equal<typeof restored, DraftEntry<Showcase, 'things'>>>()
  holds<Equal<typeof person, Person>>()

  // @ts-expect-error people have no status, and so no drafts
  await content.saveDraft('people', 'x', {})
  // @ts-expect-error nor are they read so
  await content.get('people', 'x', { draft: true })
  // @ts-expect-error nor published
  await content.publish('people', 'x')
  // @ts-expect-error nor in a batch
  await content.batch([{ op: 'publish', collection: 'people', id: 'x' }])
  // @ts-expect-error there is no such field
  await content.saveDraft('things', 'x', { txet: 'a' })
}

export async function services(): Promise<void> {
  const service = await createService(showcase)
  const testService = await createTestService(showcase)
  holds<Equal<typeof service.content, ServiceContent<Showcase>>>()
  holds<Equal<typeof testService.content, ServiceContent<Showcase>>>()
}
