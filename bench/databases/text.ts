/** What makes numbers from 0 to 1 that look random and are the same in every run. */
export type Random = () => number

/** A generator for one seed (mulberry32). */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const SYLLABLES =
  'ba ce di fo gu ha jo ka le mi no pu ra se ti vo wu xa ye zo an er il on ur sta bre clo dri plu'.split(' ')
const WORD_COUNT = 6000
/** Samples of the distribution that are drawn from; a power of two. */
const TABLE_SIZE = 65_536

const pickFrom = <T>(list: readonly T[], random: Random): T => list[Math.floor(random() * list.length)] as T

function makeWords(): readonly string[] {
  const random = randomFrom(1)
  const words = new Set<string>()
  while (words.size < WORD_COUNT) {
    // Frequent words are short, as in any language.
    const length = 1 + Math.floor(random() * Math.min(4, 2 + words.size / 500))
    words.add(Array.from({ length }, () => pickFrom(SYLLABLES, random)).join(''))
  }
  return [...words]
}

/** Words as often as they are likely: the one of rank n about 1/n times as often as the first (Zipf's law). */
function makeTable(): readonly string[] {
  const words = makeWords()
  const weights = words.map((_, rank) => 1 / (rank + 2.7))
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return words.flatMap((word, rank) =>
    Array<string>(Math.max(1, Math.round(((weights[rank] ?? 0) / sum) * TABLE_SIZE))).fill(word),
  )
}

const TABLE = makeTable()

/** The word that stands in more texts than any other. */
export const COMMONEST: string = TABLE[0] ?? ''

const wordsOf = (count: number, random: Random): string[] =>
  Array.from({ length: count }, () => pickFrom(TABLE, random))

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

function sentence(random: Random): string {
  const words = wordsOf(6 + Math.floor(random() * 9), random)
  const at = Math.floor(random() * words.length)
  if (random() < 0.2) words[at] = `**${words[at]}**`
  else if (random() < 0.1) words[at] = `[${words[at]}](https://example.org/${words[at]})`
  return `${capitalized(words.join(' '))}.`
}

const paragraph = (random: Random): string => Array.from({ length: 3 }, () => sentence(random)).join('\n')
const list = (random: Random): string => Array.from({ length: 4 }, () => `- ${wordsOf(5, random).join(' ')}`).join('\n')
const quote = (random: Random): string => `> ${sentence(random)}`
const code = (random: Random): string => `\`\`\`\n${wordsOf(8, random).join(' ')}\n\`\`\``
const heading = (random: Random): string => `## ${capitalized(wordsOf(4, random).join(' '))}`

/** Blocks of Markdown that texts are put together from, by where in a text they may stand. */
const BLOCKS = (() => {
  const random = randomFrom(2)
  const some = (count: number, ...makers: ((random: Random) => string)[]): readonly string[] =>
    Array.from({ length: count }, () => pickFrom(makers, random)(random))
  return { headings: some(2000, heading), paragraphs: some(20_000, paragraph), others: some(5000, list, quote, code) }
})()

/** A text of about 600 characters of Markdown; its blocks are separated by blank lines. */
export function makeBody(random: Random): string {
  const { headings, paragraphs, others } = BLOCKS
  return [
    pickFrom(paragraphs, random),
    pickFrom(headings, random),
    pickFrom(others, random),
    pickFrom(paragraphs, random),
  ].join('\n\n')
}

/** A title that no other number has. */
export function makeTitle(number: number, random: Random): string {
  return capitalized(`${wordsOf(3 + Math.floor(random() * 4), random).join(' ')} ${number}`)
}

/** A page of the reference example, in one language. */
export function makePage(number: number, language: string): { readonly title: string; readonly body: string } {
  const random = randomFrom(number * 2_654_435_761 + language.charCodeAt(0))
  return { title: `${makeTitle(number, random)} ${language}`, body: makeBody(random) }
}

/** Ids that posts refer to. */
export interface Targets {
  readonly authors: readonly string[]
  readonly tags: readonly string[]
}

/** A post of the reference example, as a client would send it. */
export interface PostInput {
  readonly title: string
  readonly body: string
  readonly status: 'draft' | 'published'
  readonly author: string
  readonly tags: readonly string[]
  readonly category: string
  readonly publishedOn: string
}

const DRAFTS = 0.05
/** Categories of posts. */
export const CATEGORIES: readonly string[] = [
  'stories',
  'guides',
  'news',
  'releases',
  'people',
  'places',
  'letters',
  'reviews',
]
const DAY_MS = 86_400_000

/** Post number `number`; always the same one. */
export function makePost(number: number, { authors, tags }: Targets): PostInput {
  const random = randomFrom(number * 2_654_435_761 + 3)
  const day = new Date(Date.UTC(2015, 0, 1) + Math.floor(random() * 4000) * DAY_MS)
  return {
    title: makeTitle(number, random),
    body: makeBody(random),
    status: random() < DRAFTS ? 'draft' : 'published',
    author: pickFrom(authors, random),
    tags: [...new Set([pickFrom(tags, random), pickFrom(tags, random)])],
    category: pickFrom(CATEGORIES, random),
    publishedOn: day.toISOString().slice(0, 10),
  }
}
