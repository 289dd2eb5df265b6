import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { cliCommands, cliFlags, variables } from '../../../../scripts/documented.ts'
import { makeProgram } from '../../src/cli/program.ts'
import { DEFAULT_FILE_BYTES } from '../../src/config/assets.ts'
import { knownRoutes } from '../support/scenarios/routes.ts'

const ROOT = resolve(import.meta.dirname, '../../../..')
const DEPLOY = join(ROOT, 'deploy')
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')

/** The part of a manifest that the tests read. */
interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly annotations?: Readonly<Record<string, string>>
  }
  /** Its shape depends on the kind; each test names what it reads. */
  readonly spec: ReturnType<typeof parse>
  readonly stringData?: Readonly<Record<string, string>>
}

interface Variable {
  readonly name: string
}

const dockerfile = read('deploy/docker/Dockerfile')
const compose = parse(read('deploy/compose.yaml'))
const MANIFESTS: readonly Manifest[] = globSync('kubernetes/*.yaml', { cwd: DEPLOY }).flatMap((file) =>
  parseAllDocuments(read(`deploy/${file}`)).map((document) => {
    expect(document.errors, file).toEqual([])
    return document.toJS() as Manifest
  }),
)
const manifest = (kind: string): Manifest => {
  const match = MANIFESTS.find((candidate) => candidate.kind === kind)
  if (!match) throw new Error(`The manifest ${kind} is missing`)
  return match
}
const pod = manifest('Deployment').spec.template.spec
const container = pod.containers[0]

/** Settings of the image, as `ENV` gives them. */
const imageSettings = new Map(
  [...dockerfile.matchAll(/^ENV (.*)$/gm)].flatMap(([, line = '']) =>
    line.split(' ').map((pair) => pair.split('=') as [string, string]),
  ),
)
const exposed = [...dockerfile.matchAll(/^EXPOSE (.*)$/gm)].flatMap(([, ports = '']) => ports.split(' '))
const knownPaths = (await knownRoutes()).map((route) => route.split(' ')[1])

/** Variables that the service reads, its config, or Node. */
const knownVariables = [
  ...(await variables()),
  ...[...read('deploy/daybook.config.ts').matchAll(/process\.env\.(\w+)/g)].map(([, name]) => name),
  'NODE_ENV',
  'NODE_OPTIONS',
  // The SDK of S3 reads these.
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
]

/** Faults of a command line of the service: its command, its flags, and files that are not there. */
async function commandFaults([command = '', ...args]: readonly string[]): Promise<readonly string[]> {
  const program = await makeProgram()
  const flags = cliFlags(program)
  return [
    ...(cliCommands(program).includes(command) ? [] : [command]),
    ...args.filter((arg) => arg.startsWith('--') && !flags.includes(arg)),
    ...args.filter((arg) => arg.includes('/') && !existsSync(join(ROOT, arg))),
  ]
}

const CONFIG = 'deploy/daybook.config.ts'
/** Variables without which the config is not what it says. */
const configVariables = [...read(CONFIG).matchAll(/process\.env\.(\w+)/g)].map(([, name = '']) => name)

test('the image, the compose file and the manifests start the config of the deployment, with all of its variables', () => {
  const commands = [/^CMD (.*)$/m.exec(dockerfile)?.[1] ?? '', compose.services.daybook.command, container.args]
  for (const command of commands) expect(command).toContain(CONFIG)
  expect(dockerfile).toMatch(new RegExp(`^COPY ${CONFIG} \\./deploy/$`, 'm'))
  expect(dockerfile).not.toContain('examples/')
  const names = [Object.keys(compose.services.daybook.environment), container.env.map(({ name }: Variable) => name)]
  for (const set of names) expect(set).toEqual(expect.arrayContaining(configVariables))
  expect(compose.services.daybook.environment.PUBLIC_URL).toBe(
    `https://${compose.services.proxy.environment.SITE_ADDRESS}`,
  )
  const { host } = manifest('Ingress').spec.rules[0]
  expect(container.env.find(({ name }: Variable) => name === 'PUBLIC_URL').value).toBe(`https://${host}`)
})

describe('the Dockerfile', () => {
  const lines = dockerfile.replaceAll('\\\n', '').split('\n')
  const arrays = (word: string): readonly string[][] =>
    lines.flatMap((line) => (line.startsWith(`${word} [`) ? [JSON.parse(line.slice(word.length + 1))] : []))

  test('builds on the major version of Node that the project runs on', () => {
    const { devDependencies } = JSON.parse(read('package.json'))
    const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image)
    expect(new Set(bases)).toEqual(new Set([`node:${devDependencies.node.split('.')[0]}-slim`]))
  })

  test('copies what is there, and leaves out what does not belong into an image', () => {
    const sources = [...dockerfile.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, from = '']) => from.split(' '))
    expect(sources.filter((source) => !existsSync(join(ROOT, source)))).toEqual([])
    const ignored = read('.dockerignore').split('\n')
    for (const path of ['.git', '**/node_modules', '**/.daybook', '**/.env']) expect(ignored).toContain(path)
  })

  test('names the workspaces as they are called', () => {
    const named = [...dockerfile.matchAll(/--workspace (\S+)/g)].map(([, name]) => name)
    const names = ['packages/daybook', 'packages/studio', 'deploy'].map(
      (folder) => JSON.parse(read(`${folder}/package.json`)).name,
    )
    expect(named).toEqual(names)
  })

  test('ends as a user without rights, with Node as the process that gets signals', async () => {
    const last = dockerfile.slice(dockerfile.lastIndexOf('FROM '))
    expect(/^USER (\S+)$/m.exec(last)?.[1]).toBe('node')
    const [entry = []] = arrays('ENTRYPOINT')
    const { bin } = JSON.parse(read('packages/daybook/package.json'))
    expect(entry).toEqual(['node', bin.daybook.replace('./src', 'packages/daybook').replace(/ts$/, 'js')])
    expect(await commandFaults(arrays('CMD')[0] ?? [])).toEqual([])
  })

  test('keeps content in a volume, and exposes the port that the service is told', () => {
    expect(/^VOLUME (\S+)$/m.exec(dockerfile)?.[1]).toBe(imageSettings.get('DAYBOOK_DATA'))
    expect(exposed).toContain(imageSettings.get('PORT'))
  })

  test('sets only variables that are read', () => {
    expect([...imageSettings.keys()].filter((name) => !knownVariables.includes(name))).toEqual([])
  })

  test('asks a real route for its health, with what the image has', () => {
    const [command = []] = [JSON.parse(/HEALTHCHECK[^[]*(\[.*\])$/m.exec(lines.join('\n'))?.[1] ?? '[]')]
    expect(command[0]).toBe('node')
    expect(knownPaths).toContain(/\/api\/\w+/.exec(command[2])?.[0])
  })
})

describe('the compose file', () => {
  const { daybook, postgres, files, bucket, proxy } = compose.services
  const caddyfile = read('deploy/caddy/Caddyfile')

  test('builds from the repository with its Dockerfile, and starts what is there', async () => {
    expect(resolve(DEPLOY, daybook.build.context)).toBe(ROOT)
    expect(existsSync(join(ROOT, daybook.build.dockerfile))).toBe(true)
    expect(await commandFaults(daybook.command)).toEqual([])
  })

  test('pins images to versions', () => {
    for (const { image } of [postgres, proxy]) expect(image).toMatch(/^[a-z]+:\d+$/)
    for (const { image } of [files, bucket]) expect(image).toMatch(/^[a-z-]+\/[a-z-]+:v?\d+\.\d+\.\d+$/)
  })

  test('sets only variables that are read, and asks for those that .env has to give', () => {
    expect(Object.keys(daybook.environment).filter((name) => !knownVariables.includes(name))).toEqual([])
    const required = [...read('deploy/compose.yaml').matchAll(/\$\{(\w+)/g)].map(([, name]) => name)
    const provided = [...read('deploy/.env.example').matchAll(/^(\w+)=/gm)].map(([, name]) => name)
    expect(new Set(required)).toEqual(new Set(provided))
  })

  test('mounts files that are there, and volumes that are declared', () => {
    for (const volume of [...postgres.volumes, ...files.volumes, ...proxy.volumes] as readonly string[]) {
      const [source = ''] = volume.split(':')
      expect(source.startsWith('.') ? existsSync(join(DEPLOY, source)) : source in compose.volumes, volume).toBe(true)
    }
  })

  test('waits for the database, restarts what ends, and gives requests their 30 seconds', () => {
    expect(daybook.depends_on.postgres.condition).toBe('service_healthy')
    expect(postgres.healthcheck.test).toContain(postgres.environment.POSTGRES_DB)
    expect([daybook, postgres, files, proxy].map(({ restart }) => restart)).toEqual(Array(4).fill('unless-stopped'))
    expect(Number.parseInt(daybook.stop_grace_period, 10)).toBeGreaterThan(30)
    expect(daybook.deploy.replicas).toBe(2)
  })

  test('lets only the proxy be reached, and leads it to the port of the image', () => {
    expect([daybook, postgres, files, bucket].filter(({ ports }) => ports)).toEqual([])
    expect(compose.networks.back.internal).toBe(true)
    const [, host, port] = /dynamic a (\S+) (\d+)/.exec(caddyfile) ?? []
    expect(host !== undefined && host in compose.services).toBe(true)
    expect(port).toBe(imageSettings.get('PORT'))
  })

  test('starts the service once there is a bucket, with the keys of the server of files', () => {
    expect(daybook.depends_on.bucket.condition).toBe('service_completed_successfully')
    expect(bucket.depends_on.files.condition).toBe('service_healthy')
    expect(files.healthcheck.test.at(-1)).toBe(
      `http://127.0.0.1${files.environment.VGW_PORT}${files.environment.VGW_HEALTH}`,
    )
    for (const { environment } of [daybook, bucket]) {
      expect(environment.AWS_ENDPOINT_URL_S3).toBe(`http://files${files.environment.VGW_PORT}`)
      expect(environment.AWS_REGION).toBe(files.environment.VGW_REGION)
      expect(environment.AWS_ACCESS_KEY_ID).toBe(files.environment.ROOT_ACCESS_KEY)
      expect(environment.AWS_SECRET_ACCESS_KEY).toBe(files.environment.ROOT_SECRET_KEY)
    }
  })

  test('serves files from the bucket, which nothing but the proxy and the service can reach', () => {
    const [, policy = ''] = /--policy '(.*?)'/s.exec(bucket.command[0]) ?? []
    const [statement] = JSON.parse(policy).Statement
    expect([statement.Action, statement.Resource]).toEqual(['s3:GetObject', 'arn:aws:s3:::uploads/*'])
    expect(caddyfile).toContain(`reverse_proxy files${files.environment.VGW_PORT}`)
    const [, path, hidden] = /path (\S+)\n\s+not path (\S+)/.exec(caddyfile) ?? []
    expect([path, hidden]).toEqual(['/uploads/*', '/uploads/.*'])
    expect(files.networks.filter((name: string) => !compose.networks[name].internal)).toEqual([])
    const users = Object.entries<{ networks: readonly string[] }>(compose.services)
      .filter(([, { networks }]) => networks.includes('public-files'))
      .map(([name]) => name)
    expect(users).toEqual(['files', 'proxy'])
  })

  test('lets requests through that are as large as the limits of the service', () => {
    const sizes = [...caddyfile.matchAll(/max_size (\d+)MB/g)].map(([, size]) => Number(size) * 1e6)
    expect(sizes).toEqual([110e6, 5e6])
    expect(sizes[0]).toBeGreaterThan(100 * 2 ** 20)
    expect(sizes[1]).toBeGreaterThan(4 * 2 ** 20)
  })
})

describe('the Kubernetes manifests', () => {
  test('are of known kinds, and force no namespace', () => {
    expect(MANIFESTS.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`).sort()).toEqual([
      'apps/v1 Deployment',
      'autoscaling/v2 HorizontalPodAutoscaler',
      'networking.k8s.io/v1 Ingress',
      'policy/v1 PodDisruptionBudget',
      'v1 Secret',
      'v1 Service',
    ])
    expect(MANIFESTS.filter(({ metadata }) => metadata.namespace)).toEqual([])
  })

  test('probe real routes: ready for traffic, health for restarts', () => {
    const path = (probe: string): string => container[probe].httpGet.path
    expect([path('readinessProbe'), path('livenessProbe'), path('startupProbe')]).toEqual([
      '/api/ready',
      '/api/health',
      '/api/health',
    ])
    for (const probe of ['readinessProbe', 'livenessProbe', 'startupProbe']) {
      expect(knownPaths).toContain(path(probe))
      expect(container[probe].httpGet.port).toBe('http')
    }
  })

  test('agree on ports with each other and with the image', () => {
    const ports: readonly { name: string; containerPort: number }[] = container.ports
    expect(ports.map(({ containerPort }) => String(containerPort))).toEqual(exposed)
    expect(ports.find(({ name }) => name === 'http')?.containerPort).toBe(Number(imageSettings.get('PORT')))
    const service = manifest('Service').spec
    expect(service.ports.map((port: { targetPort: string }) => port.targetPort)).toEqual(['http'])
    const { backend } = manifest('Ingress').spec.rules[0].http.paths[0]
    expect(backend.service).toEqual({ name: manifest('Service').metadata.name, port: { name: service.ports[0].name } })
  })

  test('and the example for nginx let uploads through that are as large as the limit of the service, unbuffered', () => {
    const { annotations } = manifest('Ingress').metadata
    const nginx = (name: string) => annotations?.[`nginx.ingress.kubernetes.io/${name}`] ?? ''
    const [, example = ''] = /```nginx\n(.*?)```/s.exec(read('docs/guides/going-to-production.md')) ?? []
    const [, uploads = ''] = /location \/api\/assets \{(.*?)\}/s.exec(example) ?? []
    for (const size of [nginx('proxy-body-size'), /client_max_body_size (\S+);/.exec(uploads)?.[1] ?? ''])
      expect(Number.parseInt(size, 10) * 2 ** 20).toBeGreaterThan(DEFAULT_FILE_BYTES)
    expect(nginx('proxy-request-buffering')).toBe('off')
    expect(uploads).toContain('proxy_request_buffering off;')
    for (const header of ['Host', 'X-Forwarded-Host', 'X-Forwarded-Proto', 'X-Forwarded-For'])
      expect(example).toContain(`proxy_set_header ${header} $`)
  })

  test('have their metrics read where they are served', () => {
    const { annotations } = manifest('Deployment').spec.template.metadata
    const port = container.args[container.args.indexOf('--metrics-port') + 1]
    expect(annotations['prometheus.io/port']).toBe(port)
    expect(container.ports.find(({ name }: { name: string }) => name === 'metrics').containerPort).toBe(Number(port))
  })

  test('select the pods of the deployment', () => {
    const { labels } = manifest('Deployment').spec.template.metadata
    expect(manifest('Deployment').spec.selector.matchLabels).toEqual(labels)
    expect(manifest('Service').spec.selector).toEqual(labels)
    expect(manifest('PodDisruptionBudget').spec.selector.matchLabels).toEqual(labels)
    expect(manifest('HorizontalPodAutoscaler').spec.scaleTargetRef.name).toBe(manifest('Deployment').metadata.name)
  })

  test('start what is there, with variables that are read and secrets that exist', async () => {
    expect(await commandFaults(container.args)).toEqual([])
    const secret = manifest('Secret')
    for (const { name, valueFrom } of container.env) {
      expect(knownVariables).toContain(name)
      if (!valueFrom) continue
      expect(valueFrom.secretKeyRef.name).toBe(secret.metadata.name)
      expect(Object.keys(secret.stringData ?? {})).toContain(valueFrom.secretKeyRef.key)
    }
  })

  test('give requests in flight their 30 seconds after the pause before the end', () => {
    const pause = Number(/(\d+)_000\)/.exec(container.lifecycle.preStop.exec.command[2])?.[1])
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(pause + 30)
  })

  test('run without rights, on an image of a version, within limits', () => {
    expect(pod.securityContext.runAsNonRoot).toBe(true)
    expect(container.securityContext).toMatchObject({ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true })
    expect(container.image).toMatch(/:\d+(\.\d+)*$/)
    expect(container.resources).toMatchObject({
      requests: { cpu: '500m', memory: '256Mi' },
      limits: { memory: '512Mi' },
    })
  })

  test('keep a pod answering while others are replaced', () => {
    const { replicas, strategy } = manifest('Deployment').spec
    expect(strategy.rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: 1 })
    expect(replicas).toBeGreaterThan(manifest('PodDisruptionBudget').spec.maxUnavailable)
    expect(manifest('HorizontalPodAutoscaler').spec.minReplicas).toBe(replicas)
  })
})
