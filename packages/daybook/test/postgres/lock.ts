import { Client } from 'pg'

/** A transaction of another client that holds a lock. */
export class Lock implements AsyncDisposable {
  readonly #client: Client

  private constructor(client: Client) {
    this.#client = client
  }

  static async of(url: string, statement: string): Promise<Lock> {
    const client = new Client({ connectionString: url })
    client.on('error', () => {})
    await client.connect()
    await client.query(`BEGIN; ${statement}`)
    return new Lock(client)
  }

  async release(): Promise<void> {
    await this.#client.query('ROLLBACK')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.end()
  }
}
