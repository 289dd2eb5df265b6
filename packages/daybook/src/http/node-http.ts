// `import … from 'node:http'` reads every export of that module, and some of these load Node's fetch: 14 MB and 45 ms of each start, for
// what a service that serves reads never uses. This takes what is needed alone.
const http: typeof import('node:http') = process.getBuiltinModule('node:http')

/** See `http.createServer`. */
export const createServer: typeof http.createServer = http.createServer
/** See `http.METHODS`. */
export const METHODS: readonly string[] = http.METHODS
/** See `http.STATUS_CODES`. */
export const STATUS_CODES: Readonly<Record<number, string | undefined>> = http.STATUS_CODES
