/** For orval: `npx orval`. */
export default {
  daybook: {
    input: 'openapi.json',
    output: {
      target: 'orval.ts',
      client: 'fetch',
      override: {
        mutator: { path: 'daybook.ts', name: 'daybookFetch', extension: '.ts' },
        paramsSerializer: { path: 'daybook.ts', name: 'toQueryString', extension: '.ts' },
      },
    },
  },
} as const
