import type { Access } from '../../content/access/access.ts'
import { heldRevision, heldTag, matchesTag, readTags, requireTagMatch, revisionOf } from '../../content/etags.ts'
import { SingleFlight } from '../../single-flight.ts'
import type { PlannedAnswer, ReadRoute, Route } from '../contract.ts'
import type { HttpRequest, RequestHeaders } from '../request.ts'
import { type ReadPolicy, type Reply, readReply } from '../respond.ts'
import { type AnswerBody, type AnswerCache, CachedAnswer } from './answer-cache.ts'
import {
  CodingChoice,
  Compressor,
  type ContentCoding,
  codedTag,
  MIN_CODED_BYTES,
  mayNameCodedTag,
} from './content-coding.ts'

/** What answers to reads are made with. */
export interface ReadAnswersOptions {
  readonly policy: ReadPolicy
  /** `undefined`: no answer is kept. */
  readonly cache: AnswerCache | undefined
  /** Whether a rule of the config decides what readers see: it is asked for each request. */
  readonly hasReadRules: boolean
}

/** Answers reads: from memory where it can, as few bytes as the client takes. */
export class ReadAnswers {
  readonly #options: ReadAnswersOptions
  readonly #compressor = new Compressor()
  readonly #codings = new CodingChoice()
  /** The running reads, by question and tag. */
  readonly #reads = new SingleFlight<string | Uint8Array>()

  constructor(options: ReadAnswersOptions) {
    this.#options = options
  }

  /**
   * The answer that a request without a credential had before, where nothing can have been stored since and no rule has to be asked.
   *
   * @returns `undefined` when it takes more to know
   */
  again(request: HttpRequest): AgainAnswer | undefined {
    const { cache, hasReadRules } = this.#options
    if (!cache || hasReadRules || !isPlainRead(request)) return undefined
    const answer = cache.get(request.target)
    if (!answer?.isConfirmedAt(cache.storeVersion)) return undefined
    const reply = this.#fromMemory(answer, request.headers)
    return reply && { route: answer.route, reply }
  }

  /**
   * Answers a read by its tag: 304 where the client has the answer, from memory where it is kept, and else as it is read now.
   *
   * @throws PRECONDITION_FAILED, and what the route throws
   */
  async answer(route: ReadRoute, asked: PlannedRequest): Promise<Reply> {
    const { cache } = this.#options
    const { access, conditions, request } = asked
    const question = questionOf((await access.readKey()) ?? access.key, request.target)
    const kept = cache?.get(question)
    const version = cache?.storeVersion
    if (kept && !access.hasReadRules && route.resource && kept.isConfirmedAt(version)) {
      requireTagMatch(conditions.ifMatch, kept.tag)
      const reply = this.#fromMemory(kept, request.headers)
      if (reply) return reply
    }
    const known = kept?.plain ? revisionOf(kept.tag) : heldRevision(conditions.ifNoneMatch)
    const plan = await route.plan({ ...asked, known })
    requireTagMatch(conditions.ifMatch, plan.tag)
    const isHeld = conditions.ifNoneMatch !== undefined && matchesTag(conditions.ifNoneMatch, plan.tag)
    if (!cache || plan.isPrivate) return this.#reply(access, plan, isHeld ? undefined : await plan.read())
    return this.#answerPlanned({ cache, route, asked, question, kept, version, plan }, isHeld)
  }

  /** @param isHeld whether the client has the answer */
  async #answerPlanned(planned: PlannedRead, isHeld: boolean): Promise<Reply> {
    const { cache, asked, question, kept, version, plan } = planned
    const { access, request } = asked
    const same = kept?.tag === plan.tag ? kept : undefined
    same?.confirm(version)
    if (isHeld) {
      const unchanged = this.#reply(access, plan)
      if (!same && cache.isWorthKeeping(question)) keep(planned, unchanged.headers)
      return unchanged
    }
    if (same?.plain) return this.#send(question, same, same.plain, request.headers)
    const name = `${question} ${plan.tag}`
    const isJoined = this.#reads.isRunning(name)
    const reply = this.#reply(access, plan, await this.#reads.run(name, () => plan.read()))
    const isKept = kept !== undefined || cache.isWorthKeeping(question)
    // The request that started the read stores the result.
    if (isJoined || !isKept || !(await isStill(planned))) return reply
    const body = toBody(reply)
    return this.#send(question, keep(planned, body.headers, body), body, request.headers)
  }

  /**
   * Brings a reply into the form that the client takes: compressed where that is worth it, and 304 with the tag that the client has.
   */
  negotiate(reply: Reply, headers: RequestHeaders): Promise<Reply> | Reply {
    if (reply.status === 304) return unchangedAs(reply, headers.get('if-none-match'))
    const { json, octets } = reply
    if (octets !== undefined || json === undefined || !isWorthCoding(json)) return reply
    const varied = { ...reply, headers: { ...reply.headers, Vary: variedByCoding(reply.headers) } }
    const coding = this.#codings.of(headers.get('accept-encoding'))
    const compressed = coding && this.#compressor.compress(Buffer.from(json as string), coding, true)
    if (!compressed) return varied
    const coded = { ...varied.headers, ...codedHeaders(varied.headers, coding) }
    return compressed.then((bytes) => ({ ...varied, json: bytes, headers: coded }))
  }

  /** Sends a kept answer as the client takes it; compressed once, it is kept so, too. */
  #send(question: string, answer: CachedAnswer, plain: AnswerBody, headers: RequestHeaders): Promise<Reply> | Reply {
    const coding = this.#codingOf(plain, headers)
    const known = answer.body(coding)
    if (known || !coding) return fromBody(known ?? plain)
    const compressed = this.#compressor.compress(Buffer.from(plain.octets, 'latin1'), coding, false)
    if (!compressed) return fromBody(plain)
    return compressed.then((bytes) => {
      const body: AnswerBody = {
        octets: bytes.toString('latin1'),
        headers: Object.freeze({ ...plain.headers, ...codedHeaders(plain.headers, coding) }),
      }
      this.#options.cache?.keepCoded(question, answer, coding, body)
      return fromBody(body)
    })
  }

  /** @returns `undefined` when it has to be read or compressed first, or the conditions of the request are not well-formed */
  #fromMemory(answer: CachedAnswer, headers: RequestHeaders): Reply | undefined {
    const held = headers.get('if-none-match')
    if (held !== null) {
      const condition = held === answer.tag ? '*' : readTags(held)
      if (!condition) return undefined
      if (matchesTag(condition, answer.tag)) return unchangedAs({ status: 304, headers: answer.unchanged }, held)
    }
    const body = answer.plain && answer.body(this.#codingOf(answer.plain, headers))
    return body && fromBody(body)
  }

  #codingOf({ octets }: AnswerBody, headers: RequestHeaders): ContentCoding | undefined {
    return octets.length < MIN_CODED_BYTES ? undefined : this.#codings.of(headers.get('accept-encoding'))
  }

  /** @param json `undefined`: the client has it */
  #reply({ isAuthenticated }: Access, plan: PlannedAnswer, json?: string | Uint8Array): Reply {
    const { tag, madeOf, isPrivate = false } = plan
    return readReply(this.#options.policy, { isAuthenticated: isAuthenticated || isPrivate }, tag, json, madeOf)
  }
}

/** What the route of a read is asked. */
type PlannedRequest = Parameters<ReadRoute['plan']>[0]

/** An answer from memory, and the route whose it is. */
export interface AgainAnswer {
  readonly route: Route
  readonly reply: Reply
}

/** Headers that make more of a read than a question to anyone. */
const FURTHER_HEADERS = ['authorization', 'cookie', 'if-match', 'daybook-min-seq', 'daybook-preview'] as const

const isPlainRead = ({ method, headers }: HttpRequest): boolean =>
  (method === 'GET' || method === 'HEAD') && !FURTHER_HEADERS.some((name) => headers.has(name))

/** What is asked, and by what kind of reader; of readers without a session, it is the target alone. */
const questionOf = (reader: string, target: string): string => (reader === 'public' ? target : `${reader} ${target}`)

/** A read whose tag is known. */
interface PlannedRead {
  readonly cache: AnswerCache
  readonly route: ReadRoute
  readonly asked: PlannedRequest
  /** See {@link questionOf}. */
  readonly question: string
  /** The answer that the question had before. */
  readonly kept: CachedAnswer | undefined
  /** Of the store, before the tag was looked at. */
  readonly version: number | undefined
  readonly plan: PlannedAnswer
}

/** Whether the tag named the present answer all the while that it was read: only then is it the tag of just this answer. */
async function isStill({ cache, route, asked, version, plan }: PlannedRead): Promise<boolean> {
  return version === undefined ? (await route.plan(asked)).tag === plan.tag : cache.storeVersion === version
}

/** @param body absent: clients that ask have it */
function keep(
  { cache, route, question, version, plan }: PlannedRead,
  headers: Reply['headers'] = {},
  body?: AnswerBody,
): CachedAnswer {
  const answer = new CachedAnswer(route, plan.tag, headers, body, version)
  cache.keep(question, answer)
  return answer
}

function toBody({ json = '', headers = {} }: Reply): AnswerBody {
  const octets = Buffer.from(json as string).toString('latin1')
  return { octets, headers: Object.freeze({ ...headers, 'Content-Type': 'application/json' }) }
}

const fromBody = ({ octets, headers }: AnswerBody): Reply => ({ status: 200, octets, headers })

/** A client has an answer under the tag that came with it (RFC 9110, section 15.4.5). */
function unchangedAs(reply: Reply, ifNoneMatch: string | null): Reply {
  if (ifNoneMatch === null || !mayNameCodedTag(ifNoneMatch)) return reply
  const { headers = {} } = reply
  const condition = readTags(ifNoneMatch)
  const held = condition && headers.ETag && heldTag(condition, headers.ETag)
  if (!held || held === headers.ETag) return reply
  return { ...reply, headers: { ...headers, ETag: held, Vary: variedByCoding(headers) } }
}

/** Whether an answer is large enough to be compressed; no character takes more than three bytes. */
function isWorthCoding(json: string | Uint8Array): boolean {
  if (json.length >= MIN_CODED_BYTES) return true
  return typeof json === 'string' && json.length * 3 >= MIN_CODED_BYTES && Buffer.byteLength(json) >= MIN_CODED_BYTES
}

const CODED_BY = 'Accept-Encoding'

function variedByCoding({ Vary }: Readonly<Record<string, string>> = {}): string {
  if (Vary === undefined) return CODED_BY
  return Vary.includes(CODED_BY) ? Vary : `${Vary}, ${CODED_BY}`
}

function codedHeaders(
  { ETag }: Readonly<Record<string, string>>,
  coding: ContentCoding,
): Readonly<Record<string, string>> {
  const tag = ETag === undefined ? {} : { ETag: codedTag(ETag, coding) }
  return { ...tag, 'Content-Encoding': coding }
}
