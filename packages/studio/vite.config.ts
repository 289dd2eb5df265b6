import { fileURLToPath } from 'node:url'
import localesPlugin from '@react-aria/optimize-locales-plugin'
import { defineConfig } from 'vite'

const HOME = fileURLToPath(new URL('.', import.meta.url))

/** Directives for servers, which mean nothing in browsers; how long plugins took. */
const QUIET: readonly string[] = ['MODULE_LEVEL_DIRECTIVE', 'PLUGIN_TIMINGS']

/** The Studio's program for browsers. Its page is made by the plugin, which finds the files by the manifest. */
export default defineConfig({
  root: HOME,
  base: './',
  logLevel: 'warn',
  plugins: [{ ...localesPlugin.vite({ locales: ['en-US', 'de-DE'] }), enforce: 'pre' }],
  build: {
    outDir: 'dist/app',
    emptyOutDir: true,
    manifest: true,
    target: 'baseline-widely-available',
    // From these on, browsers know light-dark().
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    // `npm run measure` watches the sizes.
    chunkSizeWarningLimit: 1000,
    rolldownOptions: {
      input: 'src/app/main.tsx',
      onLog: (level, log, handle) => QUIET.includes(log.code ?? '') || handle(level, log),
      output: {
        hashCharacters: 'hex',
        entryFileNames: '[name].[hash].js',
        chunkFileNames: '[name].[hash].js',
        assetFileNames: '[name].[hash][extname]',
      },
    },
  },
})
