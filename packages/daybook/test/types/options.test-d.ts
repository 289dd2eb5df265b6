// Options of fields, collections and configs that do not compile. tsc is the test.
import { type AccessRule, defineCollection, defineConfig, defineGlobal, f, hasRole } from 'daybook'

// @ts-expect-error a misspelt option
f.text({ requird: true })
// @ts-expect-error beside one that is right, too
f.text({ required: true, maxlength: 5 })
// @ts-expect-error an option of the wrong type
f.text({ required: 'yes' })
// @ts-expect-error a default that is no text
f.text({ default: 5 })
// @ts-expect-error a pattern is the source of a regular expression
f.text({ pattern: /a/ })
// @ts-expect-error long text is never unique
f.markdown({ unique: true })
// @ts-expect-error html is a flag
f.markdown({ html: 'no' })
// @ts-expect-error a number has no length
f.number({ maxLength: 5 })
// @ts-expect-error a bound is a number
f.integer({ min: '1' })
// @ts-expect-error two values cannot be unique
f.boolean({ unique: true })
// @ts-expect-error a date is a text
f.date({ default: 5 })
// @ts-expect-error and has no bounds
f.datetime({ min: '2026-01-01T00:00:00Z' })
// @ts-expect-error the values to choose from are missing
f.select()
// @ts-expect-error here, too
f.select({ many: true })
// @ts-expect-error they are texts
f.select({ options: [1, 2] })
// @ts-expect-error an address has no length of its own
f.email({ maxLength: 5 })
// @ts-expect-error nor this one
f.url({ pattern: '^https' })
// @ts-expect-error the source is named by its key
f.slug({ from: 5 })
// @ts-expect-error a slug is unique without saying so
f.slug({ unique: true })
// @ts-expect-error a status is always there
f.status({ required: true })
// @ts-expect-error a schema is an object
f.json({ schema: 'object' })
// @ts-expect-error a misspelt option, beside a type of one's own
f.json<{ x: number }>({ requird: true })
// @ts-expect-error or a wrong one
f.json<{ x: number }>({ required: 'yes' })
// @ts-expect-error where to is missing
f.relation()
// @ts-expect-error there are two answers to this
f.relation('people', { onDelete: 'cascade' })
// @ts-expect-error a group consists of fields
f.group({ name: 'text' })
// @ts-expect-error and takes no bounds
f.group({ name: f.text() }, { max: 3 })
// @ts-expect-error a list is of a field
f.list('text')
// @ts-expect-error a misspelt bound
f.list(f.text(), { maxx: 3 })
// @ts-expect-error blocks are named
f.blocks([{ text: f.text() }])
// @ts-expect-error a misspelt bound
f.blocks({ quote: { text: f.text() } }, { maximum: 3 })
// @ts-expect-error a rule answers at once
f.text({ access: { read: async () => true } })
// @ts-expect-error there are two rules
f.text({ access: { reed: () => true } })

const text = { title: f.text() }
const ownTitle: AccessRule = ({ identity }) => identity !== null && { title: { eq: identity.subject } }
defineCollection({ fields: text, access: { read: hasRole('editor'), update: ownTitle, delete: async () => true } })
defineCollection({
  fields: text,
  access: { update: ({ entry }) => entry?.title === 'x', read: async () => ({ title: { in: ['x'] } }) },
})
defineCollection({
  fields: text,
  access: { read: () => ({ or: [{ title: { eq: 'x' } }, { not: { title: { exists: true } } }] }) },
})
// @ts-expect-error a rule says yes, no, or which entries
defineCollection({ fields: text, access: { read: () => 'yes' } })
// @ts-expect-error and never nothing
defineCollection({ fields: text, access: { read: () => undefined } })
// @ts-expect-error what may be missing is no value to compare with
defineCollection({ fields: text, access: { read: ({ identity }) => ({ title: { eq: identity?.subject } }) } })
// @ts-expect-error a comparison has an operator
defineCollection({ fields: text, access: { read: () => ({ title: 'x' }) } })
// @ts-expect-error of globals there is one, and nothing to choose from
defineGlobal({ fields: text, access: { read: () => ({ title: { eq: 'x' } }) } })
// @ts-expect-error a rule of a role names one
hasRole()

// @ts-expect-error fields are missing
defineCollection({ description: 'Nothing.' })
// @ts-expect-error a bound is a number
defineCollection({ fields: { title: f.text() }, maxLimit: 'many' })
// @ts-expect-error an index is a list of fields
defineCollection({ fields: { title: f.text() }, indexes: ['title'] })
// @ts-expect-error a misspelt option
defineCollection({ fields: { title: f.text() }, acces: {} })
// @ts-expect-error beside one that is right, too
defineCollection({ fields: { title: f.text() }, description: 'Posts.', acces: {} })
// @ts-expect-error globals are not created
defineGlobal({ fields: { title: f.text() }, access: { create: () => true } })
// @ts-expect-error collections are missing
defineConfig({ globals: {} })
// @ts-expect-error a field is no collection
defineConfig({ collections: { posts: f.text() } })
// @ts-expect-error a misspelt part
defineConfig({ collections: {}, lokales: { default: 'en', available: ['en'] } })
// @ts-expect-error the default locale is missing
defineConfig({ collections: {}, locales: { available: ['en'] } })
