import { defineConfig, disk } from 'daybook'
import { serveUploads } from 'daybook/plugins'
import config from '../../examples/blog/daybook.config.ts'

const { BENCH_UPLOADS: folder = 'uploads' } = process.env

/** The reference example, which takes large files and serves the files of its assets. */
export default defineConfig({
  ...config,
  assets: { store: disk({ folder }), maxBytes: 2 ** 31 },
  plugins: [serveUploads()],
})
