// A worker thread that opens and closes the database file of each message, and posts the result.
import { parentPort } from 'node:worker_threads'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'

parentPort?.on('message', async (file: string) => {
  try {
    await openSqlite(file).close()
    parentPort?.postMessage('opened')
  } catch (error) {
    parentPort?.postMessage(String(error))
  }
})
