// Starts a PostgreSQL, prints its process id, and waits to be killed: node left-behind.ts
import { PostgresServer } from './postgres-server.ts'

const server = await PostgresServer.make()
process.stdout.write(`${server.pid}\n`)
