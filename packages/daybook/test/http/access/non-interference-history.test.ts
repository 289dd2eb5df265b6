import fc from 'fast-check'
import { describe, test, vi } from 'vitest'
import { hookedDrafts, ruledDrafts, sealedDrafts } from '../../support/configs/sealed.ts'
import { Pair, type PairRequest } from '../../support/stores/pair.ts'
import { POLICY_STORES } from '../../support/stores/stores.ts'
import { LARGE_TEST_MS } from '../../support/timeouts.ts'
import { body, label, record, secrets, target } from './support/sealed-values.ts'

vi.mock('uuid', async () => ({ v7: (await import('../../support/stores/fixed-ids.ts')).fixedId }))

/** The number of pieces that Ann sees. A rule may hide the one after them. */
const PIECES = 2
const MARKS = ['target0', 'target1', 'shut', 'gone'] as const
const ANN = { Authorization: 'Bearer ann' } as const
const ADA = { Authorization: 'Bearer ada' } as const
/** The feed's tokens differ between services. */
const TOKENS = /"next":"[^"]*"/g

/** Paths below a piece. `{back}` and `{other}` stand for revisions. */
const READS = [
  '/versions',
  '/versions/{back}',
  '/versions/{back}?against={other}',
  '?draft=true',
  '?locale=de&draft=true',
  '/references',
] as const
const LISTS = [
  '/api/pieces?draft=true&sort=-updatedAt',
  '/api/pieces?draft=true&q=zebra',
  '/api/pieces?q=zebra&status=published',
  '/api/pieces?aggregate=count:status',
  '/api/cms/search?q=zebra',
  '/api/cms/search?q=a',
  '/api/cms/drafts',
  '/api/cms/schedules',
  '/api/cms/journal?limit=100',
  '/api/targets/{target0}/references',
  '/api/targets/{target1}/references',
] as const

const piece = fc.nat({ max: PIECES })
const locale = fc.constantFrom(undefined, undefined, 'de', 'fr')
const tag = fc.constantFrom(undefined, undefined, undefined, 'kept', '"0.stale"', '*')
/** The number of changes before the last one. */
const back = fc.nat({ max: 8 })
const isDraft = fc.boolean()
const isDry = fc.boolean()

/** Fields of entries that Ann cannot see. */
const unseen = record({
  title: fc.constantFrom('A', 'Other', 'zebra'),
  tagline: label,
  link: target,
  links: fc.subarray(['{target0}', '{target1}', '{shut}']),
})

/** The steps, by name: Ann's requests, and Ada's changes, which differ between the worlds in hidden values. */
const STEPS = {
  write: record({ piece, data: body, locale, tag, isDraft, isDry }),
  act: record({ act: fc.constantFrom('publish', 'unpublish'), piece, tag, isDry }),
  discard: record({ piece, tag, isDry }),
  delete: record({ piece, tag, isDry }),
  restore: record({ piece, back, tag, isDry }),
  undo: record({ back, length: fc.nat({ max: 3 }), isOwn: fc.boolean(), isDry }),
  many: record({ data: body, isDry }),
  look: record({ piece, path: fc.constantFrom(...READS), back, other: back }),
  list: record({ path: fc.constantFrom(...LISTS) }),
  changes: record({}),
  ada: record({ piece, isDraft, one: secrets, other: secrets, unseen: fc.tuple(unseen, unseen) }),
  translate: record({ piece, isDraft, one: label, other: label }),
}
type Op = keyof typeof STEPS
type Said<O extends Op> = (typeof STEPS)[O] extends fc.Arbitrary<infer T> ? T : never
type Step = { readonly [O in Op]: { readonly op: O } & Said<O> }[Op]
type Secrets = Said<'ada'>['one']

const WEIGHTS: Readonly<Record<Op, number>> = {
  write: 8,
  act: 2,
  discard: 1,
  delete: 1,
  restore: 4,
  undo: 3,
  many: 3,
  look: 3,
  list: 3,
  changes: 2,
  ada: 3,
  translate: 2,
}
const step = fc.oneof(
  ...Object.entries(STEPS).map(([op, said]) => ({
    weight: WEIGHTS[op as Op],
    arbitrary: (said as fc.Arbitrary<object>).map((parameters) => ({ op, ...parameters }) as Step),
  })),
)

/** Positions in the journals of the worlds. */
interface Position {
  /** The last revision in the journal. */
  readonly seq: number
  /** The revision after the creation of the documents. */
  readonly filled: number
}

type Request = readonly [path: string, options: PairRequest]

const numberAt = ({ seq }: Position, back: number): number => Math.max(1, seq - back)

const pathOf = (piece: number, below = '', ...query: readonly (string | false | undefined)[]): string =>
  `/api/pieces/{piece${piece}}${below}?${query.filter(Boolean).join('&')}`.replace(/\?$/, '')

const dry = (isDry: boolean): string | false => isDry && 'dryRun=true'

/** `If-Match` with the tag of an earlier response about the piece, or with an unknown one. */
const onCondition = (piece: number, tag: string | undefined): Pick<PairRequest, 'headers'> =>
  tag === undefined ? {} : { headers: { 'If-Match': tag === 'kept' ? `{tag${piece}}` : tag } }

const keepTag = (piece: number, isDry = false): Pick<PairRequest, 'keep'> =>
  isDry ? {} : { keep: { [`tag${piece}`]: 'ETag' } }

const REQUESTS: {
  readonly [O in Exclude<Op, 'ada' | 'translate' | 'changes'>]: (said: Said<O>, at: Position) => Request
} = {
  write: ({ piece, data: json, locale, tag, isDraft, isDry }) => [
    pathOf(piece, '', isDraft && 'draft=true', dry(isDry), locale && `locale=${locale}`),
    { method: 'PUT', json, ...onCondition(piece, tag), ...keepTag(piece, isDry) },
  ],
  act: ({ act, piece, tag, isDry }) => [
    pathOf(piece, `/${act}`, dry(isDry)),
    { method: 'POST', json: {}, ...onCondition(piece, tag), ...keepTag(piece, isDry) },
  ],
  discard: ({ piece, tag, isDry }) => [
    pathOf(piece, '', 'draft=true', dry(isDry)),
    { method: 'DELETE', ...onCondition(piece, tag) },
  ],
  delete: ({ piece, tag, isDry }) => [pathOf(piece, '', dry(isDry)), { method: 'DELETE', ...onCondition(piece, tag) }],
  restore: ({ piece, back, tag, isDry }, at) => [
    pathOf(piece, '/restore', dry(isDry)),
    {
      method: 'POST',
      json: { revision: numberAt(at, back) },
      ...onCondition(piece, tag),
      ...keepTag(piece, isDry),
    },
  ],
  undo: ({ back, length, isOwn, isDry }, { seq, filled }) => {
    const from = Math.max(filled + 1, seq - back)
    const json = { from, to: from + length, ...(isOwn ? { actor: 'ann' } : {}) }
    return [`/api/cms/undo${isDry ? '?dryRun=true' : ''}`, { method: 'POST', json }]
  },
  many: ({ data: json, isDry }) => [
    `/api/pieces?where[title][startsWith]=Round${isDry ? '&dryRun=true' : ''}`,
    { method: 'PATCH', json, headers: { 'Content-Type': 'application/merge-patch+json' } },
  ],
  look: ({ piece, path, back, other }, at) => {
    const numbered = path.replace('{back}', `${numberAt(at, back)}`).replace('{other}', `${numberAt(at, other)}`)
    return [`${pathOf(piece)}${numbered}`, path === '?draft=true' ? keepTag(piece) : {}]
  },
  list: ({ path }) => [path, {}],
}

/** Two services that differ only in hidden values. Ann's responses must be equal. */
class Worlds implements AsyncDisposable {
  readonly #pair: Pair
  readonly #hasUnseen: boolean
  #at: Position = { seq: 0, filled: 0 }
  #round = 0
  #changes = 0
  #isFollowing = false

  constructor(pair: Pair, hasUnseen: boolean) {
    this.#pair = pair
    this.#hasUnseen = hasUnseen
  }

  #isSeen(piece: number): boolean {
    return piece < PIECES || !this.#hasUnseen
  }

  /** Creates documents in both, equal in all that Ann may see. */
  async fill(...worlds: readonly (readonly Secrets[])[]): Promise<void> {
    this.#round += 1
    this.#isFollowing = false
    for (const name of MARKS) await this.#post('targets', () => ({ name, open: name !== 'shut' }), { [name]: '/id' })
    await this.#pair.each(() => ['/api/targets/{gone}', { method: 'DELETE', headers: ADA }])
    for (let index = 0; index <= PIECES; index++) {
      const title = this.#isSeen(index) ? () => `Round ${this.#round}` : (side: number) => `Unseen ${side}`
      const shown = { status: index === 1 ? 'draft' : 'published', team: this.#isSeen(index) ? 'a' : 'b' }
      await this.#post('pieces', (side) => ({ title: title(side), ...shown, ...worlds[side]?.[index] }), {
        [`piece${index}`]: '/id',
      })
    }
    await this.#catchUp()
    this.#at = { ...this.#at, filled: this.#at.seq }
  }

  #post(collection: string, json: (side: number) => object, keep: Readonly<Record<string, string>>): Promise<void> {
    return this.#pair.each((side) => [`/api/${collection}`, { method: 'POST', headers: ADA, json: json(side), keep }])
  }

  async take(step: Step): Promise<void> {
    if (step.op === 'ada') {
      const unseen = (side: number): object => (this.#isSeen(step.piece) ? {} : (step.unseen[side] ?? {}))
      return this.#change(step, (side) => ({ ...(side === 0 ? step.one : step.other), ...unseen(side) }))
    }
    if (step.op === 'changes') return this.#follow()
    if (step.op !== 'translate') return this.#sendRequest(step)
    const said = (side: number): string | null => (side === 0 ? step.one : step.other)
    return this.#change(step, (side) => ({ sealedLabel: said(side), blindLabel: said(side) }), 'de')
  }

  async #sendRequest(step: Exclude<Step, { op: 'ada' | 'translate' | 'changes' }>): Promise<void> {
    const toRequest = REQUESTS[step.op] as (said: Step, at: Position) => Request
    const [path, { headers, ...request }] = toRequest(step, this.#at)
    this.#note(await this.#pair.same(path, { ...request, headers: { ...ANN, ...headers } }))
  }

  /** Lets Ada change something that Ann sees, and in each world something different that Ann does not see. */
  async #change(
    { piece, isDraft }: Said<'ada'> | Said<'translate'>,
    values: (side: number) => object,
    locale?: string,
  ): Promise<void> {
    const { status } = await this.#pair.same(pathOf(piece, '', 'draft=true'), { headers: ADA, apart: /.+/gs })
    if (status === 404) return
    const seen = { [locale === undefined ? 'body' : 'tagline']: `Change ${++this.#changes}` }
    const path = pathOf(piece, '', isDraft && 'draft=true', locale && `locale=${locale}`)
    await this.#pair.each((side) => [path, { method: 'PUT', headers: ADA, json: { ...seen, ...values(side) } }])
    await this.#catchUp()
  }

  /** Reads the last revision, which is the same in both. */
  async #catchUp(): Promise<void> {
    const json = { name: `After ${this.#at.seq}` }
    this.#note(await this.#pair.same('/api/targets/{target0}', { method: 'PUT', json, headers: ADA }))
  }

  #note({ headers }: { readonly headers: Pick<Headers, 'get' | 'has'> }): void {
    const seq = headers.has('Daybook-Dry-Run') ? 0 : Number(headers.get('Daybook-Seq') ?? 0)
    this.#at = { ...this.#at, seq: Math.max(this.#at.seq, seq) }
  }

  async #follow(): Promise<void> {
    const path = `/api/cms/changes?limit=3${this.#isFollowing ? '&since={token}' : ''}`
    await this.#pair.same(path, { headers: ANN, keep: { token: '/next' }, apart: TOKENS })
    this.#isFollowing = true
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pair[Symbol.asyncDispose]()
  }
}

const CONFIGS = [
  { named: 'without hooks', drafts: sealedDrafts },
  { named: 'with hooks', drafts: hookedDrafts },
  { named: 'with a rule', drafts: ruledDrafts },
] as const

describe.each(POLICY_STORES)('two services that differ only in hidden values, on $name,', (store) => {
  test.each(CONFIGS)(
    'answer everything about drafts, versions and undoing byte for byte the same, $named',
    {
      timeout: LARGE_TEST_MS,
    },
    async ({ drafts }) => {
      const worlds = fc.array(secrets, { minLength: PIECES + 1, maxLength: PIECES + 1 })
      await using pair = new Worlds(await Pair.open(drafts, [store, store]), drafts === ruledDrafts)
      await fc.assert(
        fc.asyncProperty(
          worlds,
          worlds,
          fc.array(step, { minLength: 10, maxLength: 30 }),
          async (left, right, steps) => {
            await pair.fill(left, right)
            for (const each of steps) await pair.take(each)
          },
        ),
        { numRuns: 12, endOnFailure: true },
      )
    },
  )
})
