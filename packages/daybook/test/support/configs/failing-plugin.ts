import { definePlugin, type Plugin } from 'daybook'

/** A plugin whose one route, `GET /fail`, fails. */
export const failingPlugin: Plugin = definePlugin({
  name: 'failing',
  version: '1.0.0',
  routes: [
    {
      method: 'GET',
      path: '/fail',
      operationId: 'fail',
      summary: 'Fails.',
      protection: 'public',
      responses: { 200: { description: 'Never.' } },
      run: () => {
        throw new Error('On purpose.')
      },
    },
  ],
})
