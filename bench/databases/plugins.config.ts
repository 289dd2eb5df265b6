import { defineConfig, definePlugin, type PluginRoute } from 'daybook'
import config from '../../examples/blog/daybook.config.ts'

const ROUTES = 50

/** Routes with exact paths, open places and ends, some of them beside those of the collections. */
const PATHS: readonly ((number: number) => string)[] = [
  (number) => `/plugin/${number}`,
  (number) => `/plugin/${number}/:name`,
  (number) => `/api/plugin${number}/:name/:other`,
  (number) => `/plugin/files${number}/*`,
  (number) => `/:place/of/plugin${number}`,
]

const routeAt = (number: number): PluginRoute => ({
  method: 'GET',
  path: PATHS[number % PATHS.length]?.(number) ?? '',
  summary: 'Answers.',
  protection: 'public',
  answers: { 200: { description: 'Done.' } },
  run: () => new Response(),
})

const routes = definePlugin({
  name: 'routes',
  version: '1.0.0',
  routes: Array.from({ length: ROUTES }, (_, number) => routeAt(number)),
})

/** The reference example, with fifty routes of a plugin. */
export default defineConfig({ ...config, plugins: [routes] })
