/** A source of numbers from 0 to 1 that look random and are the same in every run. */
type Random = () => number

/** Creates a generator for a seed (mulberry32). */
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
/** The number of samples of the distribution. */
const TABLE_SIZE = 65_536

const pickFrom = <T>(list: readonly T[], random: Random): T => list[Math.floor(random() * list.length)] as T

function makeWords(): readonly string[] {
  const random = randomFrom(1)
  const words = new Set<string>()
  while (words.size < WORD_COUNT) {
    // Frequent words are short, as in natural languages.
    const length = 1 + Math.floor(random() * Math.min(4, 2 + words.size / 500))
    words.add(Array.from({ length }, () => pickFrom(SYLLABLES, random)).join(''))
  }
  return [...words]
}

/** Repeats each word by its probability: the word of rank n is about 1/n times as frequent as the first (Zipf's law). */
function makeTable(): readonly string[] {
  const words = makeWords()
  const weights = words.map((_, rank) => 1 / (rank + 2.7))
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return words.flatMap((word, rank) =>
    Array<string>(Math.max(1, Math.round(((weights[rank] ?? 0) / sum) * TABLE_SIZE))).fill(word),
  )
}

const TABLE = makeTable()

export const COMMONEST_WORD: string = TABLE[0] ?? ''

const pickWords = (count: number, random: Random): string =>
  Array.from({ length: count }, () => pickFrom(TABLE, random)).join(' ')

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const makeSentence = (random: Random): string =>
  `${capitalize(pickWords(6 + Math.floor(random() * 9), random))} **${pickFrom(TABLE, random)}**.`
const makeParagraph = (random: Random): string => Array.from({ length: 3 }, () => makeSentence(random)).join('\n')
const makeHeading = (random: Random): string => `## ${capitalize(pickWords(4, random))}`
const makeList = (random: Random): string => Array.from({ length: 4 }, () => `- ${pickWords(5, random)}`).join('\n')
const makeQuote = (random: Random): string => `> ${makeSentence(random)}`
const makeCode = (random: Random): string => `\`\`\`\n${pickWords(8, random)}\n\`\`\``

/** Makes about 600 characters of Markdown. */
function makeBody(random: Random): string {
  const makeInset = pickFrom([makeList, makeQuote, makeCode], random)
  return [makeParagraph, makeHeading, makeInset, makeParagraph].map((makeBlock) => makeBlock(random)).join('\n\n')
}

/** The ids of entries that posts refer to. */
export interface Targets {
  readonly authors: readonly string[]
  readonly tags: readonly string[]
}

interface PostInput {
  readonly title: string
  readonly body: string
  readonly status: 'draft' | 'published'
  readonly author: string
  readonly tags: readonly string[]
  readonly category: string
  readonly publishedOn: string
}

const DRAFT_SHARE = 0.05
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
const FIRST_DAY = Date.UTC(2015, 0, 1)
const DAY_MS = 86_400_000

/** Makes the post of this number, which is the same in every run; no other number has its title. */
export function makePost(number: number, { authors, tags }: Targets): PostInput {
  const random = randomFrom(number * 2_654_435_761 + 3)
  return {
    title: `${capitalize(pickWords(3 + Math.floor(random() * 4), random))} ${number}`,
    body: makeBody(random),
    status: random() < DRAFT_SHARE ? 'draft' : 'published',
    author: pickFrom(authors, random),
    tags: [...new Set([pickFrom(tags, random), pickFrom(tags, random)])],
    category: pickFrom(CATEGORIES, random),
    publishedOn: new Date(FIRST_DAY + Math.floor(random() * 4000) * DAY_MS).toISOString().slice(0, 10),
  }
}
