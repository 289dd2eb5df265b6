// The part of the load generator that the bench uses; the package has no types.
declare module 'autocannon' {
  export interface RequestSpec {
    method?: string
    path?: string
    headers?: Readonly<Record<string, string>>
    body?: string
    /** Called before each request; its result is sent. */
    setupRequest?(request: RequestSpec): RequestSpec
  }

  export interface Client {
    setRequests(requests: readonly RequestSpec[]): void
  }

  export interface Options {
    readonly url: string
    readonly connections: number
    /** In seconds. */
    readonly duration: number
    /** Requests a second, on all connections together. */
    readonly overallRate?: number
    readonly setupClient: (client: Client) => void
  }

  export interface Result {
    readonly errors: number
    readonly timeouts: number
  }

  export interface Instance extends PromiseLike<Result> {
    on(
      event: 'response',
      listener: (client: Client, status: number, bytes: number, milliseconds: number) => void,
    ): Instance
  }

  export default function autocannon(options: Options): Instance
}
