// Types of reads: Entry and GlobalEntry of a config, by inference alone. tsc is the test.
import type { CollectionKey, Entry, GlobalEntry, GlobalKey, TocEntry } from 'daybook'
import type { Alike, Equal, Expect } from './expect.ts'
import type { Point, Showcase } from './showcase.ts'

type Thing = Entry<Showcase, 'things'>
type Json = string | number | boolean | readonly unknown[] | { readonly [key: string]: unknown }

interface ThingAsRead {
  readonly id: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly createdBy?: string | null | undefined
  readonly updatedBy?: string | null | undefined
  readonly text: string | null
  readonly textNeeded: string
  readonly textFilled: string
  readonly textHinted: string | null
  readonly body: string | null
  readonly bodyHtml: string | null
  readonly bodyNeeded: string
  readonly bodyNeededHtml: string
  readonly bodyPlain: string | null
  readonly bodyListed: string | null
  readonly bodyListedHtml: string | null
  readonly bodyListedToc: readonly TocEntry[] | null
  readonly bodyListedNeeded: string
  readonly bodyListedNeededHtml: string
  readonly bodyListedNeededToc: readonly TocEntry[]
  readonly number: number | null
  readonly numberNeeded: number
  readonly integer: number | null
  readonly integerFilled: number
  readonly boolean: boolean | null
  readonly booleanNeeded: boolean
  readonly date: string | null
  readonly dateNeeded: string
  readonly datetime: string | null
  readonly datetimeNeeded: string
  readonly choice: 'red' | 'green' | null
  readonly choiceNeeded: 'red' | 'green'
  readonly many: readonly ('a' | 'b')[]
  readonly green: string | null
  readonly greenBox: { readonly size: number | null } | null
  readonly greenList: readonly { readonly _key: string; readonly size: number | null }[]
  readonly email: string | null
  readonly emailNeeded: string
  readonly url: string | null
  readonly urlNeeded: string
  readonly slug: string
  readonly status: 'draft' | 'published' | 'archived'
  readonly json: Json | null
  readonly jsonNeeded: Json
  readonly point: Point | null
  readonly pointNeeded: Point
  readonly person: string | null
  readonly personNeeded: string
  readonly friends: readonly string[]
  readonly group: {
    readonly name: string
    readonly note: string | null
    readonly text: string | null
    readonly size: number
    readonly textHtml: string | null
  } | null
  readonly groupNeeded: { readonly lang: 'de' | 'en' | null }
  readonly words: readonly string[]
  readonly rows: readonly { readonly _key: string; readonly label: string; readonly count: number | null }[]
  readonly parts: readonly (
    | { readonly _key: string; readonly _type: 'quote'; readonly text: string; readonly by: string | null }
    | { readonly _key: string; readonly _type: 'prose'; readonly text: string; readonly textHtml: string }
  )[]
}

type Same<K extends keyof ThingAsRead & keyof Thing> = Equal<Thing[K], ThingAsRead[K]>

export type EveryKeyIsServed = Expect<Equal<keyof Thing, keyof ThingAsRead>>
export type EveryValueIsTyped = Expect<Alike<Thing, ThingAsRead>>

export type Texts = Expect<Equal<Same<'text' | 'textNeeded' | 'textFilled' | 'textHinted'>, true>>
export type Markdown = Expect<Equal<Same<'body' | 'bodyHtml' | 'bodyNeeded' | 'bodyNeededHtml' | 'bodyPlain'>, true>>
export type Contents = Expect<
  Equal<Same<'bodyListedHtml' | 'bodyListedToc' | 'bodyListedNeededHtml' | 'bodyListedNeededToc'>, true>
>
export type Numbers = Expect<Equal<Same<'number' | 'numberNeeded' | 'integer' | 'integerFilled'>, true>>
export type Booleans = Expect<Equal<Same<'boolean' | 'booleanNeeded'>, true>>
export type Times = Expect<Equal<Same<'date' | 'dateNeeded' | 'datetime' | 'datetimeNeeded'>, true>>
export type Selects = Expect<Equal<[Same<'choice'>, Same<'choiceNeeded'>, Same<'many'>], [true, true, true]>>
export type Addresses = Expect<Equal<Same<'email' | 'emailNeeded' | 'url' | 'urlNeeded'>, true>>
export type Slug = Expect<Same<'slug'>>
export type Status = Expect<Same<'status'>>
type JsonKeys = 'json' | 'jsonNeeded' | 'point' | 'pointNeeded'
export type Jsons = Expect<Alike<Pick<Thing, JsonKeys>, Pick<ThingAsRead, JsonKeys>>>
export type Relations = Expect<Equal<[Same<'person'>, Same<'personNeeded'>, Same<'friends'>], [true, true, true]>>
export type Groups = Expect<Equal<[Same<'group'>, Same<'groupNeeded'>], [true, true]>>
export type Lists = Expect<Equal<[Same<'words'>, Same<'rows'>], [true, true]>>
export type Blocks = Expect<Alike<Thing['parts'], ThingAsRead['parts']>>

export type OwnStatusValues = Expect<Equal<Entry<Showcase, 'pages'>['state'], 'idea' | 'published'>>
export type SlugWithoutSource = Expect<Equal<Entry<Showcase, 'pages'>['address'], string>>

export type CollectionKeys = Expect<Equal<CollectionKey<Showcase>, 'things' | 'people' | 'pages'>>
export type GlobalKeys = Expect<Equal<GlobalKey<Showcase>, 'site'>>
export type Global = Expect<
  Equal<
    GlobalEntry<Showcase, 'site'>,
    {
      readonly key: 'site'
      readonly siteName: string
      readonly about: string | null
      readonly aboutHtml: string | null
      readonly createdBy?: string | null | undefined
      readonly updatedBy?: string | null | undefined
    }
  >
>

/** `_type` tells blocks apart for the compiler, too. */
export function readBlock(part: Thing['parts'][number]): string {
  switch (part._type) {
    case 'quote':
      return part.by ?? part.text
    case 'prose':
      return part.textHtml
  }
}

declare const thing: Thing

// @ts-expect-error a field without `required` may be null
export const text: string = thing.text
// @ts-expect-error nor is any other
export const point: Point = thing.point
// @ts-expect-error there is no HTML beside `html: false`
export const html = thing.bodyPlainHtml
// @ts-expect-error what is read is not for changing
thing.text = 'other'
// @ts-expect-error there is no such collection
export type Missing = Entry<Showcase, 'thingz'>
// @ts-expect-error a global is not a collection
export type NotACollection = Entry<Showcase, 'site'>
// @ts-expect-error a collection is not a global
export type NotAGlobal = GlobalEntry<Showcase, 'things'>
