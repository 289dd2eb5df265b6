// Types of s3rver, as far as the tests use it. The package has none.

declare module 's3rver' {
  import type { RequestListener } from 'node:http'

  export default class S3rver {
    constructor(options: {
      readonly silent: boolean
      readonly allowMismatchedSignatures: boolean
      readonly vhostBuckets: boolean
    })
    store: object
    readonly context: { store: object }
    callback(): RequestListener
  }
}

declare module 's3rver/lib/models/object.js' {
  import type { Readable } from 'node:stream'

  export default class S3Object {
    constructor(
      bucket: string,
      key: string,
      content: Readable | null,
      metadata: Readonly<Record<string, string | number>>,
    )
    readonly bucket: string
    readonly key: string
    readonly content: Readable | Buffer | null
    readonly metadata: Readonly<Record<string, string | number>>
    range?: { readonly start: number; readonly end: number }
  }
}
