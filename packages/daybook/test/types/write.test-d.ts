// Types of writes: EntryCreate, EntryUpdate and GlobalUpdate of a config. tsc is the test.
import type { EntryCreate, EntryUpdate, GlobalUpdate } from 'daybook'
import type { Alike, Equal, Expect } from './expect.ts'
import type { Point, Showcase } from './showcase.ts'

type Create = EntryCreate<Showcase, 'things'>
type Update = EntryUpdate<Showcase, 'things'>

type RequiredKeys<T> = { [K in keyof T]-?: Record<never, never> extends Pick<T, K> ? never : K }[keyof T]

export type WhatANewEntryMustName = Expect<
  Equal<
    RequiredKeys<Create>,
    | 'textNeeded'
    | 'bodyNeeded'
    | 'numberNeeded'
    | 'booleanNeeded'
    | 'dateNeeded'
    | 'datetimeNeeded'
    | 'choiceNeeded'
    | 'emailNeeded'
    | 'urlNeeded'
    | 'jsonNeeded'
    | 'pointNeeded'
    | 'personNeeded'
    | 'groupNeeded'
  >
>
export type ASlugWithoutSourceMustBeNamed = Expect<
  Equal<RequiredKeys<EntryCreate<Showcase, 'pages'>>, 'title' | 'address'>
>
export type AnUpdateNeedNameNothing = Expect<Equal<RequiredKeys<Update>, never>>
export type AGlobalUpdateNeedNameNothing = Expect<Equal<RequiredKeys<GlobalUpdate<Showcase, 'site'>>, never>>

export type Literals = Expect<Equal<Create['choice'], 'red' | 'green' | null | undefined>>
export type ManyLiterals = Expect<Equal<Create['many'], readonly ('a' | 'b')[] | null | undefined>>
export type Statuses = Expect<Equal<Create['status'], 'draft' | 'published' | 'archived' | null | undefined>>
export type OwnValue = Expect<Alike<Create['point'], Point | null | undefined>>
export type References = Expect<Equal<Create['friends'], readonly string[] | null | undefined>>
export type DefaultsMakeOptional = Expect<Equal<Create['textFilled'], string | undefined>>
export type Group = Expect<
  Equal<
    Create['group'],
    | {
        readonly name: string
        readonly note?: string | null
        readonly text?: string | null
        readonly size?: number
        readonly textHtml?: unknown
      }
    | null
    | undefined
  >
>
export type Rows = Expect<
  Equal<
    Create['rows'],
    readonly { readonly _key?: string; readonly label: string; readonly count?: number | null }[] | null | undefined
  >
>
export type Parts = Expect<
  Alike<
    Create['parts'],
    | readonly (
        | { readonly _key?: string; readonly _type: 'quote'; readonly text: string; readonly by?: string | null }
        | { readonly _key?: string; readonly _type: 'prose'; readonly text: string; readonly textHtml?: unknown }
      )[]
    | null
    | undefined
  >
>
export type Changes = Expect<
  Equal<[Update['textNeeded'], Update['choice']], [string | undefined, 'red' | 'green' | null | undefined]>
>

const least = {
  textNeeded: 'A',
  bodyNeeded: '',
  numberNeeded: 1,
  booleanNeeded: true,
  dateNeeded: '2026-11-20',
  datetimeNeeded: '2026-11-20T10:00:00Z',
  choiceNeeded: 'red',
  emailNeeded: 'ines@example.org',
  urlNeeded: 'https://example.org',
  jsonNeeded: { any: ['thing'] },
  pointNeeded: { x: 1, y: 2 },
  personNeeded: '0198c0de-0000-7000-8000-000000000000',
  groupNeeded: {},
} as const satisfies Create

export const readOnlyKeysMayComeAlong: Create = {
  ...least,
  id: 'ignored',
  createdAt: 'ignored',
  updatedAt: 'ignored',
  bodyHtml: 'ignored',
  bodyListedToc: 'ignored',
}
export const nullEmptiesAField: Update = { text: null, group: null, parts: null }
export const globals: GlobalUpdate<Showcase, 'site'>[] = [{}, { key: 'site', siteName: 'Blog', about: null }]

// @ts-expect-error textNeeded is missing
export const incomplete: Create = { ...least, textNeeded: undefined }
// @ts-expect-error there is no such field
export const misspelt: Create = { ...least, txet: 'A' }
// @ts-expect-error nor in an update
export const misspeltChange: Update = { txet: 'A' }
// @ts-expect-error nor in a global
export const misspeltGlobal: GlobalUpdate<Showcase, 'site'> = { sitename: 'Blog' }
// @ts-expect-error a number is no text
export const wrongType: Create = { ...least, text: 5 }
// @ts-expect-error blue is not among the options
export const unknownOption: Create = { ...least, choice: 'blue' }
// @ts-expect-error several of them want a list
export const notAList: Create = { ...least, many: 'a' }
// @ts-expect-error a status of another collection
export const otherStatus: EntryCreate<Showcase, 'pages'> = { title: 'A', address: 'a', state: 'draft' }
// @ts-expect-error y is missing
export const otherValue: Create = { ...least, point: { x: 1 } }
// @ts-expect-error a group wants its required fields
export const emptyGroup: Create = { ...least, group: {} }
// @ts-expect-error a group has no such field
export const strangerInAGroup: Create = { ...least, group: { name: 'A', nmae: 'B' } }
// @ts-expect-error a list of texts
export const numbers: Create = { ...least, words: [1] }
// @ts-expect-error no block has this _type
export const strangeBlock: Create = { ...least, parts: [{ _type: 'table', text: 'A' }] }
// @ts-expect-error a prose block has no `by`
export const mixedBlock: Create = { ...least, parts: [{ _type: 'prose', text: 'A', by: 'B' }] }
// @ts-expect-error a block says which it is
export const untagged: Create = { ...least, parts: [{ text: 'A' }] }
// @ts-expect-error the key of another global
export const otherGlobal: GlobalUpdate<Showcase, 'site'> = { key: 'banner' }
