// The types of writes and their results. tsc checks this file; it never runs.
import { type Client, createClient, etagOf, type Operation, type Outcome, type Permissions } from '@daybook/client'
import type { DraftEntry, Entry, EntryCreate, EntryUpdate, GlobalUpdate } from 'daybook'
import { type Equal, holds } from '../../../daybook/test/types/expect.ts'
import type { Library } from './showcase.ts'

type Book = Entry<Library, 'books'>

export async function entries({ collections: { books, people } }: Client<Library>, book: Book): Promise<void> {
  const created = await books.create({ title: 'A', author: 'x' }, { idempotencyKey: 'k', locale: 'de' })
  const updated = await books.update(book, { pages: 5 })
  const byId = await books.update(book.id, { body: null }, { ifMatch: etagOf(book), idempotencyKey: 'k' })
  const patched = await books.patch(book, { meta: { rank: 1, inner: { word: null } } })
  const nothing = await books.delete(book)
  holds<Equal<typeof created, Book>>()
  holds<Equal<typeof updated, Book>>()
  holds<Equal<typeof byId, Book>>()
  holds<Equal<typeof patched, Book>>()
  holds<Equal<typeof nothing, void>>()
  holds<Equal<Parameters<typeof books.create>[0], EntryCreate<Library, 'books'>>>()
  holds<Equal<Parameters<typeof books.update>[1], EntryUpdate<Library, 'books'>>>()
  // An entry can be written back as it was read: system fields are accepted and ignored.
  await books.update(book.id, book)

  // @ts-expect-error title is missing
  await books.create({ author: 'x' })
  // @ts-expect-error unknown field
  await books.create({ title: 'A', author: 'x', titel: 'B' })
  // @ts-expect-error unknown field in an update
  await books.update(book, { titel: 'B' })
  // @ts-expect-error unknown field in a group
  await books.patch(book, { meta: { rnak: 1 } })
  // @ts-expect-error null for a required field
  await books.update(book, { title: null })
  // @ts-expect-error a string for a number
  await books.update(book, { pages: 'many' })
  // @ts-expect-error a field of another collection
  await people.update('x', { title: 'A' })
  // @ts-expect-error an entry without an id
  await books.delete({ title: 'A' })
  // @ts-expect-error a config without locales
  await books.delete(book, { locale: 'de' })
}

export async function drafts({ collections: { books, people } }: Client<Library>, book: Book): Promise<void> {
  const saved = await books.saveDraft(book, { title: null, pages: 5 }, { autosave: true, merge: true, locale: 'de' })
  const published = await books.publish(saved, { locales: ['de'] })
  const timed = await books.publish(book.id, { at: '2999-01-01T00:00:00Z' })
  const unpublished = await books.unpublish(book)
  const restored = await books.restore(book, 5)
  const person = await people.restore('x', 5)
  const tried = await books.update(book, { pages: 5 }, { dryRun: true })
  const nothing = await books.discardDraft(saved)
  await books.unschedule(book)
  await books.revokePreviews(book)
  const { token } = await books.preview(book, { expiresIn: 60 })
  holds<Equal<typeof saved, DraftEntry<Library, 'books'>>>()
  holds<Equal<typeof saved.title, string | null>>()
  holds<Equal<typeof saved.hasDraft, boolean>>()
  holds<Equal<typeof published, Book>>()
  holds<Equal<typeof timed, DraftEntry<Library, 'books'>>>()
  holds<Equal<typeof unpublished, Book>>()
  holds<Equal<typeof restored, DraftEntry<Library, 'books'>>>()
  holds<Equal<typeof person, Entry<Library, 'people'>>>()
  holds<Equal<typeof tried, Book>>()
  holds<Equal<typeof nothing, void>>()
  holds<Equal<typeof token, string>>()
  // A draft can be saved as it was read.
  await books.saveDraft(saved, saved)

  // @ts-expect-error a collection without a status has no drafts
  await people.saveDraft('x', {})
  // @ts-expect-error a collection without a status cannot be published
  await people.publish('x')
  // @ts-expect-error unknown field
  await books.saveDraft(book, { titel: 'A' })
  // @ts-expect-error unknown locale
  await books.publish(book, { locales: ['fr'] })
}

export async function globals({ globals: { front } }: Client<Library>): Promise<void> {
  await front.update({ title: 'A' }, { ifNoneMatch: '*' })
  holds<Equal<Parameters<typeof front.update>[0], GlobalUpdate<Library, 'front'>>>()

  // @ts-expect-error unknown field
  await front.update({ titel: 'A' })
}

export async function batches(client: Client<Library>): Promise<void> {
  const outcomes = await client.batch([
    { op: 'create', collection: 'books', data: { title: 'A', author: 'x' } },
    { op: 'update', collection: 'people', id: 'x', data: { name: 'Ann' }, ifMatch: '"1"' },
    { op: 'delete', collection: 'companies', id: 'x' },
    { op: 'publish', collection: 'books', id: 'x', data: { locales: ['de'] } },
    { op: 'unpublish', collection: 'books', id: 'x', data: { unpublishAt: '2999-01-01T00:00:00Z' } },
    { op: 'restore', collection: 'people', id: 'x', data: { revision: 5 } },
  ])
  holds<Equal<typeof outcomes, readonly Outcome<Library>[]>>()
  const [first] = outcomes
  if (first?.op === 'create' && first.collection === 'books') holds<Equal<typeof first.entry, Book>>()

  // @ts-expect-error a book has no name
  const wrong: Operation<Library> = { op: 'create', collection: 'books', data: { name: 'A' } }
  // @ts-expect-error a delete without an id
  const nameless: Operation<Library> = { op: 'delete', collection: 'books' }
  // @ts-expect-error a collection without a status
  const unpublishable: Operation<Library> = { op: 'publish', collection: 'people', id: 'x' }
  await client.batch([wrong, nameless, unpublishable])
}

export async function sessions({ auth, withToken }: Client<Library>): Promise<void> {
  const session = await auth.session()
  if (session.authenticated) holds<Equal<typeof session.identity.subject, string>>()
  const { token } = await auth.login({ email: 'mia@example.org', password: 'x' })
  const signedIn = withToken(token)
  holds<Equal<typeof signedIn, Client<Library>>>()
  const { collections } = await auth.permissions()
  holds<Equal<typeof collections.books, Permissions<'read' | 'create' | 'update' | 'delete' | 'restore'> | undefined>>()
  const onBook = await auth.permissionsOn({ collection: 'books', id: 'x' })
  holds<Equal<typeof onBook.statuses, Readonly<Record<'draft' | 'published' | 'archived', boolean>>>>()
  const onFront = await auth.permissionsOn({ global: 'front' })
  holds<Equal<typeof onFront.update, boolean>>()
  const onPerson = await auth.permissionsOn({ collection: 'people', id: 'x' })
  // @ts-expect-error a collection without a status
  onPerson.publish
  // @ts-expect-error a collection without an id
  await auth.permissionsOn({ collection: 'books' })
  const result = await auth.action<{ readonly sent: boolean }>('sendLink', { email: 'mia@example.org' })
  holds<Equal<typeof result, { readonly sent: boolean }>>()

  // @ts-expect-error a login without a password
  await auth.login({ email: 'mia@example.org' })
  // @ts-expect-error the identity may be null
  session.identity.subject
}

export function clients(): void {
  createClient<Library>({ baseUrl: 'https://cms.example.org', token: async () => 'x', retry: { attempts: 1 } })

  // @ts-expect-error baseUrl is missing
  createClient<Library>({})
  // @ts-expect-error unknown option
  createClient<Library>({ baseUrl: 'https://cms.example.org', timeOut: 5 })
  // @ts-expect-error not a config
  createClient<{ readonly collections: { readonly posts: string } }>({ baseUrl: 'https://cms.example.org' })
}
