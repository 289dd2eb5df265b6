/**
 * Messages between threads and processes of Daybook. Node and libraries send messages of their own over the same
 * channels (`node --watch` reports each imported module that way), so every message names its kind and its job.
 */
export interface Message<Kind extends string, Body> {
  readonly kind: `daybook:${Kind}`
  /** The number that a request and its answer share. */
  readonly job: number
  readonly body: Body
}

/** Makes a message to send. */
export const message = <Kind extends string, Body>(kind: Kind, job: number, body: Body): Message<Kind, Body> => ({
  kind: `daybook:${kind}`,
  job,
  body,
})

/** Whether what was received is a message of this kind; anything else is for another receiver. */
export const isMessage = <Kind extends string, Body>(received: unknown, kind: Kind): received is Message<Kind, Body> =>
  typeof received === 'object' &&
  received !== null &&
  'kind' in received &&
  received.kind === `daybook:${kind}` &&
  'job' in received &&
  typeof received.job === 'number'
