import type { AuthHost } from '../auth/adapter.ts'
import type { DaybookConfig } from '../config/config.ts'
import { SILENT } from '../log.ts'
import { compileModel } from '../model/compile.ts'
import type { Model } from '../model/model.ts'
import { openEngine } from '../service.ts'
import type { Store } from '../store/store.ts'
import { loadConfig } from './config-file.ts'
import { type CommandLine, dataFolder } from './options.ts'

/** The store of a config, opened for a command. */
export interface OpenHost extends AsyncDisposable {
  readonly config: DaybookConfig
  readonly model: Model
  readonly host: AuthHost
  readonly store: Store
}

/** Opens the store of a command line. A service may run on it meanwhile. */
export async function openHost(options: CommandLine): Promise<OpenHost> {
  const config = await loadConfig(options.text('config'))
  const model = compileModel(config)
  const { engine, close } = await openEngine(model, config, dataFolder(options), { isServing: false })
  const { store } = engine
  return { config, model, store, host: { records: store.records, log: SILENT }, [Symbol.asyncDispose]: close }
}
