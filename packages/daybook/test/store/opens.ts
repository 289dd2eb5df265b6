// Opens each file that it is told, closes it, and says how that went. Run as a thread of its own.
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
