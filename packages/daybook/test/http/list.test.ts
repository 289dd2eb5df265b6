import { runScenarios } from '../support/scenario.ts'
import { get, refused, slugs } from '../support/steps.ts'

runScenarios('a list', [
  {
    name: 'answers the newest published entries, with the total',
    steps: [
      get('/api/posts', {
        body: {
          collection: 'posts',
          total: 4,
          limit: 20,
          offset: 0,
          nextCursor: null,
          ...slugs('backups-you-have-restored', 'two-editors-one-entry', 'your-first-collection', 'what-a-daybook-is'),
        },
        answers: {
          ETag: /^"[^"]+"$/,
          'Cache-Control': 'public, max-age=0, must-revalidate',
          Vary: 'Authorization, Cookie, Origin',
        },
      }),
    ],
  },
])
