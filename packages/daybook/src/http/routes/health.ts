import { DaybookError } from '../../errors.ts'
import { NO_PARAMETERS } from '../../query/parameters.ts'
import { COMMON_ERRORS, defineRoute, type Route } from '../contract.ts'
import { NO_STORE_HEADERS } from '../response.ts'

export interface HealthParts {
  isReady(): Promise<boolean>
  /** Returns the results of the plugins' health checks, by name. */
  checkPlugins(): Promise<Readonly<Record<string, 'ok' | 'failed'>>>
  /** True if assets are known to lack their files. */
  hasMissingFiles(): boolean
}

const HEALTHY = { type: 'object', properties: { status: { const: 'ok' } }, required: ['status'] }
const READY = {
  type: 'object',
  properties: {
    status: { const: 'ready' },
    checks: {
      type: 'object',
      properties: {
        database: { const: 'ok' },
        plugins: { type: 'object', additionalProperties: { const: 'ok' } },
        files: { const: 'missing' },
      },
      required: ['database'],
    },
  },
  required: ['status', 'checks'],
}

export function healthRoutes(parts: HealthParts): readonly Route[] {
  const common = {
    method: 'GET',
    protection: 'public',
    isProbe: true,
    parameters: NO_PARAMETERS,
    requestHeaders: ['ifMatch', 'ifNoneMatch'],
    errors: COMMON_ERRORS,
  } as const
  return [
    defineRoute({
      ...common,
      path: '/api/health',
      operationId: 'getHealth',
      summary: 'Reports that the process runs.',
      responses: [{ status: 200, description: 'The process runs.', schema: HEALTHY, headers: ['Cache-Control'] }],
      run: async () => ({ status: 200, json: '{"status":"ok"}', headers: NO_STORE_HEADERS }),
    }),
    defineRoute({
      ...common,
      path: '/api/ready',
      operationId: 'getReady',
      summary: 'Reports the readiness of the service.',
      responses: [
        {
          status: 200,
          description:
            'The database can be read, and no plugin reports a failure; 503 otherwise, and while the service stops. `files` is present ' +
            'if files of assets are missing, which does not affect the readiness.',
          schema: READY,
          headers: ['Cache-Control'],
        },
      ],
      run: async () => {
        const { isReady, checks } = await checkAll(parts)
        if (!isReady) throw new DaybookError('SERVICE_UNAVAILABLE', 'The service is not ready.', { checks })
        return { status: 200, json: JSON.stringify({ status: 'ready', checks }), headers: NO_STORE_HEADERS }
      },
    }),
  ]
}

async function checkAll({ isReady, checkPlugins, hasMissingFiles }: HealthParts) {
  const [isServiceReady, plugins] = await Promise.all([isReady(), checkPlugins()])
  const results = Object.values(plugins)
  const checks = {
    database: isServiceReady ? 'ok' : 'failed',
    ...(results.length > 0 ? { plugins } : {}),
    ...(hasMissingFiles() ? { files: 'missing' } : {}),
  }
  return { isReady: isServiceReady && !results.includes('failed'), checks }
}
