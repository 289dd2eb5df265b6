import { serve } from '../../node/serve.ts'
import { createService } from '../../service.ts'
import { loadConfig } from '../config-file.ts'
import { makeLog } from '../logger.ts'
import { type CommandLine, dataFolder, readOptions } from '../options.ts'
import { UsageError } from '../usage.ts'

const OPTIONS = { port: { type: 'string' }, host: { type: 'string' }, log: { type: 'string' } } as const

/** `daybook start`: serves until SIGTERM or SIGINT, and lets requests in flight finish. */
export async function start(args: readonly string[], readable = false): Promise<undefined> {
  const options = readOptions(args, OPTIONS)
  const log = makeLog(options.text('log') ?? process.env.DAYBOOK_LOG ?? 'info', readable)
  const port = readPort(options)
  const host = options.text('host') ?? process.env.HOST ?? '127.0.0.1'
  const config = await loadConfig(options.text('config'))
  const service = await createService(config, { data: dataFolder(options), log })
  const listening = await serve(service, { port, host })
  process.stdout.write(`listening on ${listening.url}\n`)

  const end = (signal: NodeJS.Signals): void => {
    log.info({ signal }, 'draining')
    // A second signal ends it at once.
    for (const again of ['SIGTERM', 'SIGINT'] as const) process.once(again, () => process.exit(1))
    void listening.stop().then(() => process.exit(0))
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, end)
}

function readPort(options: CommandLine): number {
  const text = options.text('port') ?? process.env.PORT ?? '3000'
  const port = Number(text)
  if (!/^\d+$/.test(text) || port > 65_535) throw new UsageError(`--port takes a number from 0 to 65535, not "${text}"`)
  return port
}
