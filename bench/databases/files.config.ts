import { defineConfig } from 'daybook'
import { serveUploads } from 'daybook/plugins'
import config from '../../examples/blog/daybook.config.ts'

/** The reference example, which serves the files of its assets. */
export default defineConfig({ ...config, plugins: [serveUploads()] })
